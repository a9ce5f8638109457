#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# br_netfilter shows the IP hooks frames that a bridge handles, once. Those for
# the bridge device itself are the dispatcher's own, and are not shown again;
# those that pass between two other hosts are nobody's business.
#
#	c1 -- r == lan == s1 .. s4, and d1:	eth0 is a port of d1's own bridge br1,
#						which has the address; beyond it, on
#						port p0, lies x:
#		lan == eth0 [br1 .11] p0 == x
#
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 3
bed_up c1
web s1 s2 s3 s4
namespace x
modprobe br_netfilter
ip -n d1 -batch - <<-END
	address flush dev eth0
	link add br1 address $(mac d1) type bridge mcast_snooping 0
	link set eth0 master br1
	link add p0 type veth peer name eth0 netns x
	link set p0 master br1 up
	link set br1 up
	address add 10.0.0.11/24 dev br1
	route add default via 10.0.0.254
END
ip -n x -batch - <<-END
	link set lo up
	address add 10.0.0.30/24 dev eth0
	address add $ghost/32 dev lo
	link set eth0 up
	route add default via 10.0.0.254
END
at d1 sysctl -qw net.bridge.bridge-nf-call-iptables=1

nobody_dispatches() {
	poll_until 10 at r ping -c 1 -W 1 10.0.0.11
	refuses fetch c1 -m 2 "http://$ghost/name"
}

for_the_bridge_itself() {
	local owner

	configure d1
	owner=$(ctl d1 lookup 10.1.1.2 | cut -d' ' -f1)
	equal "server" "$(fetch c1 "http://$ghost/name")" "$owner"
	(($(counter d1 handed) > 0)) || fail "d1 has handed nothing over"
	exact d1
}

# r sends to x, a host of its own on d1's bridge: d1 only passes the frames on.
passing_by() {
	local before

	before=$(counter d1 seen)
	ip -n r route replace "$ghost" via 10.0.0.30
	at c1 ping -c 3 -i 0.2 -W 2 "$ghost"
	equal "seen by d1" "$(counter d1 seen)" "$before"
	via d1
}

run_case "control: without the module nobody serves" nobody_dispatches
run_case "frames for the bridge itself are dispatched" for_the_bridge_itself
run_case "frames that pass the bridge are left alone" passing_by
finish
