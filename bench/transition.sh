#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a transition costs in mode router, in the guest: packets of clients that
# move and of clients that do not, where functions share their rows and where they
# do not, and of TCP with method track.
# shellcheck source=bench/row.sh
. "$(dirname "$(readlink -f "$0")")/row.sh"

# as_tcp FLAGS: what the generator sends becomes TCP at d's ingress, with these
# flags and no checksum that anybody would look at here.
as_tcp() {
	local field='ip protocol'

	[[ $family == v4 ]] || field='ip6 nexthdr'
	at d nft -f - <<-END
		table netdev disguise {
			chain ingress {
				type filter hook ingress device "in" priority 0;
				@th,96,16 set 0x50$1
				$field set 6
			}
		}
	END
}

# weighed: the four servers, each at weight 100.
weighed() {
	pool router "${servers[@]}" | sed '/^id = /a weight = 100'
}

# begin ARGS...: a transition, from the four servers up.
begin() {
	weighed | ctl d apply --now - >/dev/null
	ctl d commit >/dev/null
	ctl d "$@" >/dev/null
}

for family in v4 v6; do
	silent d in
	row drop -received
	at d nft flush ruleset
	module_load
	begin version
	row steady handed sunk
	# One client in five hundred moves.
	begin server set s4 --weight 101
	row stay handed sunk
	begin drain s4
	ctl d drain s3 >/dev/null
	ctl d drain s2 >/dev/null
	row move handed sunk
	begin pool set web --seed 000102030405060708090a0b0c0d0e0e
	row seed handed sunk
	for flags in 10 02; do
		as_tcp "$flags"
		begin version
		row "steady-tcp-$flags" handed sunk
		begin server set s4 --weight 101
		row "stay-tcp-$flags" handed sunk
		begin drain s4
		row "quarter-tcp-$flags" handed sunk
		begin pool set web --seed 000102030405060708090a0b0c0d0e0e
		row "seed-tcp-$flags" handed sunk
		at d nft flush ruleset
	done
	module_unload
done
