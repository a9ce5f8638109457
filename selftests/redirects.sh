#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A packet leaves d1 by the device it came in on. An ordinary router tells the
# sender of a shorter way then (ICMP redirect), and later packets would bypass
# the dispatcher. For the ghost there must be none; for all else, as ever.
#
#	c1 -- r == lan == d1, s1 .. s4, and l1: a client on the lan itself
#
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 5
bed_up c1
join l1
ip -n l1 route add "$ghost" via 10.0.0.11
web s1 s2 s3 s4
for name in r d1; do
	sysctls "$name" ipv4/conf/all/send_redirects=1 ipv4/conf/eth0/send_redirects=1
done

ordinary_router_redirects() {
	ip -n d1 route add "$ghost" via 10.0.0.1
	capture "$scratch/control" d1 eth0 "icmp[icmptype] = icmp-redirect"
	fetch l1 "http://$ghost/name"
	fetch c1 "http://$ghost/name"
	ip -n d1 route del "$ghost"
	(($(snmp d1 IcmpOutRedirects) > 0)) || fail "no redirect counted"
	frames "$scratch/control" | grep -q redirect
	# What l1 and c1 have learnt would decide the next case.
	ip -n l1 route flush cache
	ip -n c1 route flush cache
}

no_redirect() {
	local client=$1 before i

	before=$(snmp d1 IcmpOutRedirects)
	capture "$scratch/redirects" lan br0 "icmp[icmptype] = icmp-redirect"
	for ((i = 0; i < 50; i++)); do
		echo "url = http://$ghost/name"
	done >"$scratch/urls"
	equal "answers" "$(deadline=30 fetch "$client" --no-keepalive -H 'Connection: close' -K "$scratch/urls" | wc -l)" 50
	equal "redirects on the wire" "$(frames "$scratch/redirects" | wc -l)" 0
	equal "redirects by d1" "$(snmp d1 IcmpOutRedirects)" "$before"
	exact d1
}

none_for_the_ghost() {
	configure d1
	no_redirect c1
}

none_on_the_lan() {
	no_redirect l1
}

# l1 sends through d1 what it could send directly: that is d1's to say.
others_as_before() {
	local before
	before=$(snmp d1 IcmpOutRedirects)
	ip -n l1 route add 10.0.0.4/32 via 10.0.0.11
	at l1 ping -c 1 -W 2 10.0.0.4
	poll_until 2 test "$(snmp d1 IcmpOutRedirects)" -gt "$before"
}

replies_do_not_steal_the_route() {
	# The servers' replies teach r nothing: its way to the ghost is d1 still.
	at r ip route get "$ghost" | grep -q 'via 10.0.0.11 '
	refuses grep -q "^$ghost " <(at r ip neigh show)
}

run_case "control: an ordinary router sends redirects" ordinary_router_redirects
run_case "none for the ghost behind a router" none_for_the_ghost
run_case "none for the ghost on one segment" none_on_the_lan
run_case "others get theirs as before" others_as_before
run_case "replies do not change the router's way" replies_do_not_steal_the_route
finish
