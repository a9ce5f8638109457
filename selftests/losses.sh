# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by verbs.sh: what ends connections, and that it ends those of one server, all
# of them, and no other.
# shellcheck disable=SC2154 # scratch is lib.sh's, told transition.sh's

# loses VERB...: all streams on s2 end, and none that is elsewhere; new connections
# begin with others meanwhile.
loses() {
	local begun ended doomed all

	streams where "$scratch/where"
	all=$told
	doomed=$(grep -c ' s2$' "$scratch/where") || fail "no stream is on s2"
	streams change
	begun=$EPOCHREALTIME
	"$@"
	settled
	know
	poll_until 30 left $((all - doomed))
	streams since "$ended" 40 "$scratch/fresh"
	streams placed "$begun" "$ended" newest
	streams rounds 5
	left $((all - doomed))
	grep -v ' s2$' "$scratch/where" | sort | comm -23 - <(sort "$scratch/after") >"$scratch/lost"
	[[ ! -s $scratch/lost ]] || fail "lost, but not on s2: $(<"$scratch/lost")"
	streams report "$scratch/report"
	note "$doomed of $all streams, all of s2: $(jq -c .broken "$scratch/report")"
}

# left COUNT: streams.
left() {
	streams where "$scratch/after"
	equal "streams left" "$told" "$1"
}

# restored VERB...: s2 has its clients again, whose streams begin anew. What its stack
# still has of those that were lost would go on repeating itself.
restored() {
	local again

	at s2 ss -Kt sport = :7000 >/dev/null
	at_rest
	on_all "$@" --now
	know
	streams resume
	mapfile -t again < <(awk '$3 == "s2" { print $1 }' "$scratch/where")
	streams open "${again[@]}"
	streams since "$EPOCHREALTIME" 0 "$scratch/fresh"
	streams forget
	account
	streams rounds 3
	whole
}

living_server_down() {
	loses on_all down s2
	restored up s2
}

# To a dead one a router that spreads over servers sends nothing more either.
dies() {
	ip -n lan link set to-s2 down
	[[ $mode != peer ]] || via s1 s3 s4
	on_all down s2
}

server_dies() {
	loses dies
	ip -n lan link set to-s2 up
	[[ $mode != peer ]] || via s1 s2 s3 s4
	restored up s2
}

server_removed_at_once() {
	loses on_all server del s2 --now
	restored server add s2 10.0.0.2 --address6 2001:db8::2 --id 2
}

# Nothing breaks before the commit.
drained_and_committed() {
	on_all drain s2
	settled
	streams since "$ended" 1 "$scratch/fresh"
	streams rounds 3
	whole
	on_all commit
}

committed_early() {
	loses drained_and_committed
	restored undrain s2
}

deadline_passes() {
	loses on_all drain s2 --for 4s
	restored undrain s2
}

# losses: the cases, 4; a server that dies is one of main_verbs'.
losses() {
	try "down is said of a living server" living_server_down
	try "a server is removed at once" server_removed_at_once
	try "commit while there are connections" committed_early
	try "a deadline passes" deadline_passes
}
