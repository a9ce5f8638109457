#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in router mode and method track, under harder conditions.
mode=router
method=track
# shellcheck source=conditions.sh
. "$(dirname "$(readlink -f "$0")")/conditions.sh"

plan 13
transition_bed
begin

# tracked: connections noted by d1.
tracked() {
	ctl d1 -j show | jq '.pools[0].tracked'
}

# With room for few, the others go to the oldest owner, and live like those.
no_room_to_note() {
	local name before

	for name in d1 d2; do
		sysctls $name onehop/max_tracked_flows=256
	done
	report
	before=$(sum untracked)
	start "$scratch/events" d1 "$ONEHOPCTL" monitor
	flooded=chain syn_flood
	for name in d1 d2; do
		sysctls $name onehop/max_tracked_flows="$room"
	done
	report
	note "untracked: $(($(sum untracked) - before))"
	(($(sum untracked) > before))
	grep -i 'full' "$scratch/events" || fail "no event: $(<"$scratch/events")"
}

# What is noted is d1's own: connections that began before are none of it, and
# live on by way of d2; those that began in the transition are lost.
dispatcher_fails_over() {
	local again lost

	turned
	streams where "$scratch/where"
	mapfile -t again <"$scratch/moved"
	streams open "${again[@]}"
	note "connections noted: $(tracked)"
	(($(tracked) >= ${#again[@]}))
	streams fresh 0
	via d2
	poll_until 25 counted_out
	lost=$(jq '[.broken[]] | add // 0' "$scratch/report")
	note "lost: $lost of the ${#again[@]} connections that began in the transition"
	# All that were there before still are.
	streams where "$scratch/after"
	equal "lost of the others" "$(comm -23 <(sort "$scratch/where") <(sort "$scratch/after") | wc -l)" 0
	via d1
	recover
}

# counted_out: each of the new ones has broken, or has been answered anew.
counted_out() {
	report
	streams rounds 10
	streams report "$scratch/later"
	[[ $(jq -c .broken "$scratch/report") == "$(jq -c .broken "$scratch/later")" ]]
}

room=$(at d1 cat /proc/sys/net/onehop/max_tracked_flows)
try "a server's health returns" server_returns
conditions
try "no room to note connections" no_room_to_note
try "the dispatcher fails over" dispatcher_fails_over
finish
