#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in router mode and method chance, under harder conditions.
mode=router
method=chance
# shellcheck source=conditions.sh
. "$(dirname "$(readlink -f "$0")")/conditions.sh"

plan 12
transition_bed
begin

# Nothing is kept on a dispatcher: another does as well, and two at once do.
dispatcher_fails_over() {
	local again way

	for way in d2 d1; do
		via $way
		streams rounds 10
		whole
	done
	turned
	mapfile -t again <"$scratch/moved"
	streams open "${again[@]}"
	for way in d2 d1 "d1 d2"; do
		# shellcheck disable=SC2086 # one or more
		via $way
		streams rounds 10
		whole
	done
	via d1
	committed
	anew
	(($(ctl d2 -j stats | jq .newest) > 0))
}

try "a server's health returns" server_returns
conditions
try "dispatchers fail over, and two at once" dispatcher_fails_over
finish
