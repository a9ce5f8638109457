#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# An old state of the module and this one by turns, in one guest: mode router, and what other
# traffic pays for it.
# Each is configured by its own tool, as the interface may have changed.
# shellcheck source=bench/row.sh
. "$(dirname "$(readlink -f "$0")")/row.sh"
# shellcheck source=bench/pool.sh
. "$(dirname "$(readlink -f "$0")")/pool.sh"

new=$ONEHOPCTL

for family in v4 v6; do
	silent d in
	row drop -received
	at d nft flush ruleset
	for _ in 1 2 3; do
		for state in old new; do
			if [[ $state == old ]]; then
				module=$tree/bench/out/old/onehop.ko ONEHOPCTL=$tree/bench/out/old/onehopctl
			else
				module=$tree/onehop.ko ONEHOPCTL=$new
			fi
			module_load
			pool router "${servers[@]}" | ctl d apply - >/dev/null
			row "$state" handed sunk
			row "other-$state" sunk
			module_unload
		done
	done
done
