#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode broadcast in the paper's shape: r puts every packet for the ghost on the
# lan as an Ethernet broadcast, and its owner alone keeps it.
#
#	cm (64 addresses) -- r == lan == s1 .. s4, all with the module
#	                            |
#	          ghost via ghost1, which is at ff:ff:ff:ff:ff:ff
#
# d1 is there for the case in which the pool has another mode before.
mode=broadcast
families="ipv4 ipv6"
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "$0")")/answers.sh"

plan 21
dispatchers=(d1)
devices='"eth0"'
bed_up cm
services s1 s2 s3 s4

# Without the module TCP is refused in a broadcast frame, and all answer a ping:
# what the cases to come would see if the filter let pass too little or too much.
nobody_or_all() {
	limit=1 probe "${many[@]:0:4}"
	equal "answers to ping" "$(grep -c ' ping ' "$scratch/replies")" 16
	refuses grep -q ' accepted ' "$scratch/replies"
}

each_has_one_answer() {
	configure "${servers[@]}"
	one_answer_each s1
	equal "servers in use" "$(awk '{ print $3 }' "$scratch/replies" | sort -u | wc -l)" 4
}

# counts FILE: all counters of all servers.
counts() {
	local name
	for name in "${servers[@]}"; do
		ctl "$name" stats
	done >"$1"
}

# grown NAME: how much it has grown on each server, from the one FILE of counts to
# the other.
grown() {
	paste "$scratch/now" "$scratch/before" | awk -v name="$1" '$1 == name { print $2 - $4 }'
}

# seen_by_all N: since before.
seen_by_all() {
	counts "$scratch/now"
	[[ $(grown seen | sort -u) == "$1" ]]
}

# 128 packets, each seen by all four, kept by one and dropped by three.
counters_are_exact() {
	local sources
	sources=$(printf ',%s' "${many[@]:0:16}")
	counts "$scratch/before"
	at cm "$selftests/$raw" "${sources#,}" "$ghost" --ports 8
	poll_until 5 seen_by_all 128
	equal "kept" "$(grown local | paste -sd+ | bc)" 128
	equal "left to others" "$(grown drop_not_owner | paste -sd+ | bc)" 384
	exact s1
}

# The same clients have the same servers under another mode.
switched_from_router_mode() {
	local name
	conf 'mode = "router"' >"$scratch/router.conf"
	for name in d1 "${servers[@]}"; do
		ctl "$name" apply "$scratch/router.conf"
	done
	via d1
	equal "digest" "$(ctl s1 -j show | jq -r .digest)" "$(ctl d1 -j show | jq -r .digest)"
	who "${many[@]}" >"$scratch/by_router"
	echo -n | ctl d1 apply -
	configure "${servers[@]}"
	to_all
	who "${many[@]}" | diff "$scratch/by_router" -
	owner s1 "${many[@]}" | diff "$scratch/by_router" -
}

# stack_sees NAME: of 20 packets that are not its own, how many its stack counts.
stack_sees() {
	local client before dropped received=IpInReceives
	[[ $family == ipv4 ]] || received=Ip6InReceives
	client=$(client_of s1 "$(printf '%s\n' "${servers[@]}" | grep -vxm 1 "$1")")
	before=$(snmp "$1" $received)
	dropped=$(counter "$1" drop_not_owner)
	at cm "$selftests/$raw" "$client" "$ghost" --ports 20
	poll_until 5 counted "$1" drop_not_owner $((dropped + 20))
	echo $(($(snmp "$1" $received) - before))
}

# dropped_early NAME: none got further than the device. A neighbour's question may be among them.
dropped_early() {
	(($(stack_sees "$1") < 20))
}

the_same_without_devices() {
	dropped_early s2
	devices='' configure "${servers[@]}"
	refuses dropped_early s2
	one_answer_each s1 "${many[@]:0:8}"
	configure "${servers[@]}"
}

# bound NAME DEVICE: is it hooked?
bound() {
	ctl "$1" -j show | jq -e --arg name "$2" '.devices[] | select(.name == $name) | .index'
}

