#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes without transitions, many and fast.
#
#	cm (64 addresses) -- r == lan == d1, s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 2
method=track
lines=("rows = 4096")
bed_up cm
configure d1

# Numbered datagrams while a server's state changes 1000 times a second, and 10 times
# the whole configuration.
each_packet_once() {
	local name

	for name in "${servers[@]}"; do
		# Known to d1, so that none waits to be asked for.
		at d1 ping -c 1 -W 2 "$(address "$name")" >/dev/null
	done
	at d1 "$selftests/changes.py" 5 1010 10 500 "$ghost" d1 cm "${servers[@]}" -- "${many[@]}"
	exact d1
}

saved_is_what_was_applied() {
	note "$(at d1 "$selftests/configurations.py" "$ONEHOPCTL" 1000)"
}

run_case "up to 1000 changes a second, each packet once and on an owner" each_packet_once
run_case "1000 random configurations are saved as applied" saved_is_what_was_applied
finish
