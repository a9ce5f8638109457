# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts about changes of the function under live connections:
#
#	cm: 176 addresses and 24 of IPv6, each with a stream -- r == lan == (d1, d2,) s1 .. s5
#
# s5 is a spare: it listens, and belongs to no pool at first. s2 is the server
# that comes and goes; the clients are so chosen that it has a quarter of them
# or more. `changed` makes a change on all hosts and then sees that no stream
# has broken, that the new connections are where they belong, and that both an
# older function and the newest were used.
families=${families:-ipv4 ipv6}
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/bed.sh"

servers=(s1 s2 s3 s4 s5)
# Those with the module, the first of which is asked who serves whom.
case $mode-${method-} in
router-track) hosts=(d1 d2) ;;
router-chance) hosts=(d1 d2 "${servers[@]}") ;;
*) hosts=("${servers[@]}") ;;
esac
# How long after a change the owners before it still take new connections, so that
# no two hosts answer one that change at different times.
settling=2
[[ ${method-} != track ]] || settling=0

# four [LINE...]: the pool without the spare.
four() {
	local servers=(s1 s2 s3 s4)

	conf "$@"
}

# pick COUNT ADDRESS...: so many of them, and of s2's clients as many as may be,
# up to a third.
pick() {
	"$ONEHOPCTL" lookup --offline "$scratch/four.conf" "${@:2}" | paste -d' ' - <(printf '%s\n' "${@:2}") |
		awk -v all="$1" '
			{ address = $NF }
			$1 == "s2" && two < all / 3 { two++; print address; next }
			$1 != "s2" { other[++others] = address }
			END { for (i = 1; i <= all - two; i++) print other[i] }'
}

# transition_bed: everything but the streams, with s2 down.
transition_bed() {
	local i more4=() more6=() name

	bed_up cm
	for ((i = 65; i <= 250; i++)); do
		more4+=("10.2.0.$i")
		printf -v 'more6[i - 65]' '2001:db8:2:%x::1' $i
	done
	{
		printf 'address add %s/32 dev lo\n' "${more4[@]}"
		printf 'address add %s/128 dev lo\n' "${more6[@]}"
	} | ip -n cm -batch -
	sysctls r ipv4/fib_multipath_hash_policy=1 ipv6/fib_multipath_hash_policy=1
	module_load
	four "${lines[@]}" >"$scratch/four.conf"
	# In no order, but always the same: new connections come from them in turn.
	mapfile -t clients < <({
		pick "${streams4:-176}" "${many4[@]}" "${more4[@]}"
		pick "${streams6:-24}" "${many6[@]}" "${more6[@]}"
	} | shuf --random-source=<(yes))
	on_all apply "$scratch/four.conf"
	on_all down s2
	# That a slow machine pauses is no loss: what is repeated for nothing, when the other
	# end has closed already, costs a reset.
	for name in "${servers[@]}"; do
		sysctls "$name" ipv4/tcp_rto_min_us=3000000 ipv4/tcp_fastopen=515
	done
	sysctls cm ipv4/tcp_rto_min_us=3000000 ipv4/tcp_fastopen=5
	echoes "${servers[@]}"
}

# begin: a stream for each client, and new connections from now on.
begin() {
	serve streamd "$scratch/streamd" cm "$selftests/streamd.py" "$ghost4,$ghost6" "${servers[@]}"
	poll_until 20 grep -q serving "$scratch/streamd"
	mkfifo "$scratch/asks" "$scratch/tells"
	exec {asks}<>"$scratch/asks" {tells}<>"$scratch/tells"
	nsenter --net=/run/netns/cm -- "$selftests/streams.py" "$ghost4" "$ghost6" "${servers[@]}" -- "${hosts[@]}" \
		<"$scratch/asks" >"$scratch/tells" 2>"$scratch/streams" &
	echo $! >"$scratch/streams.pid"
	streams open "${clients[@]}"
	streams fresh 60 plain "${clients[@]}"
	know
	cp "$scratch/owners" "$scratch/before"
	echo 0 >"$scratch/previous"
	account
}

