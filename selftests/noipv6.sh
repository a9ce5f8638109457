#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A host that was booted without IPv6 gets the same file as all others: its IPv6
# addresses and ghosts are of no use there, and do no harm.
#
#	x, with eth0 and the address of s1
#
# In a boot of its own, with ipv6.disable=1.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

plan 4

conf() {
	cat <<-END
		devices = ["eth0"]
		[pool.web]
		mode = "$1"
		$([[ $1 != broadcast ]] || echo 'shape = "multicast"')
		seed = "000102030405060708090a0b0c0d0e0f"
		ghosts = ["192.0.2.80", "2001:db8:80::80"]
		[pool.web.server.s1]
		id = 1
		address = "10.0.0.1"
		address6 = "2001:db8::1"
		[pool.web.server.s2]
		id = 2
		address = "10.0.0.2"
		address6 = "2001:db8::2"
	END
}

# As it is meant, or what follows would show nothing.
host_has_none() {
	[[ ! -e /proc/sys/net/ipv6 ]]
	namespace x
	ip -n x -batch - <<-END
		link set lo up
		link add eth0 type dummy
		link set eth0 up
		address add 10.0.0.1/24 dev eth0
		address add 192.0.2.80/32 dev lo
	END
	refuses ip -n x address add 2001:db8::1/64 dev eth0
}

# reach NAME: of both addresses of a server.
reach() {
	ctl x -j show | jq -r ".pools[0].servers[] | select(.name == \"$1\") | .reach + \" \" + .reach6"
}

applied() {
	module_load
	conf "$mode" | ctl x apply -
	ctl x answer on
	# What the work items do is done when this has been told of.
	ip -n x link set eth0 down
	ip -n x link set eth0 up
	poll_until 5 test "$(reach s1)" = "$1"
	equal "s2" "$(reach s2)" "$2"
	ctl x lookup 10.9.0.1 2001:db8:9::1
	at x ping -c 1 -W 1 10.0.0.2 || :
	exact x
}

router() {
	applied "local unreachable" "link unreachable"
}

broadcast() {
	mode=broadcast applied "local local" "link unreachable"
}

unloaded() {
	mode=peer applied "local unreachable" "link unreachable"
	module_unload
}

run_case "control: the host has no IPv6" host_has_none
run_case "router mode" router
run_case "mode broadcast" broadcast
run_case "mode peer, and unloaded" unloaded
finish
