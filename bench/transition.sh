#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a transition costs in mode router, in the guest: packets of clients that
# move and of clients that do not, where functions share their rows and where they
# do not, and of TCP with method track.
# shellcheck source=bench/row.sh
. "$(dirname "$(readlink -f "$0")")/row.sh"
# shellcheck source=bench/pool.sh
. "$(dirname "$(readlink -f "$0")")/pool.sh"
# All of it at PRE_ROUTING, where clients that move are decided on.
devices=''

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

# rows SUFFIX: of what the generator sends now, which goes to nobody else.
rows() {
	begin "$all" version
	row "steady$1" handed sunk
	# One client in five hundred moves.
	begin "$all" server set s4 --weight 101
	row "stay$1" handed sunk
	# All move, from s1 to the others.
	begin "$one" apply "$rest"
	row "move$1" handed sunk
	begin "$one" apply "$reseeded"
	row "move-seed$1" handed sunk
	# By way of as many functions as there can be.
	begin "$one" apply "$rest"
	for weight in 101 102 103 104 105 106; do
		told server set s2 --weight "$weight"
	done
	row "move-eight$1" handed sunk
}

all=$scratch/all.conf one=$scratch/one.conf rest=$scratch/rest.conf reseeded=$scratch/reseeded.conf
for family in v4 v6; do
	silent d in
	lives s1 s2 s3 s4 >"$all"
	lives s1 >"$one"
	lives s2 s3 s4 >"$rest"
	sed '/^seed/s/0f"/0e"/' "$rest" >"$reseeded"
	row drop -received
	at d nft flush ruleset
	module_load
	rows ''
	for flags in 10 02; do
		as_tcp "$flags"
		rows "-tcp-$flags"
		at d nft flush ruleset
	done
	module_unload
done
