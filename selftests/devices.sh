#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the configuration binds to a device, its hook and the groups that it
# listens to, comes and goes with it, under traffic:
#
#	y == eth0 x		x is a member, of shape multicast or igmp
#
# A reference that is kept by mistake shows in the console, which the run reads:
# "waiting for eth0 to become free".
mode=broadcast
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

plan 9
ghost=192.0.2.80

# conf SHAPE [DEVICES]
conf() {
	cat <<-END
		devices = [${2-"\"eth0\", \"eth1\""}]
		[pool.web]
		mode = "broadcast"
		shape = "$1"
		seed = "000102030405060708090a0b0c0d0e0f"
		ghosts = ["$ghost", "2001:db8:80::80"]
		[pool.web.server.s1]
		id = 1
		address = "10.0.0.1"
	END
}

hosts() {
	namespace x y
	ip -n x link set lo up
	ip -n x address add $ghost/32 dev lo
}

# cable: between x and y; what was there before is gone.
cable() {
	ip -n x link add eth0 type veth peer name eth0 netns y
	ip -n x -batch - <<-END
		link set eth0 up
		address add 10.0.0.1/24 dev eth0
	END
	ip -n y -batch - <<-END
		link set eth0 up
		address add 10.0.0.9/24 dev eth0
		route add $ghost dev eth0
	END
}

answers() {
	at y ping -c 1 -W 1 $ghost
}

# listens GROUP...: to all of these, and nothing else of ours.
listens() {
	local seen

	ip -n x maddr show dev eth0 >"$scratch/groups"
	{ grep -oE '03:bf:.*|01:00:5e:7f:.*|33:33:00:00:00:80|239[.].*|ff15::.*|ff02::1:ff00:80' "$scratch/groups" || :; } |
		sort | diff <(printf '%s\n' "$@" | sort | sed '/^$/d') -
}

bound() {
	equal "$1 is bound" "$(ctl x -j show | jq ".devices[] | select(.name == \"$1\") | .index != null")" "$2"
}

# flood: bounded, until the case ends.
flood() {
	start "$scratch/flood" y ping -f -c 20000 $ghost
	poll_until 5 dropped_or_kept
}

dropped_or_kept() {
	(($(counter x seen) > seen))
}

without_the_module() {
	hosts
	cable
	# It would be answered on the link address that y has to ask for.
	poll_until 5 answers
	ip -n y neigh show $ghost | grep -v 03:bf
	ip -n x link del eth0
}

bound_when_it_appears() {
	module_load
	conf multicast | ctl x apply -
	bound eth0 false
	cable
	bound eth0 true
	poll_until 5 answers
	ip -n y neigh show $ghost | grep 03:bf:c0:00:02:50
	poll_until 2 listens 03:bf:c0:00:02:50 03:bf:00:00:00:80 ff02::1:ff00:80
}

another_shape() {
	conf igmp | ctl x apply -
	listens 01:00:5e:7f:02:50 33:33:00:00:00:80 239.255.2.80 ff15::80 ff02::1:ff00:80
	conf broadcast | ctl x apply -
	listens
	conf multicast | ctl x apply -
}

too_small_for_ipv6() {
	ip -n x link set eth0 mtu 1000
	listens 03:bf:c0:00:02:50 03:bf:00:00:00:80
	ip -n x link set eth0 mtu 1500
	ip -n x link set eth0 down
	ip -n x link set eth0 up
	poll_until 2 listens 03:bf:c0:00:02:50 03:bf:00:00:00:80 ff02::1:ff00:80
}

# Each way for a device to go, in the middle of traffic.
goes() {
	local way
	for way in "del" "set name eth9" "set netns y name eth9"; do
		[[ $(ip -n x link) == *eth0* ]] || cable
		poll_until 5 answers
		seen=$(counter x seen)
		flood
		# shellcheck disable=SC2086 # words
		ip -n x link ${way%% *} eth0 ${way#"${way%% *}"}
		bound eth0 false
		stop "${started[@]}"
		started=()
		exact x
		ip -n x link del eth9 2>/dev/null || ip -n y link del eth9 2>/dev/null || :
	done
}

unloaded() {
	cable
	poll_until 5 answers
	seen=$(counter x seen)
	flood
	module_unload
	listens
	module_load
	conf igmp | ctl x apply -
	poll_until 5 answers
}

emptied() {
	seen=$(counter x seen)
	flood
	ctl x apply /dev/null
	listens
	conf multicast | ctl x apply -
}

# A member in a VRF: each packet is shown twice there, and counted once.
in_a_vrf() {
	local before names

	for names in '"eth0"' ''; do
		conf broadcast "$names" | ctl x apply -
		[[ -n $(ip -n x link show vrf1 2>/dev/null) ]] || {
			ip -n x link add vrf1 up type vrf table 100
			ip -n x link set eth0 master vrf1
			ip -n x address replace 10.0.0.1/24 dev eth0
			ip -n x address del $ghost/32 dev lo
			ip -n x address add $ghost/32 dev vrf1
			ip -n y neigh replace $ghost lladdr ff:ff:ff:ff:ff:ff dev eth0 nud permanent
		}
		poll_until 5 answers
		before=$(counter x seen)
		at y ping -c 3 -i 0.2 -W 1 $ghost
		equal "seen" "$(counter x seen)" $((before + 3))
		exact x
	done
	ip -n y neigh del $ghost dev eth0
	ip -n x link del vrf1
	ip -n x address add $ghost/32 dev lo
	ip -n x address replace 10.0.0.1/24 dev eth0
	conf multicast | ctl x apply -
}

# The device goes with the namespace, or the other way round.
namespace_goes() {
	local end

	seen=$(counter x seen)
	flood
	ip netns del x
	poll_until 10 gone
	end=$SECONDS
	module_unload
	((SECONDS - end < 5))
}

gone() {
	! ip -n y link show eth0
}

run_case "control: without the module" without_the_module
run_case "bound when it appears" bound_when_it_appears
run_case "its groups follow the shape" another_shape
run_case "an MTU that IPv6 cannot use" too_small_for_ipv6
run_case "deleted, renamed, moved away" goes
run_case "the module goes and comes" unloaded
run_case "an empty configuration lets go" emptied
run_case "in a VRF" in_a_vrf
run_case "its namespace goes" namespace_goes
finish
