#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Whatever is between a host and the wire, the verdict is the same: each client
# of cm has one answer, by the owner. The settings are made one by one (settings.sh)
# at the dispatcher, or in mode broadcast (wire-broadcast.sh) at one of the servers.
#
#	cm -- r == lan == d1, or s2: bond, VLAN, bridge, ...
#	           |
#	           +== s1 .. s4
families="ipv4 ipv6"
# shellcheck source=settings.sh
. "$(dirname "$(readlink -f "$0")")/settings.sh"

plan "$([[ $mode == router ]] && echo 14 || echo 13)"
bed_up cm
join l1
services "${servers[@]}"
host=d1
[[ $mode == router ]] || host=s2
conf >"$scratch/onehop.conf"
for each in $families; do
	use "$each"
	owners file "${many[@]:0:3}" >"$scratch/expected.$each"
done
use ipv4
lan=(r "${dispatchers[@]}" "${servers[@]}")

# way: r's to the ghost.
way() {
	if [[ $mode == router ]]; then
		via d1
	else
		to_all "${uplink-eth0}"
	fi
}

# apply DEVICE HOST...: this device is the one on the lan; "" names none.
apply() {
	devices=${1:+"\"$1\""}
	configure "${@:2}"
}

# ready: the host has found the ways to the servers, and its devices.
ready() {
	ctl $host -j show | jq -e '[.pools[].servers[] | .reach, .reach6 | . == "link" or . == "local"] +
		[.devices[].index != null] | all'
}

# reaches HOST: a device that is new may need a moment.
reaches() {
	at r ping -c 1 -W 1 "$(address "$1" ipv4)"
}

# verdict: of a few clients in each family. Steps are chained, as it is a condition, too.
verdict() {
	local each

	poll_until 10 ready || return
	poll_until 10 reaches $host || return
	for each in $families; do
		use "$each"
		probe "${many[@]:0:3}" || return
		diff "$scratch/expected.$each" "$scratch/replies" || return
	done
	exact $host
}

without_module_it_is_another() {
	limit=1 probe "${many[@]:0:3}"
	refuses diff "$scratch/expected.ipv4" "$scratch/replies"
}

as_it_is() {
	apply eth0 $host
	[[ $mode == router ]] || apply eth0 "${servers[@]}"
	verdict
}

# in_place SETTING DEVICE: the verdict while the host has the setting, which makes
# DEVICE the one on the lan.
in_place() {
	local rc=0

	"with_$1" $host
	[[ $2 == eth0 ]] || apply "$2" $host
	verdict || rc=$?
	"without_$1" $host
	[[ $2 == eth0 ]] || apply eth0 $host
	return $rc
}

tapped() {
	in_place tapped eth0
}

conntrack() {
	in_place conntrack eth0
}

strict() {
	in_place strict eth0
}

loose() {
	in_place loose eth0
}

bond() {
	in_place bond bond0
}

# br_netfilter shows frames where they enter the bridge only. With the bridge among
# the devices or not, each is decided on, and counted, where it is for the host.
bridge() {
	local rc=0 device before

	with_bridge $host
	for device in br1 ""; do
		apply "$device" $host
		before=$(counter $host seen)
		verdict || rc=$?
		(($(counter $host seen) >= before + 15)) || rc=1
	done
	without_bridge $host
	apply eth0 $host
	return $rc
}

# The whole lan; r has no module.
vlan() {
	local uplink=eth0.10 rc=0 name

	for name in "${lan[@]}"; do
		with_vlan "$name"
	done
	way
	apply eth0.10 $host
	[[ $mode == router ]] || apply eth0.10 "${servers[@]}"
	verdict || rc=$?
	for name in "${lan[@]}"; do
		without_vlan "$name"
	done
	unset uplink
	way
	apply eth0 $host
	[[ $mode == router ]] || apply eth0 "${servers[@]}"
	return $rc
}

