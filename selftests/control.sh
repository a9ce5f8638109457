#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What an operator turns and reads: net.onehop.*, events, the kernel's log.
#
#	c1 -- r == lan == d1, d2
#	            |
#	            +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 9
bed_up c1

# knob NAMESPACE NAME [VALUE]: read or write net.onehop.NAME.
knob() {
	if (($# == 2)); then
		at "$1" cat "/proc/sys/net/onehop/$2"
	else
		# shellcheck disable=SC2016 # expanded by the inner shell
		at "$1" bash -c 'echo "$1" >"/proc/sys/net/onehop/$2"' - "$3" "$2"
	fi
}

answers() {
	at c1 ping -c 1 -W 2 "$ghost"
}

generation() {
	ctl "$1" -j show | jq .generation
}

no_knobs_without_the_module() {
	refuses knob d1 enabled
	configure d1 d2
	equal "enabled" "$(knob d1 enabled)" 1
	equal "log_level" "$(knob d1 log_level)" 1
}

off_is_closed() {
	local before
	answers
	knob d1 enabled 0
	equal "enabled" "$(ctl d1 -j show | jq .enabled)" false
	before=$(counter d1 drop_disabled)
	refuses at c1 ping -c 3 -i 0.1 -W 1 "$ghost"
	# Not even where d1's own stack would answer.
	ip -n d1 address add "$ghost/32" dev lo
	refuses at c1 ping -c 2 -i 0.1 -W 1 "$ghost"
	ip -n d1 address del "$ghost/32" dev lo
	equal "counted" "$(counter d1 drop_disabled)" $((before + 5))
	# The other namespace, and all other traffic, do not notice.
	equal "enabled in d2" "$(knob d2 enabled)" 1
	at c1 ping -c 1 -W 2 10.0.0.11
	knob d1 enabled 1
	answers
	exact d1
}

bad_values() {
	local value
	for value in 2 -1 x 4294967296 ''; do
		refuses knob d1 enabled "$value"
		refuses knob d1 log_level "$value"
	done
	equal "enabled" "$(knob d1 enabled)" 1
	for value in 604801 -1 x; do
		refuses knob d1 transition_seconds "$value"
	done
	for value in 1048577 -1 x; do
		refuses knob d1 max_tracked_flows "$value"
	done
	equal "transition_seconds of one who never set it" "$(knob r transition_seconds)" 300
	equal "max_tracked_flows" "$(knob d1 max_tracked_flows)" 65536
	refuses knob d1 generation 5
	refuses knob d1 digest 0
}

generation_and_digest() {
	equal "generation" "$(knob d1 generation)" "$(generation d1)"
	equal "digest" "$(knob d1 digest)" "$(ctl d1 -j show | jq -r .digest)"
	equal "digests of d1 and d2" "$(knob d1 digest)" "$(knob d2 digest)"
	ctl d1 down s1
	equal "generation" "$(knob d1 generation)" "$(generation d1)"
	refuses equal "digests" "$(knob d1 digest)" "$(knob d2 digest)"
	ctl d1 up s1
	equal "digests again" "$(knob d1 digest)" "$(knob d2 digest)"
}

# logged WHAT: lines of the kernel's log.
logged() {
	dmesg | grep 'onehop' | grep -c "$1" || :
}

changes_are_logged_packets_are_not() {
	local before
	ctl d1 down s1 --reason "selftest one"
	equal "lines with the reason" "$(logged 's1.*selftest one')" 1
	before=$(logged .)
	ctl d1 down s1 --reason "selftest one"
	at c1 ping -q -c 100 -i 0.002 -W 2 "$ghost"
	equal "lines" "$(logged .)" "$before"
	knob d1 log_level 0
	ctl d1 up s1
	equal "lines with log_level 0" "$(logged .)" "$before"
	knob d1 log_level 1
}

actor_reason_and_time_are_shown() {
	ctl d1 down s3 --reason "cable pulled" --actor tester
	ctl d1 -j show | jq -c '.pools[0].servers[] | select(.name == "s3") | .changed' >"$scratch/changed"
	equal "reason" "$(jq -r .reason "$scratch/changed")" "cable pulled"
	equal "actor" "$(jq -r .actor "$scratch/changed")" tester
	ctl d1 show | grep -q 'cable pulled'
	ctl d1 up s3
}

monitors() {
	start "$scratch/$1.events" "$1" "$ONEHOPCTL" monitor
	poll_until 5 opened $!
}

# opened PID: it has the device open.
opened() {
	readlink "/proc/$1/fd/"* | grep -qx /dev/onehop
}

lines() {
	(($(wc -l <"$scratch/$1.events") == $2))
}

events_as_they_happen() {
	monitors d1
	monitors d2
	ctl d1 down s2 --reason "no answer"
	ctl d1 down s2 --reason "no answer"
	ctl d1 up s2
	poll_until 5 lines d1 2
	grep -q 's2.*down.*no answer' <(head -n 1 "$scratch/d1.events")
	grep -q 's2.*up' <(tail -n 1 "$scratch/d1.events")
	ctl d2 down s4
	poll_until 5 lines d2 1
	grep -q 's4.*down' "$scratch/d2.events"
	lines d1 2
}

lost_reach_is_an_event() {
	monitors d1
	ip -n d1 route add 10.0.0.2/32 via 10.0.0.254
	poll_until 5 lines d1 1
	grep -q 's2.*unreachable' "$scratch/d1.events"
	ip -n d1 route del 10.0.0.2/32
	poll_until 5 lines d1 2
	grep -q 's2.*link' <(tail -n 1 "$scratch/d1.events")
}

# A reader that does not read is told how much it has missed.
slow_reader() {
	at d1 "$selftests/slow_reader.py" >"$scratch/slow"
	note "$(cat "$scratch/slow")"
}

run_case "control: no knobs without the module" no_knobs_without_the_module
run_case "enabled=0 drops and counts" off_is_closed
run_case "values out of range" bad_values
run_case "generation and digest" generation_and_digest
run_case "changes are logged, packets are not" changes_are_logged_packets_are_not
run_case "actor and reason are shown" actor_reason_and_time_are_shown
run_case "events as they happen, each namespace its own" events_as_they_happen
run_case "a lost way to a server is an event" lost_reach_is_an_event
run_case "a slow reader is told what it missed" slow_reader
finish
