#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# `onehopctl check` names each trap: made here, it is found; with all of them undone
# again, all is as before.
#
#	r == lan == d1: dispatcher, s1: server without the module (as s2, s3)
#	         |
#	         s4: server of the same pool in mode broadcast
#
# first is the namespace with the neighbour tables' limits. No device here can do
# LRO: that one is left to the tool's own tests.
#
# Traps are run by a shell in the host, which has the variables exported.
# shellcheck disable=SC2016
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 35
dispatchers=(d1)
bed_up
devices='"eth0"'
conf >"$scratch/router.conf"
conf 'mode = "broadcast"' >"$scratch/broadcast.conf"
conf 'mode = "broadcast"' 'shape = "multicast"' >"$scratch/multicast.conf"
devices='"eth9"' conf 'mode = "broadcast"' >"$scratch/absent.conf"
devices='' conf 'mode = "broadcast"' >"$scratch/unnamed.conf"
export scratch ghost4 ghost6
# A plain server knows its pool from a file.
declare -A arguments=([d1]='' [s1]="--config $scratch/router.conf" [s4]='' [first]='')
ip netns attach first $$
namespaces+=(first)

# check HOST [ARGS...]: findings as "severity name", and the exit code.
check() {
	local rc=0 file=${arguments[$1]}

	[[ " ${*:2}" != *--config* ]] || file=''
	# shellcheck disable=SC2086 # words
	ctl "$1" -j check $file "${@:2}" >"$scratch/findings" || rc=$?
	jq -r '.[] | "\(.severity) \(.name)"' "$scratch/findings" | sort -u
	echo "exit $rc"
}

clean() {
	module_load
	ctl d1 apply "$scratch/router.conf"
	ctl s4 apply "$scratch/broadcast.conf"
	sed '/^devices/d' "$scratch/router.conf" | ctl first apply -
	check first >"$scratch/clean.first"
	for host in d1 s1 s4; do
		check "$host" >"$scratch/clean.$host"
		refuses grep problem "$scratch/clean.$host"
		grep -x 'exit 0' "$scratch/clean.$host"
	done
}

# The tool that finds nothing where there is nothing would find nothing anywhere.
nothing_loaded() {
	equal "exit code without the module" "$(check d1 | tail -n 1)" "exit 3"
}

# The module looks up its ways a moment after routes have changed: not all is there at once.
found() {
	local rc=0

	refuses grep -x "$severity $name" "$scratch/clean.$host"
	at "$host" bash -ec "$made"
	poll_until 10 is_found || rc=$?
	at "$host" bash -ec "$undone"
	((rc == 0)) || fail "$(<"$scratch/seen")"
	jq -e --arg name "$name" '.[] | select(.name == $name) | (.subject | length > 0) and (.fix | length > 0)' "$scratch/findings"
}

is_found() {
	check "$host" "${more[@]}" >"$scratch/seen"
	grep -x "$severity $name" "$scratch/seen" || return
	[[ $severity == hint ]] || grep -x 'exit 1' "$scratch/seen"
}

# After all of a host's traps.
as_before() {
	poll_until 10 is_as_before
}

is_as_before() {
	check "$host" >"$scratch/seen"
	diff "$scratch/clean.$host" "$scratch/seen"
}

# Not a trap yet, but for whoever unloads: as long as there is a ghost.
told_how_to_leave() {
	grep -x 'hint unload-order' "$scratch/clean.s4"
	ip -n s4 address del $ghost4/32 dev lo
	ip -n s4 address del $ghost6/128 dev lo
	check s4 >"$scratch/seen"
	ip -n s4 address add $ghost4/32 dev lo
	ip -n s4 address add $ghost6/128 dev lo
	refuses grep unload-order "$scratch/seen"
}

# trap_at HOST SEVERITY NAME MADE UNDONE [ARGUMENT...]
trap_at() {
	host=$1 severity=$2 name=$3 made=$4 undone=$5 more=("${@:6}")
	run_case "$host: $name" found
}

# shellcheck disable=SC2034 # traps of both
family=dual
run_case "control: without the module" nothing_loaded
run_case "no trap, no problem" clean

again='onehopctl apply $scratch/router.conf'
trap_at d1 problem no-pool 'echo -n | onehopctl apply -' "$again"
trap_at d1 problem disabled 'sysctl -w net.onehop.enabled=0' 'sysctl -w net.onehop.enabled=1'
trap_at d1 problem device-absent 'sed s/eth0/eth9/ $scratch/router.conf | onehopctl apply -' "$again"
trap_at d1 hint device-down 'ip link add eth9 type dummy; sed s/eth0/eth9/ $scratch/router.conf | onehopctl apply -' \
	"$again; ip link del eth9"