# The ghost's packets come in by a VRF's device, beside the lan; each counts once.
vrf() {
	local before rc=0

	ip link add beside netns d1 type veth peer name beside netns r
	{
		echo "link add vrf1 up type vrf table 100"
		echo "link set beside master vrf1 up"
		echo "address add 10.0.8.11/24 dev beside"
		echo "address add 2001:db8:8::11/64 dev beside"
	} | ip -n d1 -batch -
	{
		echo "link set beside up"
		echo "address add 10.0.8.254/24 dev beside"
		echo "address add 2001:db8:8::254/64 dev beside"
		echo "route replace $ghost4 via 10.0.8.11"
		echo "route replace $ghost6 via 2001:db8:8::11"
	} | ip -n r -batch -
	verdict || rc=$?
	before=$(counter d1 seen)
	at cm ping -c 5 -i 0.05 -W 2 $ghost4 || rc=$?
	at cm ping -c 5 -i 0.05 -W 2 $ghost6 || rc=$?
	equal "seen" "$(counter d1 seen)" $((before + 10)) || rc=$?
	ip -n d1 link del beside
	ip -n d1 link del vrf1
	way
	return $rc
}

# 9000 bytes everywhere: one frame of 8 kB each way.
jumbo() {
	local name each

	for name in "${lan[@]}"; do
		with_jumbo "$name"
	done
	for each in $families; do
		use "$each"
		capture "$scratch/jumbo" r eth0 "src host $ghost"
		at r ping -M "do" -s 8000 -c 3 -i 0.1 -W 2 "$ghost"
		equal "frames of 8 kB" "$(frames "$scratch/jumbo" | grep -c 'length 80[0-9]*:.* echo reply')" 3
	done
	for name in "${lan[@]}"; do
		without_jumbo "$name"
	done
}

# answered_by_owners COUNT WORDS...: these words make so many raw packets of each
# of three clients, for which nobody has a use: the owner says so to each.
answered_by_owners() {
	local count=$1 each client sources more

	shift

	for each in $families; do
		use "$each"
		more=("$@")
		[[ $each$1 != ipv6--options ]] || more=(--extensions "hop,destination")
		capture "$scratch/raw" r eth0 "src host $ghost"
		sources=$(printf ',%s' "${many[@]:0:3}")
		at cm "$selftests/$raw" "${sources#,}" "$ghost" "${more[@]}"
		at r ping -c 1 -W 2 "$ghost" >/dev/null
		frames "$scratch/raw" | awk '/ unreachable|parameter problem/ { sub(/:$/, "", $12); print $12, "s" (substr($2, 16) + 0) }' |
			sort | uniq -c | awk '{ print $2, $3, $1 }' >"$scratch/seen"
		for client in "${many[@]:0:3}"; do
			echo "$client $(owner $host "$client") $count"
		done | sort | diff - "$scratch/seen"
	done
}

# SCTP, GRE, ESP, and a number nobody uses.
other_protocols() {
	answered_by_owners 4 --protocol 132,47,50,253
}

header_options() {
	answered_by_owners 1 --options 01010144080500000000000000
}

heard() {
	at $host nft list table netdev wire | grep -q 'counter packets 20 '
}

# Frames of another kind get past the hooks at the device.
other_frames() {
	local before

	before=$(ctl $host stats)
	at $host nft -f - <<-END
		table netdev wire {
			chain late {
				type filter hook ingress device "eth0" priority 500; policy accept;
				ether type 0x88b5 counter
			}
		}
	END
	at l1 "$selftests/link.py" eth0 frame,0x88b5,x10 "frame,0x88b5,x10,@$(mac $host)"
	poll_until 5 heard
	equal "counters" "$(ctl $host stats)" "$before"
	at $host nft delete table netdev wire
}

# shellcheck disable=SC2034 # each case is about both
family=dual
run_case "control: without the module it is another" without_module_it_is_another
run_case "as it is" as_it_is
run_case "with tcpdump, fq, and no GRO" tapped
run_case "with conntrack and nft" conntrack
run_case "with rp_filter=1" strict
run_case "with rp_filter=2 and drop_unicast_in_l2_multicast=1" loose
run_case "in a bond" bond
run_case "as a bridge's port, br_netfilter looking on" bridge
run_case "on a VLAN" vlan
run_case "jumbo frames" jumbo
run_case "other protocols" other_protocols
run_case "IP options and extension headers" header_options
run_case "frames that are not IP" other_frames
[[ $mode != router ]] || run_case "in by a VRF" vrf
finish
