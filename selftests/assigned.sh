#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What is laid down row by row and client by client (bed R, see bed.sh): kind table,
# and overrides. What the tool predicts, what the module says and who serves must be
# the same, in both families.
mode=router
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 13
bed_up cm
web s1 s2 s3 s4

# tabled TABLE [LINE...]: the pool with 256 rows of these owners.
tabled() {
	conf 'kind = "table"' 'rows = 256' "table = \"$1\"" "${@:2}"
}

# served_as FILE: every client by the server that the file gives it; the module says so too.
served_as() {
	"$ONEHOPCTL" lookup --offline "$1" "${many[@]}" | awk '{ print $1 }' >"$scratch/predicted"
	owner d1 "${many[@]}" >"$scratch/said"
	who "${many[@]}" >"$scratch/served"
	equal "answers" "$(wc -l <"$scratch/served")" 64
	diff "$scratch/predicted" "$scratch/said"
	diff "$scratch/predicted" "$scratch/served"
}

# rows_decide: s2 has three quarters of the rows, s4 none but what nobody has.
rows_decide() {
	tabled "2*192 1*32 3*31 -" >"$scratch/table.conf"
	ctl d1 apply "$scratch/table.conf"
	served_as "$scratch/table.conf"
	note "of 64 clients, each server has: $(sort "$scratch/served" | uniq -c | awk '{ printf "%s %s, ", $2, $1 }')"
	(($(grep -cx s2 "$scratch/served") > 32)) || fail "s2 has three quarters of the rows, and too few clients"
	ctl d1 lookup -j "${many[@]}" | jq -r '.[].rule' | sort -u >"$scratch/rules"
	grep -q table "$scratch/rules" || fail "the table decides on nobody: $(<"$scratch/rules")"
}

another_table_predicts_otherwise() {
	tabled "1*256" >"$scratch/other.conf"
	refuses served_as "$scratch/other.conf" >/dev/null 2>&1
}

# the_ranking_takes_over: s2's rows are spread over all others; nobody else moves.
the_ranking_takes_over() {
	local others

	owner d1 "${many[@]}" >"$scratch/before"
	ctl d1 down s2
	owner d1 "${many[@]}" >"$scratch/after"
	who "${many[@]}" >"$scratch/served"
	diff "$scratch/after" "$scratch/served"
	refuses grep -qx s2 "$scratch/after"
	equal "clients of others that moved" \
		"$(paste -d' ' "$scratch/before" "$scratch/after" | awk '$1 != "s2" && $1 != $2' | wc -l)" 0
	others=$(paste -d' ' "$scratch/before" "$scratch/after" | awk '$1 == "s2" { print $2 }' | sort -u | wc -l)
	equal "servers that take over" "$others" 3
	ctl d1 up s2
	owner d1 "${many[@]}" >"$scratch/again"
	diff "$scratch/before" "$scratch/again"
}

# What is saved is what stands; and what stands is dumped whole.
saved_is_what_stands() {
	local before

	before=$(ctl d1 -j show | jq -r .digest)
	ctl d1 save >"$scratch/saved.conf"
	ctl d1 apply "$scratch/saved.conf"
	equal "digest" "$(ctl d1 -j show | jq -r .digest)" "$before"
	served_as "$scratch/saved.conf"
}

# The longest prefix that holds a client decides, before any row.
overrides_decide() {
	local four six

	four=${many4[4]} six=${many6[4]}
	tabled "2*192 1*32 3*31 -" >"$scratch/over.conf"
	cat >>"$scratch/over.conf" <<-END
		[pool.web.override]
		"10.2.0.0/24" = "s4"
		"10.2.0.0/28" = "s1"
		"$four" = "s3"
		"2001:db8:2::/48" = "s4"
		"$six/64" = "s3"
	END
	sed -i "s|\"$six/64\"|\"${six%1}/64\"|" "$scratch/over.conf"
	ctl d1 apply "$scratch/over.conf"
	both one_family_overridden
}

one_family_overridden() {
	served_as "$scratch/over.conf"
	equal "owner of one client" "$(owner d1 "${many[4]}")" s3
	ctl d1 lookup -j "${many[4]}" | jq -e '.[0].rule | tostring | test("override")'
	if [[ $family == ipv4 ]]; then
		equal "clients of s1, by the /28" "$(grep -cx s1 "$scratch/served")" 14
		equal "clients of s4, by the /24" "$(grep -cx s4 "$scratch/served")" 49
	else
		equal "clients of s4, by the /48" "$(grep -cx s4 "$scratch/served")" 63
	fi
}

