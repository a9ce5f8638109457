#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module of a server, or of a dispatcher, is replaced under live connections in mode
# router and method chance.
mode=router
method=chance
# shellcheck source=reload.sh
. "$(dirname "$(readlink -f "$0")")/reload.sh"

plan 4
transition_bed
for name in "${servers[@]}"; do
	sysctls "$name" ipv4/conf/all/arp_ignore=1 ipv4/conf/all/arp_announce=2
done
begin

# A packet meanwhile ends here, as in transition-reload.sh.
dispatcher_in_place() {
	local begun

	printf 'route add blackhole %s\n' $ghost4 $ghost6 | ip -n d1 -batch -
	begun=${EPOCHREALTIME/./}
	ctl d1 pool del web
	ctl d1 apply --now "$scratch/four.conf"
	note "d1 knew nothing for $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
	printf 'route del blackhole %s\n' $ghost4 $ghost6 | ip -n d1 -batch -
	digests_agree
	streams rounds 10
	whole
}

replacements
try "the dispatcher's module, in place" dispatcher_in_place
finish
