#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Router mode over IPv6, and a pool with a ghost of each family: who serves whom,
# and what does not fit or is not whole. The twin of distribution and sizes.
#
#	cm (64 prefixes), c1 -- r == lan == d1 --1400-- s1	(2001:db8:9::/64, beside the lan)
#	                           |
#	                           +== s1 .. s4
families="ipv4 ipv6"
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "$0")")/answers.sh"

plan 14
bed_up cm c1
services "${servers[@]}"
use ipv6
c1=$(address c1)
ip link add small netns d1 mtu 1400 type veth peer name small netns s1 mtu 1400
for name in d1 s1; do
	ip -n "$name" address add "2001:db8:9::$(host_number "$name")/64" dev small
	ip -n "$name" link set small up
done

without_module_nobody_serves() {
	refuses fetch cm -m 2 "$url/name"
}

each_has_one_answer() {
	configure d1
	one_answer_each d1
	equal "servers in use" "$(awk '{ print $3 }' "$scratch/replies" | sort -u | wc -l)" 4
	exact d1
}

the_other_ghost_of_the_pool() {
	use ipv4
	one_answer_each d1 "${many[@]:0:16}"
	exact d1
}

bodies() {
	local client=${many[0]} name
	name=$(owner d1 "$client")
	rm -f "$scratch/$name/www/up/body"
	fetch cm --interface "$client" -o "$scratch/down" "$url/big"
	cmp "$scratch/big" "$scratch/down"
	fetch cm --interface "$client" -T "$scratch/big" "$url/up/body"
	cmp "$scratch/big" "$scratch/$name/www/up/body"
	exact d1
}

# longest: of the frames for the ghost that d1 hands over while bodies cross.
longest() {
	capture "$scratch/frames.cap" d1 eth0 "dst host $ghost and ether src $(mac d1)"
	bodies
	longest=$(frames "$scratch/frames.cap" | awk '$9 + 0 > max { max = $9 + 0 } END { print max + 0 }')
}

bodies_in_super_packets() {
	local longest
	at d1 ethtool -K eth0 gro on
	# A slow emulated sender would make packets of a millisecond's data only; and cubic, when
	# delays jump as they do here, ends its slow start before a whole super-packet may be sent.
	sysctls cm ipv4/tcp_min_tso_segs=44 ipv4/tcp_congestion_control=reno
	longest
	note "longest frame handed over: $longest bytes"
	((longest > 60000)) || fail "no super-packet in the test: longest is $longest"
}

bodies_in_single_frames() {
	local name longest
	at d1 ethtool -K eth0 gro off
	at r ethtool -K cm gro off gso off tso off tx off
	for name in cm "${servers[@]}"; do
		at "$name" ethtool -K eth0 gro off gso off tso off tx off
	done
	longest
	((longest <= 1514)) || fail "a frame of $longest bytes in a test without super-packets"
	for name in "${servers[@]}"; do
		equal "checksum errors at $name" "$(snmp "$name" TcpInCsumErrors)" 0
	done
}

# The client's address as a number of 128 bits, modulo 4.
kind_mod_by_arithmetic() {
	local i
	conf 'kind = "mod"' 'prefix6 = 128' | ctl d1 apply -
	ip -n cm -batch - < <(for ((i = 1; i <= 8; i++)); do echo "address add 2001:db8:2:77::$i dev lo"; done)
	for ((i = 1; i <= 8; i++)); do
		equal "server of ::$i" "$(fetch cm --interface "2001:db8:2:77::$i" "$url/name")" "s$((i % 4 + 1))"
	done
}

# Of one /64 by default, and of longer and shorter ones.
a_prefix_has_one_server() {
	local i
	conf | ctl d1 apply -
	for ((i = 1; i <= 8; i++)); do
		fetch cm --interface "2001:db8:2:77::$i" "$url/name"
	done >"$scratch/served"
	equal "servers of one /64" "$(sort -u "$scratch/served")" "$(owner d1 2001:db8:2:77::ffff)"
	conf "prefix6 = 128" | ctl d1 apply -
	(($(owner d1 2001:db8:2:77::{0,1,2,3,4,5,6,7,8,9,a,b,c,d,e,f} | sort -u | wc -l) > 1))
	one_answer_each d1 "${many[@]:0:8}"
	conf "prefix6 = 48" | ctl d1 apply -
	who "${many[@]}" >"$scratch/served"
	equal "servers of one /48" "$(sort -u "$scratch/served" | wc -l)" 1
	configure d1
}

fragments_of_a_datagram() {
	local name
	name=$(owner d1 "$c1")
	capture "$scratch/fragments" lan br0 "ether src $(mac d1) and dst host $ghost"
	equal "answers" "$(at c1 "$selftests/udp.py" ask "$c1" "$ghost" 7 4000 20 | sort | uniq -c | awk '{ print $2, $1 }')" "$name 20"
	equal "frames from d1" "$(frames "$scratch/fragments" "ether dst $(mac "$name")" | wc -l)" 60
	equal "reassembly at d1" "$(snmp d1 Ip6ReasmReqds)" 0
	equal "reassembled at $name" "$(snmp "$name" Ip6ReasmOKs)" 20
	exact d1
}

