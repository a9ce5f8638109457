#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What ends a transition: a deadline, that of a drain, and memory that is given back.
mode=router
method=track
streams4=60 streams6=12
# shellcheck source=transition.sh
. "$(dirname "$(readlink -f "$0")")/transition.sh"

plan 3
transition_bed
begin

# lasting SECONDS: transitions to come.
lasting() {
	local name

	for name in "${hosts[@]}"; do
		sysctls "$name" onehop/transition_seconds="$1"
	done
}

# event PATTERN: has been seen by d1.
event() {
	grep -iE "$1" "$scratch/events"
}

monitors() {
	start "$scratch/events" d1 "$ONEHOPCTL" monitor
	poll_until 5 opened $!
}

# opened PID: it has the device open.
opened() {
	readlink "/proc/$1/fd/"* | grep -qx /dev/onehop
}

# older FIELD: of d1's older functions, one a line.
older() {
	ctl d1 -j show | jq ".pools[0].older[].$1"
}

# used: memory that the kernel has mapped piecewise, in kB.
used() {
	awk '$1 == "VmallocUsed:" { print $2 }' /proc/meminfo
}

# at_most KB
at_most() {
	(($(used) <= $1))
}

# extended: a deadline passes, and another that is longer stands.
extended() {
	local begun=$EPOCHREALTIME

	lasting 15
	changed up s2
	on_all extend --for 60s
	(($(older remaining_ms) > 30000)) || fail "remaining: $(older remaining_ms) ms"
	poll_until 30 later "$begun" 17
	streams rounds 5
	whole
	on_all extend --for none
	equal "remaining" "$(older remaining_ms)" null
	lasting 300
	committed
}

# later TIME SECONDS
later() {
	(($(bc <<<"$EPOCHREALTIME > $1 + $2")))
}

# none_on_s2: none of the new connections.
none_on_s2() {
	streams since "$EPOCHREALTIME" 40 "$scratch/fresh"
	streams placed 0 0 newest
	refuses grep ' s2$' "$scratch/fresh"
}

# flows N: d1's estimate.
flows() {
	[[ $(older flows) == "$1" ]]
}

packets_to_s2() {
	ctl d1 -j show | jq '.pools[0].servers[] | select(.name == "s2") | .packets'
}

drained_in_time() {
	local before own

	monitors
	changed drain s2 --for 32s
	mapfile -t own < <(awk '$3 == "s2" { print $1 }' "$scratch/where")
	(($(older flows) > 0)) || fail "no estimate with ${#own[@]} streams on s2"
	note "${#own[@]} streams on s2, estimate $(older flows); left: $(older remaining_ms) ms"
	none_on_s2
	# A watchdog sees that s2 is well.
	on_all up s2
	know
	none_on_s2
	whole
	streams close "${own[@]}"
	poll_until 15 flows 0
	streams open "${own[@]}"
	none_on_s2
	poll_until 40 event 's2 drained'
	know
	refuses grep s2 "$scratch/owners"
	before=$(packets_to_s2)
	at cm ping -c 1 -W 2 -I "${own[0]}" "$ghost4" >/dev/null
	streams rounds 5
	whole
	equal "packets to s2" "$(packets_to_s2)" "$before"
}

# Room for the most connections, so that it is seen. Then streams on older owners are
# cut off, which shows that the older function is gone.
retired_in_time() {
	local before during begun

	lasting 14
	for name in "${hosts[@]}"; do
		sysctls "$name" onehop/max_tracked_flows=1048576
	done
	before=$(used)
	monitors
	begun=$EPOCHREALTIME
	changed undrain s2
	during=$(used)
	event 'begun'
	poll_until 14 event 'ending'
	note "$(event ending)"
	event 'ending' | grep -q ' [1-9][0-9]* connections left' || fail "no estimate: $(event ending)"
	whole
	poll_until 20 event 'retired'
	note "retired $(bc <<<"$EPOCHREALTIME - $begun") s after it was begun"
	equal "older functions" "$(older digest | wc -l)" 0
	equal "noted" "$(ctl d1 -j show | jq '.pools[0].tracked')" 0
	poll_until 10 at_most $((before + 64))
	note "memory in kB before, in and after the transition: $before $during $(used)"
	((during > before + 4096)) || fail "no memory was used, or it cannot be seen"
	know
	none_moves
	poll_until 30 broken_all
	note "cut off at the deadline: $(jq -c .broken "$scratch/report")"
}

# broken_all: whatever was not on its newest owner.
broken_all() {
	report
	streams where "$scratch/where"
	jq -e '.broken != {}' "$scratch/report"
	awk 'NR == FNR { owner[$1] = $2; next } owner[$1] != $3 { bad = 1 } END { exit bad }' "$scratch/owners" "$scratch/where"
}

run_case "a deadline is put off" extended
run_case "a drain: watched, estimated, over in time" drained_in_time
run_case "a function is retired at its deadline, and its memory is given back" retired_in_time
finish
