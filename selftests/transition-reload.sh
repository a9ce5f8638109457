#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module of a single dispatcher is replaced in place, under live connections, as
# Documentation/transitions.md says; and in the ways that it warns of.
mode=router
method=track
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

plan 3
hosts=(d1)
transition_bed
begin

# down: the file of d1's state, in which who is down begins so.
down() {
	ctl d1 dump | awk -F'\t' '$1 == "server" && $8 == "down" { print "[pool." $2 ".server." $3 "]" }' >"$scratch/down"
	awk 'FILENAME == ARGV[1] { down[$0]; next } /^start-down/ { next } { print } $0 in down { print "start-down = true" }' \
		"$scratch/down" "$scratch/saved.conf"
}

# replaced FILE: one module goes, another comes and is told this. A packet meanwhile
# ends here: it would go round between d1 and r, until who asks is told that nobody is there.
replaced() {
	local begun

	streams where "$scratch/where"
	streams release
	printf 'route add blackhole %s\n' $ghost4 $ghost6 | ip -n d1 -batch -
	begun=${EPOCHREALTIME/./}
	rmmod onehop
	module_load
	ctl d1 apply "$1"
	note "$(((${EPOCHREALTIME/./} - begun) / 1000)) ms from rmmod to apply"
	printf 'route del blackhole %s\n' $ghost4 $ghost6 | ip -n d1 -batch -
	streams hold
	know
}

# lost: streams of $scratch/where that are there no more, and on which server they were.
lost() {
	streams where "$scratch/after"
	sort "$scratch/where" | comm -23 - <(sort "$scratch/after") | tee "$scratch/lost"
}

all_is_told() {
	cp "$scratch/owners" "$scratch/known"
	ctl d1 save >"$scratch/saved.conf"
	down >"$scratch/down.conf"
	grep -q 'start-down = true' "$scratch/down.conf"
	replaced "$scratch/down.conf"
	ctl d1 apply "$scratch/saved.conf"
	know
	cmp "$scratch/owners" "$scratch/known"
	streams since "$EPOCHREALTIME" 40 "$scratch/fresh"
	streams rounds 5
	whole
	equal "streams lost" "$(lost)" ""
	note "longest pause $(jq .pause "$scratch/report") s"
	account
}

# breaks_moved: the streams of clients that have another owner than before, all of
# them and no other.
breaks_moved() {
	awk 'NR == FNR { owner[$1] = $2; next } owner[$1] != $3' "$scratch/owners" "$scratch/where" |
		sort >"$scratch/moving"
	[[ -s $scratch/moving ]] || fail "nobody moves"
	poll_until 30 lost_are_those
	streams rounds 5
	lost_are_those
	note "$(wc -l <"$scratch/moving") of $(wc -l <"$scratch/where") streams lost: $(jq -c .broken "$scratch/report")"
	recover
}

lost_are_those() {
	report
	lost >/dev/null
	diff "$scratch/moving" "$scratch/lost"
}

# What is down would be up.
health_is_forgotten() {
	replaced "$scratch/saved.conf"
	breaks_moved
}

queue_is_forgotten() {
	changed drain s2
	ctl d1 save >"$scratch/saved.conf"
	replaced "$scratch/saved.conf"
	breaks_moved
}

try "replaced, and told what the old one knew" all_is_told
try "control: not told who is down" health_is_forgotten
try "control: in a transition" queue_is_forgotten
finish