# Who is laid down for a dead server is dispatched like all others.
dead_server_is_no_override() {
	ctl d1 down s4
	owner d1 "${many[@]}" >"$scratch/after"
	who "${many[@]}" >"$scratch/served"
	diff "$scratch/after" "$scratch/served"
	refuses grep -qx s4 "$scratch/after"
	(($(sort -u "$scratch/after" | wc -l) > 1)) || fail "all go to one server"
	ctl d1 up s4
	served_as "$scratch/over.conf"
}

# one_prefix_moves: one is taken away, all others stay with whom they had.
one_prefix_moves() {
	owner d1 "${many[@]}" >"$scratch/before"
	ctl d1 override del 10.2.0.0/28
	owner d1 "${many[@]}" >"$scratch/after"
	paste -d' ' "$scratch/before" "$scratch/after" | awk '$1 != $2 { print NR }' >"$scratch/moved"
	equal "clients that moved" "$(wc -l <"$scratch/moved")" 14
	(($(sort -n "$scratch/moved" | tail -n 1) < 16)) || fail "others moved than those of the prefix: $(paste -sd' ' "$scratch/moved")"
	ctl d1 override add 10.2.0.0/28 s1
	served_as "$scratch/over.conf"
}

# refused WORDS COMMAND...: with a message that has these words.
refused() {
	refuses ctl d1 "${@:2}" >"$scratch/refused" 2>&1
	grep -qF -- "$1" "$scratch/refused" || fail "no '$1' in: $(<"$scratch/refused")"
}

mistakes_are_told() {
	local before

	before=$(ctl d1 -j show | jq -r .generation)
	refused '10.2.0.1/28' override add 10.2.0.1/28 s1
	refused 's9' override add 10.9.0.0/16 s9
	refused '10.2.0.0/33' override add 10.2.0.0/33 s1
	refused 's9' override set 10.2.0.0/28 s9
	refused 's3' server del s3
	tabled "2*255" >"$scratch/short.conf"
	refused '255' apply "$scratch/short.conf"
	tabled "x*256" >"$scratch/letter.conf"
	refused 'x*256' apply "$scratch/letter.conf"
	equal "generation" "$(ctl d1 -j show | jq -r .generation)" "$before"
}

# The greatest of both, and what it takes.
as_many_as_can_be() {
	local started

	{
		conf 'kind = "table"' 'rows = 65536' "table = \"$(awk 'BEGIN { for (i = 0; i < 65536; i++) printf "%d ", i * 7 % 4 + 1 }')\""
		echo '[pool.web.override]'
		for ((i = 0; i < 4096; i++)); do
			echo "\"10.$((16 + i / 256)).$((i % 256)).0/24\" = \"s$((1 + i % 4))\""
		done
	} >"$scratch/most.conf"
	started=$EPOCHREALTIME
	ctl d1 apply "$scratch/most.conf"
	note "applied in $(bc <<<"$EPOCHREALTIME - $started") s"
	equal "owner by the last override" "$(owner d1 10.31.255.9)" s4
	equal "owner by the first" "$(owner d1 10.16.0.9)" s1
	served_as "$scratch/most.conf"
	ctl d1 save >"$scratch/saved.conf"
	diff <("$ONEHOPCTL" lookup --offline "$scratch/most.conf" "${many[@]}" 10.20.4.4) \
		<("$ONEHOPCTL" lookup --offline "$scratch/saved.conf" "${many[@]}" 10.20.4.4)
	sed 's/^"10.16.0.0/"10.15.0.0\/24" = "s1"\n&/' "$scratch/most.conf" >"$scratch/more.conf"
	refused '4096' apply "$scratch/more.conf"
}

for each in $families; do
	use "$each"
	[[ $each != ipv4 ]] || configure d1
	run_case "rows have the owners of the table" rows_decide
	run_case "control: another table predicts otherwise" another_table_predicts_otherwise
	run_case "the ranking takes over from a dead owner" the_ranking_takes_over
	run_case "what is saved is what stands" saved_is_what_stands
done
use ipv4
run_case "the longest prefix decides, before any row" overrides_decide
use ipv4
run_case "a dead server's overrides give way" dead_server_is_no_override
run_case "an override moves only its prefix" one_prefix_moves
run_case "mistakes are told, and change nothing" mistakes_are_told
run_case "65536 rows and 4096 overrides" as_many_as_can_be
finish
