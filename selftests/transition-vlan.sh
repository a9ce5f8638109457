#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode peer when the lan is a VLAN of it, and segments are merged on their way in:
# that a frame came from a peer is still seen by its source link address.
#
#	cm -- r.v100 == lan == s1.v100 .. s5.v100
mode=peer
streams4=60 streams6=12
# shellcheck source=transition.sh
. "$(dirname "$(readlink -f "$0")")/transition.sh"

plan 1
transition_bed

# on_vlan NAME: what it has on the lan it gets on a VLAN.
on_vlan() {
	{
		echo "link add link eth0 name v100 type vlan id 100"
		echo "address flush dev eth0 scope global"
		echo "link set v100 up"
		addresses "$1" v100
	} | ip -n "$1" -batch -
	at "$1" ethtool -K eth0 gro on
}

streams_live_on() {
	local moving

	changed up s2
	mapfile -t moving <"$scratch/moved"
	capture "$scratch/merged" s1 v100 "dst host $ghost4"
	streams upload 80000 "${moving[@]}"
	note "$told"
	note "$(frames "$scratch/merged" | awk -v size=1518 '
		{ match($0, /length [0-9]+/); if (substr($0, RSTART + 7, RLENGTH - 7) > size) longer++ }
		END { print "of " NR " frames to s1, " longer + 0 " were merged"; exit !longer }')"
	whole
	note "passed on $(sum passed), bounced $(sum drop_bounced), misdirected $(sum drop_misdirected)"
	(($(sum passed) > 0)) || fail "nothing was passed on"
	committed
	over drain s2
}

for name in r "${servers[@]}"; do
	on_vlan "$name"
done
via "${servers[@]:0:4}"
# What comes from the clients comes in single segments.
at cm ethtool -K eth0 gso off tso off
begin
run_case "streams live on, passed on from peer to peer" streams_live_on
finish
