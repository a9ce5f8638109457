#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every network namespace has a configuration of its own. d1 and d2 are two:
#
#	cm -- r == lan == d1: s1 only, d2: s2 only
#	           |
#	           +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 6
bed_up cm
web s1 s2

# hooks: what is hooked where, in each namespace of the bed and in the first one.
hooks() {
	local name
	nft list hooks
	for name in "${namespaces[@]}"; do
		echo "$name:"
		at "$name" nft list hooks
	done
}

# only NAME SERVER: on this dispatcher, SERVER is all there is.
only() {
	{ pool && member "$2" "10.0.0.$(host_number "$2")"; } | ctl "$1" apply -
}

loading_alone_does_nothing() {
	hooks >"$scratch/before"
	module_load
	hooks >"$scratch/after"
	diff "$scratch/before" "$scratch/after"
	refuses fetch cm -m 2 "http://$ghost/name"
	only d1 s1
	hooks >"$scratch/configured"
	refuses cmp -s "$scratch/after" "$scratch/configured"
	note "hooks of a configured namespace: $(diff "$scratch/after" "$scratch/configured" | grep -c '^>')"
}

configurations_are_apart() {
	equal "pools of d2" "$(ctl d2 -j show | jq '.pools | length')" 0
	only d2 s2
	equal "who serves by d1" "$(who "${many[@]}" | sort -u)" s1
	via d2
	equal "who serves by d2" "$(who "${many[@]}" | sort -u)" s2
	ctl d2 down s2
	refuses fetch cm -m 2 "http://$ghost/name"
	via d1
	equal "who serves by d1 still" "$(fetch cm --interface "${many[0]}" "http://$ghost/name")" s1
	ctl d2 up s2
}

counters_are_apart() {
	local first second
	first=$(counter d1 seen)
	second=$(counter d2 seen)
	at cm ping -c 5 -i 0.05 -W 2 "$ghost"
	equal "seen by d1" "$(counter d1 seen)" $((first + 5))
	equal "seen by d2" "$(counter d2 seen)" "$second"
}

empty_again_unhooks() {
	echo -n | ctl d2 apply -
	at d2 nft list hooks >"$scratch/empty"
	sed -n '/^d2:$/,/^s1:$/p' "$scratch/before" | sed '1d;$d' | diff - "$scratch/empty"
}

# Packets come in while the namespace goes away.
deleted_under_traffic() {
	start "$scratch/flood" cm ping -f -w 20 "$ghost"
	poll_until 5 test "$(counter d1 seen)" -gt 0
	ip netns del d1
	poll_until 10 gone
	stop $!
}

gone() {
	! ip -n lan link show to-d1
}

twenty_come_and_go() {
	local i text
	text=$(conf)
	for ((i = 0; i < 20; i++)); do
		ip netns add "t$i"
		ctl "t$i" apply - <<<"$text"
		equal "pools" "$(ctl "t$i" -j show | jq '.pools | length')" 1
	done
	for ((i = 0; i < 20; i++)); do
		ip netns del "t$i"
	done
	# The module can go: nothing of a dead namespace holds it.
	poll_until 10 rmmod onehop
}

run_case "control: loading alone registers and changes nothing" loading_alone_does_nothing
run_case "configurations do not see each other" configurations_are_apart
run_case "counters do not see each other" counters_are_apart
run_case "an empty configuration unhooks" empty_again_unhooks
run_case "deleted under traffic" deleted_under_traffic
run_case "twenty come and go" twenty_come_and_go
finish
