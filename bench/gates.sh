#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a packet may cost, against what others need for it in the same boot: the
# most telling rows of `make bench`. It counts instructions, so neither the
# machine nor what else it does changes them.
# shellcheck disable=SC2034 # what lib.sh calls the cases by
mode=cost
# shellcheck source=bench/rows.sh
. "$(dirname "$(readlink -f "$0")")/rows.sh"

# What two measurements of the same may differ by, in instructions per packet.
tolerance=40
declare -A cost

peers() {
	silent d in
	row drop -received
	flush
	bpf_up tcx:same
	bpf_row tcx:same tc-bpf-same
	unserve bpf
	best
	row nft-best sunk -received
	flush
	has_ghost add
	owner ingress drop
	row bcast-nft-drop -received
	flush
	has_ghost del
}

ours() {
	row forward sunk
	module_up
	row other-idle sunk
	configure router "${servers[@]}"
	row onehop handed sunk -received
	more_ghosts
	row onehop-ghosts-256 handed sunk -received
	idle=()
	devices='' configure router "${servers[@]}"
	row onehop-prerouting handed sunk received
	row other-onehop sunk
	has_ghost add
	configure_drop
	row bcast-onehop-drop drop_not_owner -received
	has_ghost del
	module_unload
}

ipvs_peers() {
	has_ghost add
	ipvs mh
	clients=few row ipvs-known scheduled -connected sunk
	clients=new row ipvs-new scheduled '~connected' sunk
	ipvs_gone mh
	has_ghost del
}

# d NAME: what a row costs more than a drop at once.
d() {
	echo $((${cost[$1 $family]} - ${cost[drop $family]}))
}

# at_most NAME PERCENT PEER [MORE]: d of the row is at most this much of the peer's,
# and MORE.
at_most() {
	local ours theirs limit

	ours=$(d "$1")
	theirs=$(d "$3")
	limit=$((theirs * $2 / 100 + ${4-0}))
	note "$1 $ours, $3 $theirs"
	((ours <= limit + tolerance)) || fail "$1: '$ours' where at most '$limit' was expected, $2 % of $3${4:+ and $4}"
}

compare() {
	run_case "no more than 1.06 of the same job in tc-bpf" at_most_tc
	run_case "without devices no more than 1.16 of it" at_most_tc_late
	run_case "no more than 0.95 of the best nft" at_most_nft
	run_case "no more than 0.65 of IPVS with clients that it knows" at_most_known
	run_case "no more than 0.52 of IPVS with new clients" at_most_new
	run_case "256 ghosts cost no more than 60 above one" at_most_ghosts
	run_case "a drop of what others own: no more than 0.45 of nft's" at_most_drop
	run_case "other traffic pays nothing where no ghost is" at_most_idle
	run_case "other traffic pays no more than 110 where one is" at_most_other
}
at_most_tc() { at_most onehop 106 tc-bpf-same; }
at_most_tc_late() { at_most onehop-prerouting 116 tc-bpf-same; }
at_most_nft() { at_most onehop 95 nft-best; }
at_most_known() { at_most onehop 65 ipvs-known; }
at_most_new() { at_most onehop 52 ipvs-new; }
at_most_ghosts() { at_most onehop-ghosts-256 100 onehop 60; }
at_most_drop() { at_most bcast-onehop-drop 45 bcast-nft-drop; }
at_most_idle() { at_most other-idle 100 forward; }
at_most_other() { at_most other-onehop 100 forward 110; }

measure() {
	local part

	for part in peers ours ipvs_peers; do
		for family in v4 v6; do
			"$part"
		done
	done
}

plan 18
measure | tee "$scratch/rows" | sed 's/^/# /'
while read -r _ name family total; do
	cost[$name $family]=$total
done <"$scratch/rows"
for family in v4 v6; do
	compare
done
finish
