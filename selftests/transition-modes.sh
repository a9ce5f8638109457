#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode and method change at once, under live connections: nobody gets another server,
# in a transition or not. All servers have the module; in mode router s1 is the
# dispatcher too.
mode=peer
devices='"eth0"'
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

plan 5
transition_bed
begin

# becomes MODE ROUTER...: the pool, on all hosts, and what the router has to be told
# for it. Nothing has broken then, and new connections are where they were.
becomes() {
	local begun=$EPOCHREALTIME ended method=()

	[[ $1 != router ]] || method=(--method chance)
	streams change
	on_all pool set web --mode "$1" "${method[@]}"
	"${@:2}"
	settled
	know
	streams since "$ended" 40 "$scratch/fresh"
	streams rounds 5
	whole
	streams placed "$begun" "$ended" newest
	note "to $1: longest pause $(jq .pause "$scratch/report") s; hosts $apart ms apart"
}

# each_mode: from peer through all of them, and back.
each_mode() {
	local before

	before=$(digest)
	becomes router via s1
	becomes broadcast to_all
	becomes peer via s1 s2 s3 s4
	becomes broadcast to_all
	becomes router via s1
	becomes peer via s1 s2 s3 s4
	equal "digest" "$(digest)" "$before"
	equal "functions" "$(functions)" 1
}

each_mode_in_a_transition() {
	changed drain s2
	streams open "${clients[@]:0:40}"
	becomes router via s1
	becomes broadcast to_all
	becomes peer via s1 s2 s3 s4
	equal "functions" "$(functions)" 2
	mode=broadcast committed
	anew
}

# What method track would have to know it has not noted.
track_is_refused() {
	becomes router via s1
	changed undrain s2
	refuses ctl s1 pool set web --method track >"$scratch/refused" 2>&1
	grep -qi transition "$scratch/refused" || fail "$(<"$scratch/refused")"
	streams rounds 5
	whole
	committed
	becomes peer via s1 s2 s3 s4
}

# What began in a transition with track is known to the servers' sockets too.
track_becomes_chance() {
	becomes router via s1
	on_all pool set web --method track
	streams rounds 5
	whole
	settling=0 changed drain s2
	streams open "${clients[@]:0:40}"
	becomes router via s1
	equal "functions" "$(functions)" 2
	committed
	anew
}

try "a server's health returns" server_returns
try "each mode, and back" each_mode
try "each mode, in a transition" each_mode_in_a_transition
try "no method track in a transition" track_is_refused
try "track to chance, in a transition" track_becomes_chance
finish
