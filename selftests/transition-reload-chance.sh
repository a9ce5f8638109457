#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module of a server, or of a dispatcher, is replaced under live connections in mode
# router and method chance.
mode=router
method=chance
# shellcheck source=reload.sh
. "$(dirname "$(readlink -f "$0")")/reload.sh"

plan 6
transition_bed
for name in "${servers[@]}"; do
	sysctls "$name" ipv4/conf/all/arp_ignore=1 ipv4/conf/all/arp_announce=2
done
begin

# replaced FILE: d1's module, by one that is told this. A packet meanwhile ends here, as in
# transition-reload.sh.
replaced() {
	local begun

	streams where "$scratch/where"
	printf 'route add blackhole %s\n' $ghost4 $ghost6 | ip -n d1 -batch -
	begun=${EPOCHREALTIME/./}
	ctl d1 pool del web
	ctl d1 apply --now "$1"
	note "d1 knew nothing for $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
	printf 'route del blackhole %s\n' $ghost4 $ghost6 | ip -n d1 -batch -
	know
}

dispatcher_in_place() {
	replaced "$scratch/four.conf"
	digests_agree
	streams rounds 10
	whole
}

# d1 sends to the newest owner as before; the servers have the queue, and say who moves.
queue_is_forgotten() {
	changed drain s2
	ctl d1 save >"$scratch/saved.conf"
	replaced "$scratch/saved.conf"
	equal "functions of d1" "$(functions)" 1
	digests_agree
	streams rounds 10
	whole
	ctl s1 -j lookup "${clients[@]}" >"$scratch/lookup"
	streams know "$scratch/lookup" "$scratch/owners"
	streams moved "$scratch/moved"
	[[ -s $scratch/moved ]] || fail "nobody moves"
	committed
	over undrain s2
}

# What is down is up for d1. To a server that lives d1 is a router like any other: it sends on
# what is not its own.
health_is_forgotten() {
	local before moving

	over drain s2
	on_all down s2
	on_all undrain s2
	before=$(handed_on)
	replaced "$scratch/four.conf"
	moving=$(awk 'NR == FNR { owner[$1] = $2; next } owner[$1] != $3' "$scratch/owners" "$scratch/where" | wc -l)
	((moving > 0)) || fail "nobody moves"
	streams since "$EPOCHREALTIME" 40 "$scratch/fresh"
	streams rounds 10
	whole
	note "by way of s2 go $moving of $(wc -l <"$scratch/where") streams, $(($(handed_on) - before)) packets"
	(($(handed_on) - before >= moving * 10)) || fail "s2 sends nothing on"
	ctl d1 down s2
	digests_agree
	streams rounds 5
	whole
}

# handed_on: packets that s2 has sent to other servers.
handed_on() {
	ctl s2 -j stats | jq .handed
}

replacements
try "the dispatcher's module, in place" dispatcher_in_place
try "the dispatcher's, in a transition" queue_is_forgotten
try "the dispatcher's, not told who is down" health_is_forgotten
finish
