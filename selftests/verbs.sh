# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts about one mode each: the same changes for all, singly and
# overlapping, and what a change without a transition does to the same streams.
# shellcheck source=transition.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/transition.sh"
# shellcheck source=losses.sh
. "$selftests/losses.sh"
# shellcheck source=overrides.sh
. "$selftests/overrides.sh"

# The hosts' own word for what they decide by.
digest() {
	ctl "${hosts[0]}" -j show | jq -r .digest
}

server_returns() {
	over up s2
}

# What `plan` says beforehand is what comes.
server_drains() {
	local before

	before=$(digest)
	ctl "${hosts[0]}" -j plan drain s2 >"$scratch/plan"
	equal "digest after plan" "$(digest)" "$before"
	over drain s2 --for 200s
	equal "digest that was planned" "$(jq -r .digest "$scratch/plan")" "$(digest)"
}

server_drains_no_more() {
	over drain s2
	over undrain s2
}

server_leaves() {
	changed server del s2
	# It serves what it has, and its id is not free.
	refuses ctl "${hosts[0]}" server add other 10.0.0.99 --address6 2001:db8::99 --id 2
	committed
}

server_comes() {
	over server add s2 10.0.0.2 --address6 2001:db8::2 --id 2
}

weight_changes() {
	over server set s2 --weight 4
}

# An edited file is one change, whatever is in it: here s2 drains no more, the overrides
# go, and the kind is another.
kind_changes() {
	four 'kind = "mod"' "${lines[@]}" >"$scratch/mod.conf"
	over apply "$scratch/mod.conf"
	over apply "$scratch/four.conf"
}

# Three quarters of the rows have owners by name, the others their ranking.
table_comes() {
	four 'kind = "table"' "rows = 256" 'table = "2*64 3*64 4*64 -*64"' "${lines[@]}" >"$scratch/table.conf"
	changed apply "$scratch/table.conf"
	equal "what decides" "$(jq -r '.[].rule' "$scratch/lookup" | sort -u | paste -sd' ')" "hash table"
	committed
}

table_goes() {
	over apply "$scratch/four.conf"
}

seed_changes() {
	over pool set web --seed ffffffffffffffffffffffffffffffff
}

rows_change() {
	over pool set web --rows 4096
}

prefixes_change() {
	over pool set web --prefix4 24 --prefix6 48
}

# What was begun under the function that is given up lives on.
abort_brings_back() {
	local before

	before=$(digest)
	changed apply "$scratch/four.conf"
	streams open "${clients[@]:0:40}"
	changed abort
	equal "digest" "$(digest)" "$before"
	committed
	anew
	over apply "$scratch/four.conf"
}

# functions: of the pool, on the first host.
functions() {
	ctl "${hosts[0]}" -j show | jq '.pools[0].older | length + 1'
}

# One change upon the other, with connections begun under each: a server comes,
# is used and leaves again; two drain while it comes back; then as many functions
# as there may be.
changes_overlap() {
	local i

	changed server add s5 10.0.0.5 --address6 2001:db8::5 --id 5 --weight 2
	streams open "${clients[@]:0:30}"
	streams where "$scratch/where"
	(($(grep -c ' s5$' "$scratch/where") > 0)) || fail "no stream on s5"
	changed server del s5
	changed drain s1
	changed drain s2
	streams open "${clients[@]:30:30}"
	changed server add s5 10.0.0.5 --address6 2001:db8::5 --id 5 --weight 2
	streams open "${clients[@]:60:30}"
	for i in 1 2; do
		changed pool set web --seed "${i}fffffffffffffffffffffffffffffff"
		streams open "${clients[@]:60 + 30 * i:30}"
	done
	equal "functions" "$(functions)" 8
	streams where "$scratch/where"
	equal "servers with streams" "$(awk '{ print $3 }' "$scratch/where" | sort -u | paste -sd' ')" "s1 s2 s3 s4 s5"
	refuses ctl "${hosts[0]}" apply "$scratch/four.conf" >"$scratch/refused" 2>&1
	grep -q retry "$scratch/refused" || fail "$(<"$scratch/refused")"
	equal "functions" "$(functions)" 8
	committed
	anew
	over apply "$scratch/four.conf"
}

# What the cases before would see if nothing held the streams.
without_transition() {
	local moving

	cp "$scratch/owners" "$scratch/before"
	streams where "$scratch/where"
	on_all server set s2 --admin drain --now
	know
	equal "functions" "$(functions)" 1
	moving=$(awk 'FILENAME ~ /before$/ { was[$1] = $2; next } FILENAME ~ /owners$/ { is[$1] = $2; next }
		was[$1] != is[$1]' "$scratch/before" "$scratch/owners" "$scratch/where" | wc -l)
	((moving > 0))
	poll_until 30 mostly_broken "$moving"
	note "$(jq -c .broken "$scratch/report") of $moving streams on keys that move, of $(wc -l <"$scratch/where")"
}

# mostly_broken COUNT: more than half as many streams.
mostly_broken() {
	report
	jq -e --argjson count "$1" '([.broken[]] | add // 0) * 2 > $count' "$scratch/report"
}

# main_verbs: a whole script, in the mode and method that it has set: a change by health, by
# hand and by an edited file, and what ends connections.
main_verbs() {
	plan 6
	transition_bed
	begin
	try "a server's health returns" server_returns
	try "a server drains, as planned" server_drains
	try "overrides come, and move only their prefixes" overrides_come
	try "kind hash to mod and back, in one edit with all before" kind_changes
	try "a server dies, and down is said of it" server_dies
	run_case "control: without a transition most moved streams break" without_transition
	finish
}

# other_verbs: another whole script: all that is not in the one above, and changes upon each
# other.
other_verbs() {
	plan 18
	transition_bed
	begin
	try "a server's health returns" server_returns
	try "changes overlap, until eight functions stand" changes_overlap
	try "a server drains no more" server_drains_no_more
	try "a server leaves the pool" server_leaves
	try "a server joins the pool" server_comes
	try "a weight" weight_changes
	try "overrides come, and move only their prefixes" overrides_come
	try "overrides go" overrides_go
	try "kind hash to table, with rows by name" table_comes
	try "kind table to hash" table_goes
	try "the seed" seed_changes
	try "the number of rows" rows_change
	try "the prefixes" prefixes_change
	try "abort" abort_brings_back
	losses
	finish
}