# streams REQUEST...: what streams.py does and tells.
streams() {
	local answer

	echo "$*" >&"$asks"
	read -r -t 60 answer <&"$tells" || fail "$(cat "$scratch/streams")" || return
	[[ $answer == ok* ]] || fail "$answer"
	echo "${answer#ok }"
}

# on_all ARGS...: the tool on every host, on all at once; on half of them $skew
# seconds later. Before all others that want the processor: two servers answer one
# connection when they change further apart than functions settle.
on_all() {
	local name rc=0 pids=() half=$((${#hosts[@]} / 2))

	for name in "${hosts[@]}"; do
		# Not waiting for something: the skew is what is tested.
		[[ -z ${skew-} || ${#pids[@]} != "$half" ]] || sleep "$skew"
		urgent "$name" "$@" >"$scratch/$name.said" 2>&1 &
		pids+=($!)
	done
	for name in "${!hosts[@]}"; do
		wait "${pids[name]}" || { rc=1 && sed "s/^/${hosts[name]}: /" "$scratch/${hosts[name]}.said"; }
	done
	apart=$(sort -n "$scratch"/*.at | sed -n '1p;$p' | paste -sd' ' | awk '{ print $2 - $1 }')
	return $rc
}

# urgent NAME ARGS...: and note when it was done.
urgent() {
	nice -n -20 nsenter --net="/run/netns/$1" -- "$ONEHOPCTL" "${@:2}"
	echo "$EPOCHREALTIME" >"$scratch/$1.at"
}

# know: who is to serve whom: client, owner by the newest function, and those by
# older ones, with commas.
know() {
	ctl "${hosts[0]}" -j lookup "${clients[@]}" |
		jq -r '.[] | [.client, .owner, (.older | join(","))] | join(" ")' >"$scratch/owners"
}

# moved: clients whose connections have several owners.
moved() {
	awk '$3 != "" { print $1 }' "$scratch/owners"
}

# sum NAME: of a counter, over all hosts, in the last report.
sum() {
	jq --arg name "$1" '.counters[$name] // 0' "$scratch/report"
}

report() {
	streams report >"$scratch/report"
}

# account: what is to be compared with later: counters, and resets seen so far.
account() {
	report
	jq -c .resets "$scratch/report" >"$scratch/resets"
	jq -r '.counters | "\(.newest // 0) \(.older // 0)"' "$scratch/report" >"$scratch/account"
}

# What of the resets must not change. In mode broadcast hosts that change some time
# apart also end their settling some time apart, and a SYN in between is answered
# twice. No connection is harmed, but the one who is not taken up repeats itself, and
# what the client says to that may cost a reset when it has ended.
counted='.resets'
[[ $mode != broadcast ]] || counted='.resets["got here"]'

# whole: nothing has broken, and nobody has sent a reset.
whole() {
	report
	jq -e --argjson before "$(<"$scratch/resets")" \
		".broken == {} and .failed == {} and $counted == (\$before | ${counted/#.resets/.})" "$scratch/report" >/dev/null ||
		fail "$(jq -c 'del(.counters)' "$scratch/report"), and before resets were $(<"$scratch/resets")"
}

# placed BEGUN ENDED ALLOWED: each new connection, in $scratch/fresh, on the owner
# that was the newest then. Those of the time of the change may be on either; where
# packets are lost, one can be older than the change before. ALLOWED "chain": on any
# owner at all.
placed() {
	misplaced "$@" >"$scratch/misplaced" || fail "$(head -n 5 "$scratch/misplaced")"
}

misplaced() {
	awk -v begun="$1" -v ended="$2" -v allowed="$3" -v previous="$(<"$scratch/previous")" '
		FILENAME ~ /earlier$/ { earlier[$1] = $2; next }
		FILENAME ~ /before$/ { before[$1] = $2; next }
		FILENAME ~ /owners$/ { now[$1] = $2; older[$1] = "," $3 ","; next }
		{
			seen++
			if ($3 >= begun && $4 == now[$1]) next
			if ($2 <= ended && $4 == before[$1]) next
			if ($2 <= previous && $4 == earlier[$1]) next
			if (allowed == "chain" && ($4 == now[$1] || index(older[$1], "," $4 ","))) next
			print $1 " began " ($2 - begun) " s after the change, is on " $4 ", not on " now[$1] ", before " before[$1]
			wrong = 1
		}
		END { exit wrong || !seen }' "$scratch/earlier" "$scratch/before" "$scratch/owners" "$scratch/fresh"
}

# changed VERB...: by the tool, on all hosts, with everything that follows from it.
changed() {
	local begun ended moving older newest newest_before older_before

	cp "$scratch/before" "$scratch/earlier"
	cp "$scratch/owners" "$scratch/before"
	begun=$EPOCHREALTIME
	on_all "$@"
	ended=$(bc <<<"$EPOCHREALTIME + $settling")
	know
	moved >"$scratch/moved"
	streams since "$ended" "40" "$scratch/fresh"
	streams rounds 5
	whole
	placed "$begun" "$ended" "${allowed-newest}"
	echo "$ended" >"$scratch/previous"
	streams where "$scratch/where"
	moving=$(awk 'NR == FNR { moved[$1]; next } $1 in moved' "$scratch/moved" "$scratch/where" | wc -l)
	older=$(awk 'NR == FNR { owner[$1] = $2; next } owner[$1] != $3' "$scratch/owners" "$scratch/where" | wc -l)
	read -r newest_before older_before <"$scratch/account"
	newest=$(($(sum newest) - newest_before))
	note "$(wc -l <"$scratch/where") streams, $moving on moved keys, $older on older owners;" \
		"packets by older $(($(sum older) - older_before)), newest $newest;" \
		"hosts $apart s apart; $(jq -r '"\(.answers) answers a second each, longest pause \(.pause) s"' "$scratch/report")"
	((moving * 4 >= $(wc -l <"$scratch/where"))) || fail "too few streams are on keys that move"
	((older > 0)) || fail "no stream is on an older owner"
	((newest > 0)) || fail "no packet went by the newest function"
	(($(sum older) > older_before)) || fail "no packet went by an older function"
	echo "$(sum newest) $(sum older)" >"$scratch/account"
}

# committed: the streams of clients that move end, others begin; then the older
# functions go, and nothing breaks.
committed() {
	local again

	mapfile -t again < <(awk 'NR == FNR { moved[$1]; next } $1 in moved { print $1 }' <(moved) "$scratch/where")
	streams close "${again[@]}"
	streams open "${again[@]}"
	on_all commit
	know
	equal "clients that move" "$(moved | wc -l)" 0
	streams rounds 3
	whole
}

# anew: one stream for each client again.
anew() {
	streams close "${clients[@]}"
	streams open "${clients[@]}"
	whole
}

# over VERB...: a change from end to end.
over() {
	changed "$@"
	committed
}

# try NAME FUNCTION: a case; if it fails, the next one finds what it would have found.
try() {
	local before=$failures

	run_case "$@"
	((failures == before)) || recover >&2 || :
}

# recover: as it was at first, but that s2 is up. Sockets whose other end is gone would
# go on repeating themselves.
recover() {
	local name

	on_all apply --now "$scratch/four.conf"
	on_all up s2 --now
	# What was so already has ended no transition.
	on_all commit
	streams fresh 0
	at cm ss -K dport = :7000 >/dev/null
	for name in "${servers[@]}"; do
		sysctls "$name" ipv4/tcp_syncookies=1
		at "$name" ss -K sport = :7000 >/dev/null
	done
	know
	streams open "${clients[@]}"
	streams fresh 60 plain "${clients[@]}"
	streams since "$EPOCHREALTIME" 0 "$scratch/fresh"
	streams forget
	account
}
