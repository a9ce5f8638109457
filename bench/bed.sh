# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The bed of the measurement. Every box is a network namespace:
#
#	c ----------- d ====== lan ====+========+========+========+
#	 pktgen     in out  a bridge   |        |        |        |
#	               .9             s1 .1    s2 .2    s3 .3    s4 .4
#
# Nothing in it may cost now more, now less: neighbours and the bridge's table are
# static and it floods nothing, so that what the stack says of its own accord ends
# there; the servers drop at their ingress without an answer.
# shellcheck source=selftests/lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../selftests/lib.sh"

# By family: the ghost, an address that is no ghost, and how an address on the lan
# begins.
declare -A ghost=([v4]=192.0.2.80 [v6]=2001:db8:2::80)
declare -A other=([v4]=198.51.100.1 [v6]=2001:db8:3::1)
declare -A lan=([v4]=10.0.0. [v6]=2001:db8::)
# The last part of an address on the lan, of a link address, and the server id.
declare -A number=([d]=9 [s1]=1 [s2]=2 [s3]=3 [s4]=4)
servers=(s1 s2 s3 s4)

# mac NAME: a host's link address, on whichever link.
mac() {
	echo "02:00:00:00:00:0${number[$1]}"
}

# silent NAMESPACE DEVICE: drop all that comes in, as early as nft can.
silent() {
	at "$1" nft -f - <<-END
		table netdev silent {
			chain ingress {
				type filter hook ingress device "$2" priority 0; policy drop;
			}
		}
	END
}

# join NAME DEVICE: a host on the lan.
join() {
	ip link add "to-$1" netns lan type veth peer name "$2" netns "$1" address "$(mac "$1")"
	ip -n lan link set "to-$1" master br0 up
	bridge -n lan -batch - <<-END
		link set dev to-$1 flood off mcast_flood off bcast_flood off
		fdb replace $(mac "$1") dev to-$1 master static
	END
	ip -n "$1" link set "$2" up
}

bed_up() {
	local name family

	namespace lan c d "${servers[@]}"
	for name in lan c "${servers[@]}"; do
		sysctls "$name" ipv6/conf/default/disable_ipv6=1
	done
	ip -n lan link add br0 up type bridge mcast_snooping 0
	join d out
	ip -n d -batch - <<-END
		link set lo up
		address add ${lan[v4]}9/24 dev out
		address add ${lan[v6]}9/64 dev out nodad
	END
	for name in "${servers[@]}"; do
		join "$name" eth0
		silent "$name" eth0
		for family in v4 v6; do
			ip -n d neighbour add "${lan[$family]}${number[$name]}" lladdr "$(mac "$name")" dev out nud permanent
		done
	done
	ip link add eth0 netns c type veth peer name in netns d address "$(mac d)"
	ip -n c link set eth0 up
	ip -n d link set in up
	sysctls d ipv4/ip_forward=1 ipv6/conf/all/forwarding=1
	for family in v4 v6; do
		ip -n d route add "${ghost[$family]}" via "${lan[$family]}1"
		ip -n d route add "${other[$family]}" via "${lan[$family]}2"
	done
}

# has_ghost add|del: d as a host with $family's ghost.
has_ghost() {
	local length=32

	[[ $family == v4 ]] || length=128
	ip -n d address "$1" "${ghost[$family]}/$length" dev lo
}