trap_at d1 problem device-port 'ip link add br9 type bridge; ip link add eth9 up master br9 type dummy
	sed s/eth0/eth9/ $scratch/router.conf | onehopctl apply -' "$again; ip link del eth9; ip link del br9"
trap_at d1 problem mtu-smaller 'ip link add big mtu 9000 up type dummy; ip route replace default dev big' \
	'ip link del big; ip route replace default via 10.0.0.254'
trap_at d1 problem mtu-route 'ip route add 10.0.0.2/32 dev eth0 mtu 1300' 'ip route del 10.0.0.2/32 dev eth0'
trap_at d1 problem server-unreachable 'ip route add blackhole 10.0.0.2/32' 'ip route del blackhole 10.0.0.2/32'
trap_at d1 problem digest-differs : : --peer-digest s3=0123456789abcdef
trap_at d1 hint local-out 'ip route del default via 10.0.0.254' 'ip route add default via 10.0.0.254'
trap_at d1 hint answer-off 'ip address add 192.0.2.1/24 dev eth0' 'ip address del 192.0.2.1/24 dev eth0'
trap_at d1 hint rp-filter-own 'ip link add up9 up type dummy; ip route add $ghost4 dev up9; sysctl -w net.ipv4.conf.eth0.rp_filter=1' \
	'sysctl -w net.ipv4.conf.eth0.rp_filter=0; ip link del up9'
run_case "d1: all as before" as_before

trap_at s1 problem ghost-missing 'ip address del $ghost4/32 dev lo' 'ip address add $ghost4/32 dev lo'
trap_at s1 problem arp-ignore 'sysctl -w net.ipv4.conf.all.arp_ignore=0' 'sysctl -w net.ipv4.conf.all.arp_ignore=1'
trap_at s1 problem arp-announce 'sysctl -w net.ipv4.conf.all.arp_announce=0' 'sysctl -w net.ipv4.conf.all.arp_announce=2'
trap_at s1 problem nd-leak 'ip address add $ghost6/128 dev eth0' 'ip address del $ghost6/128 dev eth0'
trap_at s1 problem ghost-as-source 'ip route replace 10.0.0.0/24 dev eth0 src $ghost4' \
	'ip route replace 10.0.0.0/24 dev eth0 proto kernel scope link src 10.0.0.1'
trap_at s1 problem rp-filter 'ip link add up9 up type dummy; ip route replace default dev up9; sysctl -w net.ipv4.conf.eth0.rp_filter=1' \
	'sysctl -w net.ipv4.conf.eth0.rp_filter=0; ip link del up9; ip route replace default via 10.0.0.254'
trap_at s1 problem module-off : : --config "$scratch/broadcast.conf"
run_case "s1: all as before" as_before

again='onehopctl apply $scratch/broadcast.conf'
trap_at s4 hint not-applied : : --config "$scratch/router.conf"
trap_at s4 problem not-a-server 'sed s/10.0.0.4/10.0.0.44/\;s/2001:db8::4/2001:db8::44/ $scratch/broadcast.conf | onehopctl apply -' "$again"
trap_at s4 hint late-drop 'onehopctl apply $scratch/unnamed.conf' "$again"
trap_at s4 problem drop-unicast 'onehopctl apply $scratch/unnamed.conf; sysctl -w net.ipv6.conf.eth0.drop_unicast_in_l2_multicast=1' \
	"sysctl -w net.ipv6.conf.eth0.drop_unicast_in_l2_multicast=0; $again"
trap_at s4 problem device-unnamed 'sed s/eth0/lo9/ $scratch/multicast.conf | onehopctl apply -' "$again"
trap_at s4 problem device-vlan-parent 'ip link add link eth0 name eth0.9 up type vlan id 9
	ip address flush dev eth0 scope global; ip address add 10.0.0.4/24 dev eth0.9; ip address add 2001:db8::4/64 dev eth0.9' \
	'ip link del eth0.9; ip address add 10.0.0.4/24 dev eth0; ip address add 2001:db8::4/64 dev eth0
	ip route add default via 10.0.0.254; ip route replace default via 2001:db8::254'
trap_at s4 problem snooping 'ip link add br9 up type bridge mcast_snooping 1 mcast_querier 1; onehopctl apply $scratch/multicast.conf' \
	"ip link del br9; $again"
trap_at s4 problem ghost-missing 'ip address del $ghost6/128 dev lo' 'ip address add $ghost6/128 dev lo'
run_case "s4: all as before" as_before
run_case "s4: unload-order" told_how_to_leave

trap_at first problem neighbour-table 'sysctl -w net.ipv4.neigh.default.gc_thresh3=2' 'sysctl -w net.ipv4.neigh.default.gc_thresh3=1024'
run_case "first: all as before" as_before
finish