# Later fragments carry no ports, and come without the first.
fragments_one_by_one() {
	local name
	name=$(owner d1 "$c1")
	capture "$scratch/alone" lan br0 "ether src $(mac d1) and dst host $ghost and not icmp6"
	at c1 "$selftests/wire6.py" "$c1" "$ghost" --udp 50000,7,3000 --fragments 512 --ports 10
	at c1 "$selftests/udp.py" ask "$c1" "$ghost" 7 10 1
	frames "$scratch/alone" >"$scratch/frames"
	equal "frames to $name" "$(grep -c "> $(mac "$name")" "$scratch/frames")" 61
	equal "frames in all" "$(wc -l <"$scratch/frames")" 61
	exact d1
}

# Packets of one client alternate between two dispatchers, by its ports.
two_dispatchers() {
	local name
	configure d2
	sysctls r ipv4/fib_multipath_hash_policy=1 ipv6/fib_multipath_hash_policy=1
	via d1 d2
	for name in $families; do
		use "$name"
		capture "$scratch/alternating" lan br0 "(ether src $(mac d1) or ether src $(mac d2)) and udp and dst host $ghost"
		at cm "$selftests/$raw" "${many[0]}" "$ghost" --ports 1000
		at cm ping -c 1 -W 2 "$ghost" >/dev/null
		frames "$scratch/alternating" | awk '{ sub(/,$/, "", $4); print $2, $4 }' | sort | uniq -c >"$scratch/frames"
		equal "owners" "$(awk '{ print $3 }' "$scratch/frames" | sort -u)" "$(mac "$(owner d1 "${many[0]}")")"
		equal "frames" "$(awk '{ n += $1 } END { print n }' "$scratch/frames")" 1000
		equal "dispatchers" "$(wc -l <"$scratch/frames")" 2
	done
	via d1
	exact d2
}

# bytes FILE FILTER: of the packets, without hop limit.
bytes() {
	tcpdump -nxr "$1" "$2" 2>/dev/null | awk '/0x0000/ { $5 = substr($5, 1, 2) } /0x/ { $1 = ""; printf "%s", $0 } END { print "" }'
}

two_frames() {
	(($(tcpdump -nr "$scratch/extensions" 2>/dev/null | wc -l) == 2))
}

# Read by nobody on the way, changed by nobody: to the owner with each.
extension_headers_pass() {
	local name extensions
	name=$(owner d1 "$c1")
	for extensions in hop destination routing hop,destination,routing; do
		capture "$scratch/extensions" d1 eth0 "dst host $ghost"
		at c1 "$selftests/wire6.py" "$c1" "$ghost" --extensions $extensions
		poll_until 5 two_frames
		stop "$captor"
		captor=''
		equal "to $name with $extensions" "$(tcpdump -enr "$scratch/extensions" "ether dst $(mac "$name")" 2>/dev/null | wc -l)" 1
		bytes "$scratch/extensions" "ether dst $(mac d1)" >"$scratch/before"
		bytes "$scratch/extensions" "ether src $(mac d1)" >"$scratch/after"
		cmp "$scratch/before" "$scratch/after"
	done
	exact d1
}

only_the_small_link() {
	{ pool && member s1 10.0.0.1; } | sed 's/address6 = .*/address6 = "2001:db8:9::1"/' | ctl d1 apply -
	at c1 ping -s 1000 -c 1 -W 2 "$ghost"
}

too_big_is_said() {
	local before
	only_the_small_link
	before=$(counter d1 drop_too_big)
	at c1 ping -M "do" -s 1452 -c 1 -W 2 "$ghost" >"$scratch/ping" || :
	grep -q 'From 2001:db8:.* Packet too big: mtu=1400' "$scratch/ping" || fail "$(<"$scratch/ping")"
	equal "counted" "$(counter d1 drop_too_big)" $((before + 1))
	ip -n c1 -6 route flush cache
	exact d1
}

upload_over_the_small_link() {
	rm -f "$scratch/s1/www/up/body"
	fetch c1 -T "$scratch/big" "$url/up/body"
	cmp "$scratch/big" "$scratch/s1/www/up/body"
	exact d1
}

nobody_lives() {
	configure d1
	for name in "${servers[@]}"; do
		ctl d1 down "$name"
	done
	limit=1 probe "${many[0]}"
	equal "answers" "$(wc -l <"$scratch/replies")" 0
	conf 'policy = "reject"' | ctl d1 apply -
	at c1 ping -c 1 -W 2 "$ghost" >"$scratch/ping" || :
	grep -q "From $(address d1) .*[Uu]nreachable" "$scratch/ping" || fail "$(<"$scratch/ping")"
	for name in "${servers[@]}"; do
		ctl d1 up "$name"
	done
	at c1 ping -c 1 -W 2 "$ghost"
	exact d1
}

run_case "control: without the module nobody serves" without_module_nobody_serves
run_case "64 clients, each with one answer by the owner" each_has_one_answer
run_case "the pool's other ghost, IPv4" the_other_ghost_of_the_pool
run_case "10 MB both ways in super-packets" bodies_in_super_packets
run_case "10 MB both ways in single frames" bodies_in_single_frames
run_case "kind mod is CA mod n" kind_mod_by_arithmetic
run_case "a client prefix has one server" a_prefix_has_one_server
run_case "4 kB datagrams, whole and on one server" fragments_of_a_datagram
run_case "fragments are dispatched one by one" fragments_one_by_one
run_case "1000 ports of a client over two dispatchers, one owner" two_dispatchers
run_case "extension headers pass unread" extension_headers_pass
run_case "too big: said by d1" too_big_is_said
run_case "10 MB up over the small link" upload_over_the_small_link
run_case "nobody lives: silence, or unreachable" nobody_lives
finish