device_comes_and_goes() {
	devices='"lan0"' configure s2
	refuses bound s2 lan0
	ctl s2 show | grep lan0
	refuses dropped_early s2
	ip -n s2 link add lan0 type dummy
	poll_until 5 bound s2 lan0
	ip -n s2 link del lan0
	poll_until 5 refuses bound s2 lan0
	ip -n s2 link set eth0 name lan0
	poll_until 5 bound s2 lan0
	dropped_early s2
	one_answer_each s1 "${many[@]:0:4}"
	ip -n s2 link set lan0 name eth0
	poll_until 5 refuses bound s2 lan0
	refuses dropped_early s2
	configure s2
	dropped_early s2
	one_answer_each s1 "${many[@]:0:4}"
}

bodies() {
	local client=${many[0]} name
	name=$(owner s1 "$client")
	rm -f "$scratch/$name/www/up/body"
	fetch cm --interface "$client" -o "$scratch/down" "$url/big"
	cmp "$scratch/big" "$scratch/down"
	fetch cm --interface "$client" -T "$scratch/big" "$url/up/body"
	cmp "$scratch/big" "$scratch/$name/www/up/body"
	exact "$name"
}

small_link_to_the_client() {
	small_link_to "${many[1]}"
}

fragments() {
	fragments_of "${many[2]}"
}

a_server_is_down() {
	owner s1 "${many[@]}" >"$scratch/before"
	to_each down s2
	one_answer_each s1 "${many[@]:0:16}"
	refuses grep -q ' s2$' "$scratch/replies"
	equal "moved from others" "$(owner s3 "${many[@]}" | paste - "$scratch/before" | awk '$2 != "s2" && $1 != $2' | wc -l)" 0
	to_each up s2
}

nobody_lives() {
	local before
	before=$(counter s3 drop_no_server)
	sed '/^\[pool.web.server/a admin = "down"' "$scratch/onehop.conf" >"$scratch/down.conf"
	to_each apply "$scratch/down.conf"
	limit=1 probe "${many[0]}"
	equal "answers" "$(wc -l <"$scratch/replies")" 0
	counted s3 drop_no_server $((before + 5))
	to_each apply "$scratch/onehop.conf"
	exact s3
}

# A frame to one server alone, as from a host that has learnt its link address.
sent_to_one() {
	local client
	client=$(client_of s1 s2)
	ip -n r route replace "$ghost" via "$(address s1)"
	limit=1 probe "$client"
	equal "answers to s2's client" "$(wc -l <"$scratch/replies")" 0
	one_answer_each s1 "$(client_of s1 s1)"
	to_all
}

# An error that quotes a packet of somebody else's goes to no server's stack.
not_dispatched() {
	local quoted=198.51.100.7
	[[ $family == ipv4 ]] || quoted=2001:db8:99::7
	counts "$scratch/before"
	at cm "$selftests/$raw" "${many[0]}" "$ghost" --quote "$quoted,${many[0]}"
	poll_until 5 seen_by_all 1
	equal "dropped" "$(grown drop_not_dispatched | sort -u)" 1
}

without_the_ghost() {
	local name=s2 before
	ip -n $name address del "$ghost/32" dev lo
	before=$(counter $name drop_not_local)
	at cm "$selftests/$raw" "$(client_of s1 $name)" "$ghost"
	poll_until 5 counted $name drop_not_local $((before + 1))
	exact $name
	ip -n $name address add "$ghost" dev lo
}

run_case "control: without the module nobody, or all, answer" nobody_or_all
for each in $families; do
	use "$each"
	run_case "64 clients, each with one answer by the owner" each_has_one_answer
	run_case "counters are exact" counters_are_exact
	run_case "small link to the client, 10 MB arrive" small_link_to_the_client
	run_case "4 kB datagrams, whole and on one server" fragments
	run_case "a frame to one server is kept by the owner only" sent_to_one
	run_case "what is not dispatched is dropped" not_dispatched
	run_case "the same without devices" the_same_without_devices
done
use ipv4
run_case "as in router mode before" switched_from_router_mode
run_case "10 MB both ways" bodies
run_case "a server is down" a_server_is_down
run_case "nobody lives" nobody_lives
run_case "a server without the ghost drops" without_the_ghost
run_case "a device is renamed, comes and goes" device_comes_and_goes
finish
