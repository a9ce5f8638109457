#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Packets that do not fit or are not whole: fragments, IP options, and a link to
# the server that takes 1400 bytes where the client's packets have 1500.
#
#	c1 -- r == lan == d1 --1400-- s1	(10.0.9.0/24, beside the lan)
#	            |
#	            +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 9
bed_up c1 c2
c1=10.1.1.2
web s1
echoes "${servers[@]}"
ip link add small netns d1 mtu 1400 type veth peer name small netns s1 mtu 1400
for name in d1 s1; do
	ip -n "$name" address add "10.0.9.$(host_number "$name")/24" dev small
	ip -n "$name" link set small up
done

fragments_need_more_than_a_router() {
	refuses at c1 "$selftests/udp.py" ask $c1 "$ghost" 7 4000 1
}

fragments_of_a_datagram() {
	local name
	configure d1
	name=$(owner d1 $c1)
	capture "$scratch/fragments" lan br0 "ether src $(mac d1) and dst host $ghost"
	equal "answers" "$(at c1 "$selftests/udp.py" ask $c1 "$ghost" 7 4000 20 | sort | uniq -c | awk '{ print $2, $1 }')" "$name 20"
	equal "frames from d1" "$(frames "$scratch/fragments" "ether dst $(mac "$name")" | wc -l)" 60
	equal "reassembly at d1" "$(snmp d1 IpReasmReqds)" 0
	equal "reassembled at $name" "$(snmp "$name" IpReasmOKs)" 20
	exact d1
}

# Later fragments carry no ports, and may come first or alone.
fragments_one_by_one() {
	local name
	name=$(owner d1 $c1)
	capture "$scratch/alone" lan br0 "ether src $(mac d1) and dst host $ghost and not ether dst $(mac "$name")"
	at c1 "$selftests/wire.py" $c1 "$ghost" --udp 50000,7,3000 --fragments 512 --ports 10
	at c1 "$selftests/udp.py" ask $c1 "$ghost" 7 10 1
	equal "frames to others" "$(frames "$scratch/alone" | wc -l)" 0
	exact d1
}

options_pass_unread() {
	local name options=01010144080500000000000000
	name=$(owner d1 $c1)
	capture "$scratch/options" d1 eth0 "udp port 9 and dst host $ghost"
	at c1 "$selftests/wire.py" $c1 "$ghost" --options $options
	poll_until 5 two_frames
	stop "$captor"
	captor=''
	tcpdump -enr "$scratch/options" "ether dst $(mac "$name")" 2>/dev/null | grep -q 'ethertype IPv4'
	# Nothing between the two differs but time to live, checksum and link.
	tcpdump -nxr "$scratch/options" "ether dst $(mac d1)" 2>/dev/null | payload >"$scratch/before"
	tcpdump -nxr "$scratch/options" "ether src $(mac d1)" 2>/dev/null | payload >"$scratch/after"
	[[ -s $scratch/before ]]
	cmp "$scratch/before" "$scratch/after"
	exact d1
}

two_frames() {
	(($(tcpdump -nr "$scratch/options" 2>/dev/null | wc -l) == 2))
}

# payload: hex dump without time stamp lines, and without words 4 and 5 of the
# IP header (time to live and protocol, checksum).
payload() {
	awk '/0x/ { $1 = ""; printf "%s", $0 } END { print "" }' | awk '{ $5 = $6 = ""; print }'
}

ping_with_record_route() {
	at c1 ping -R -c 2 -i 0.1 -W 2 "$ghost" >"$scratch/ping"
	grep -q ' 0% packet loss' "$scratch/ping"
	exact d1
}

only_the_small_link() {
	{ pool && member s1 10.0.9.1; } | ctl d1 apply -
	at c1 ping -M dont -s 1000 -c 1 -W 2 "$ghost"
}

too_big_is_said() {
	local before
	only_the_small_link
	before=$(counter d1 drop_too_big)
	at c1 ping -M "do" -s 1472 -c 1 -W 2 "$ghost" >"$scratch/ping" || :
	grep -q 'From 10.0.* Frag needed and DF set (mtu = 1400)' "$scratch/ping"
	equal "counted" "$(counter d1 drop_too_big)" $((before + 1))
	exact d1
}

too_big_is_cut() {
	local slow whole
	slow=$(counter d1 slow)
	whole=$(snmp s1 IpReasmOKs)
	at c2 ping -M dont -s 1472 -c 5 -i 0.1 -W 2 "$ghost" >"$scratch/ping"
	grep -q ' 0% packet loss' "$scratch/ping"
	equal "by the slow path" "$(counter d1 slow)" $((slow + 5))
	equal "reassembled at s1" "$(snmp s1 IpReasmOKs)" $((whole + 5))
	exact d1
}

upload_over_the_small_link() {
	ip -n c1 route flush cache
	fetch c1 -T "$scratch/big" "http://$ghost/up/body"
	cmp "$scratch/big" "$scratch/s1/www/up/body"
	exact d1
}

download_over_the_small_link() {
	fetch c1 -o "$scratch/down" "http://$ghost/big"
	cmp "$scratch/big" "$scratch/down"
	exact d1
}

run_case "control: without the module no fragment is answered" fragments_need_more_than_a_router
run_case "4 kB datagrams, whole and on one server" fragments_of_a_datagram
run_case "fragments are dispatched one by one" fragments_one_by_one
run_case "IP options pass unread" options_pass_unread
run_case "ping with record route" ping_with_record_route
run_case "too big with DF: frag needed from d1" too_big_is_said
run_case "too big without DF: cut, and whole again" too_big_is_cut
run_case "10 MB up over the small link" upload_over_the_small_link
run_case "10 MB down beside it" download_over_the_small_link
finish
