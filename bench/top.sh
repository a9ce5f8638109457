#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What `onehopctl top` costs each packet while it runs, in the guest: its socket's filter, and of
# one packet in so many the copy, the wake-up and the counting. Mode router.
# shellcheck source=bench/row.sh
. "$(dirname "$(readlink -f "$0")")/row.sh"
# shellcheck source=bench/pool.sh
. "$(dirname "$(readlink -f "$0")")/pool.sh"
# All of it at PRE_ROUTING, which the sockets are before.
devices=''

# sockets: how many look at all packets of d; the first line is the heading.
sockets() {
	at d awk 'END { print NR - 1 }' /proc/net/packet
}

is_open() {
	(($(sockets) == 1))
}

# watched NAME OPTION...: a row while top is at it.
watched() {
	serve top "$scratch/top" d "$ONEHOPCTL" top --once --interval 600 "${@:2}"
	poll_until 30 is_open
	row "$1" handed sunk
	unserve top
	equal "sockets" "$(sockets)" 0
}

module_up
for family in v4 v6; do
	silent d in
	row drop -received
	at d nft flush ruleset
	configure router "${servers[@]}"
	row top-none handed sunk
	for sample in 16 256 65536; do
		watched "top-$sample" --sample "$sample"
	done
done
module_unload
