#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who serves whom. 64 client addresses fetch from the ghost (bed R, see bed.sh):
#
#	cm (64 addresses) -- r == lan == d1: lookup says who
#	                         |
#	                         +== s1 .. s4: nginx says who
#
# What the tool predicts, what the servers say and what the wire shows must be
# the same, for both kinds and with weights; bodies arrive exactly.
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 9
bed_up cm
web s1 s2 s3 s4

without_module_nobody_serves() {
	refuses fetch cm -m 2 "http://$ghost/name"
}

# predicted_is_served: every client by the server that lookup names.
predicted_is_served() {
	who "${many[@]}" >"$scratch/served"
	owner d1 "${many[@]}" >"$scratch/predicted"
	equal "answers" "$(wc -l <"$scratch/served")" 64
	diff "$scratch/predicted" "$scratch/served"
	exact d1
}

each_by_the_predicted() {
	configure d1
	predicted_is_served
	equal "servers in use" "$(sort -u "$scratch/served" | wc -l)" 4
	note "clients of s1..s4: $(sort "$scratch/served" | uniq -c | awk '{ printf "%s ", $1 }')"
}

another_seed_predicts_otherwise() {
	conf 'seed = "ffffffffffffffffffffffffffffffff"' >"$scratch/other.conf"
	who "${many[@]}" >"$scratch/served"
	"$ONEHOPCTL" lookup --offline "$scratch/other.conf" "${many[@]}" | awk '{ print $1 }' >"$scratch/other"
	equal "predictions" "$(wc -l <"$scratch/other")" 64
	refuses cmp -s "$scratch/other" "$scratch/served"
}

one_server_per_client_on_the_wire() {
	capture "$scratch/replies" r eth0 "src host $ghost and tcp"
	who "${many[@]}" >"$scratch/served"
	frames "$scratch/replies" |
		awk '{ sub(/\.[0-9]+:$/, "", $12); print $12, $2 }' | sort -u >"$scratch/pairs"
	equal "clients answered" "$(cut -d' ' -f1 "$scratch/pairs" | sort -u | wc -l)" 64
	equal "pairs of client and server" "$(wc -l <"$scratch/pairs")" 64
	paste -d' ' <(printf '%s\n' "${many[@]}") "$scratch/served" | sort >"$scratch/said"
	while read -r client mac; do
		echo "$client $(server_of "$mac")"
	done <"$scratch/pairs" | sort >"$scratch/seen"
	diff "$scratch/said" "$scratch/seen"
}

# bodies: 10 MB each way for one client of each server.
bodies() {
	local name client

	owner d1 "${many[@]}" | paste -d' ' - <(printf '%s\n' "${many[@]}") >"$scratch/owners"
	for name in "${servers[@]}"; do
		client=$(awk -v name="$name" '$1 == name { print $2; exit }' "$scratch/owners")
		[[ -n $client ]] || fail "no client for $name"
		rm -f "$scratch/$name/www/up/body"
		fetch cm --interface "$client" -o "$scratch/down" "http://$ghost/big"
		cmp "$scratch/big" "$scratch/down"
		fetch cm --interface "$client" -T "$scratch/big" "http://$ghost/up/body"
		cmp "$scratch/big" "$scratch/$name/www/up/body"
	done
	exact d1
}

# longest DEVICE-LOG: of the frames for the ghost.
longest() {
	frames "$1" | awk '$9 + 0 > max { max = $9 + 0 } END { print max + 0 }'
}

bodies_in_super_packets() {
	local length

	at d1 ethtool -K eth0 gro on
	# A slow emulated sender would make packets of a millisecond's data only; and cubic, when
	# delays jump as they do here, ends its slow start before a whole super-packet may be sent.
	sysctls cm ipv4/tcp_min_tso_segs=44 ipv4/tcp_congestion_control=reno
	capture "$scratch/long" d1 eth0 "dst host $ghost and ether src $(mac d1)"
	bodies
	length=$(longest "$scratch/long")
	note "longest frame handed over: $length bytes"
	((length > 60000)) || fail "no super-packet in the test: longest is $length"
}

bodies_in_single_frames() {
	local name length

	at d1 ethtool -K eth0 gro off
	at r ethtool -K cm gro off gso off tso off tx off
	for name in cm "${servers[@]}"; do
		at "$name" ethtool -K eth0 gro off gso off tso off tx off
	done
	capture "$scratch/short" d1 eth0 "dst host $ghost and ether src $(mac d1)"
	bodies
	length=$(longest "$scratch/short")
	((length <= 1514)) || fail "a frame of $length bytes in a test without super-packets"
	for name in "${servers[@]}"; do
		equal "checksum errors at $name" "$(snmp "$name" TcpInCsumErrors)" 0
	done
}

kind_mod_by_arithmetic() {
	local i expected=()

	conf 'kind = "mod"' | ctl d1 apply -
	predicted_is_served
	for ((i = 1; i <= 64; i++)); do
		expected+=("s$(((((10 << 24) + (2 << 16) + i) % 4) + 1))")
	done
	diff <(printf '%s\n' "${expected[@]}") "$scratch/served"
}

weights_share() {
	local i clients=() share

	conf | sed '/server.s1/a weight = 3' | ctl d1 apply -
	predicted_is_served
	for ((i = 0; i < 1200; i++)); do
		clients+=("10.3.$((i / 200)).$((1 + i % 200))")
	done
	# Half of 1200, give or take 4.5 standard deviations.
	share=$(owner d1 "${clients[@]}" | grep -cx s1)
	note "s1 with half of all weight: $share of 1200 clients"
	((share > 522 && share < 678)) || fail "s1 has $share of 1200 clients"
}

one_prefix_one_server() {
	conf 'prefix4 = 24' | ctl d1 apply -
	predicted_is_served
	equal "servers of one /24" "$(sort -u "$scratch/served" | wc -l)" 1
}

run_case "control: without the module nobody serves" without_module_nobody_serves
run_case "64 clients, each by the predicted server" each_by_the_predicted
run_case "control: another seed predicts otherwise" another_seed_predicts_otherwise
run_case "exactly one server per client on the wire" one_server_per_client_on_the_wire
run_case "10 MB both ways in super-packets" bodies_in_super_packets
run_case "10 MB both ways in single frames" bodies_in_single_frames
run_case "kind mod is CA mod n" kind_mod_by_arithmetic
run_case "weights share the clients" weights_share
run_case "a client prefix has one server" one_prefix_one_server
finish
