#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All servers have the ghost, and clients live on their own segment. Nobody may
# learn from a server that the ghost is there: neither by its answers, nor by
# what it asks itself. No sysctl of ARP is set.
#
#	l1 (client) == lan == d1, s1 .. s4 (arp_ignore=0, arp_announce=0), r
#
mode=broadcast
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 13
dispatchers=(d1)
bed_up
join l1
l1=$(address l1)
web "${servers[@]}"

# told CMD...: ARP messages on the lan while CMD runs.
told() {
	capture "$scratch/arp" lan "${port-br0}" arp
	"$@"
	frames "$scratch/arp" >"$scratch/told"
}

# answers [MAC]: to who has the ghost, to everybody or to this link address, as link
# address and number.
answers() {
	awk -v ghost="$ghost" -v to="${1-}" '$11 == ghost && $12 == "is-at" && (!to || $4 == to ",") { sub(/,$/, "", $13); print $13 }' "$scratch/told" |
		sort | uniq -c | awk '{ print $2 "*" $1 }'
}

# naming ADDRESS: messages whose sender address is this one.
naming() {
	awk -v name="$1" '{ for (i = 10; i < NF; i++) if ($i == "tell" && $(i + 1) == name "," || $(i + 1) == "is-at" && $i == name) print }' "$scratch/told"
}

asked() {
	at l1 "$selftests/link.py" eth0 --fence "$(fences),$(address d1)" "ask,$l1,$ghost,x200"
}

# pinged NAME: it knows no neighbours, and pings l1 from the ghost; and an address that nobody has.
pinged() {
	ip -n "$1" neigh flush dev eth0
	at "$1" ping -c 1 -W 0.5 -I "$ghost" "$l1" || :
	at "$1" ping -c 1 -W 0.5 -I "$ghost" 10.0.0.99 || :
}

# knows NAME ADDRESS: it has this neighbour's link address.
knows() {
	ip -n "$1" neigh show "$2" | grep -q lladdr
}

all_answer_without() {
	told asked
	equal "answers" "$(answers)" "$(for name in "${servers[@]}"; do echo "$(mac "$name")*200"; done)"
}

the_ghost_asks_without() {
	told pinged s2
	[[ -n $(naming "$ghost") ]]
}

asked_and_pinged() {
	asked
	pinged s2
}

# guarded [LINK-ADDRESS*COUNT]: who answers for the ghost; and s2 never says that it
# is there.
guarded() {
	local before stopped
	before=$(counter s2 guarded)
	told asked_and_pinged
	equal "answers" "$(answers | paste -sd' ')" "$1"
	stopped=$(($(counter s2 guarded) - before))
	((stopped > 200)) || fail "s2 has stopped $stopped messages"
	equal "messages from the ghost" "$(naming "$ghost" | grep -v " $(mac d1) > ")" ""
	[[ -n $(naming "$(address s2)") ]] || fail "s2 has asked nobody"
	knows s2 "$l1"
}

members_of_a_router_pool() {
	local name
	conf 'mode = "router"' >"$scratch/router.conf"
	module_load
	for name in "${servers[@]}"; do
		ctl "$name" apply "$scratch/router.conf"
	done
	{ echo 'devices = ["eth0"]' && cat "$scratch/router.conf"; } | ctl d1 apply -
	ctl d1 answer on --reason "the case"
	guarded "$(mac d1)*200"
}

# l1 is a client like others then: it learns d1 and never a server, whoever replies.
client_on_the_segment() {
	local i name
	name=$(owner d1 "$l1")
	ip -n l1 route replace "$ghost" dev eth0
	capture "$scratch/arp" lan br0 arp
	for ((i = 0; i < 12; i++)); do
		ip -n l1 neigh flush dev eth0
		ip -n "s$((1 + i % 4))" neigh flush dev eth0
		equal "server" "$(fetch l1 "http://$ghost/name")" "$name"
	done
	frames "$scratch/arp" >"$scratch/told"
	equal "who says to be the ghost" "$(naming "$ghost" | awk '{ print $2 }' | sort -u)" "$(mac d1)"
	ip -n l1 neigh show "$ghost" | grep -q "$(mac d1)"
	ctl d1 answer off
	exact d1
}

# finds_itself NAME: not while the address is away by which it is a server.
finds_itself() {
	ctl "$1" -j show | jq -e --arg name "$1" '.pools[0].servers[] | select(.name == $name) | .reach == "local"'
}

does_not_find_itself() {
	! finds_itself "$1"
}

# A change of another server, meanwhile, makes a new pool: it must not open the guard.
own_address_is_away() {
	ip -n s2 address add 10.0.0.92/32 dev eth0
	ip -n s2 address del 10.0.0.2/24 dev eth0
	poll_until 5 does_not_find_itself s2
	ctl s2 down s4
	told at l1 "$selftests/link.py" eth0 --fence 10.0.0.92 "ask,$l1,$ghost,x20"
	ctl s2 up s4
	ip -n s2 -batch - <<-END
		address add 10.0.0.2/24 dev eth0
		address del 10.0.0.92/32 dev eth0
		route replace default via 10.0.0.254
	END
	poll_until 5 finds_itself s2
	equal "s2's answers" "$(answers | grep "$(mac s2)" || :)" ""
}

members_of_a_broadcast_pool() {
	devices='"eth0"' configure "${servers[@]}"
	guarded ""
}

without_a_device() {
	configure "${servers[@]}"
	guarded ""
}

members_of_a_peer_pool() {
	conf 'mode = "peer"' >"$scratch/peer.conf"
	for name in "${servers[@]}"; do
		ctl "$name" apply "$scratch/peer.conf"
	done
	guarded ""
	configure "${servers[@]}"
}

# The ghost is all that s4 has: its requests carry no address, and are answered.
no_other_address() {
	ip -n s4 address del 10.0.0.4/24 dev eth0
	ip -n s4 route add 10.0.0.0/24 dev eth0
	ip -n s4 neigh flush dev eth0
	capture "$scratch/arp" lan br0 arp
	at s4 ping -c 1 -W 1 "$l1" || :
	poll_until 3 knows s4 "$l1"
	frames "$scratch/arp" >"$scratch/told"
	equal "messages from the ghost" "$(naming "$ghost")" ""
	[[ -n $(naming 0.0.0.0) ]]
	ip -n s4 address add 10.0.0.4/24 dev eth0
	ip -n s4 route replace default via 10.0.0.254
}

# announced: s2, which has both its own address and the ghost on eth0, comes up
# and says so. Messages by sender address.
announced() {
	sysctls s2 ipv4/conf/eth0/arp_notify=1
	ip -n s2 -batch - <<-END
		address add $ghost/32 dev eth0
		link set eth0 down
	END
	# The bridge may not yet let pass what it hears so early.
	port=to-s2 told came_up
	[[ -n $(naming 10.0.0.2) ]] || fail "s2 has announced nothing"
	naming "$ghost"
	ip -n s2 -batch - <<-END
		address del $ghost/32 dev eth0
		route replace default via 10.0.0.254
	END
}

came_up() {
	ip -n s2 link set eth0 up
	poll_until 5 at r ping -c 1 -W 1 10.0.0.2
}

not_announced() {
	equal "announcements of the ghost" "$(announced)" ""
}

disabled_or_not() {
	local name
	for name in "${servers[@]}"; do
		sysctls "$name" onehop/enabled=0
	done
	guarded ""
	for name in "${servers[@]}"; do
		sysctls "$name" onehop/enabled=1
	done
}

own_addresses_as_ever() {
	told at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$l1,10.0.0.2,x20"
	# Others, such as r, may ask for it at the same time.
	equal "answers" "$(ghost=10.0.0.2 answers "$(mac l1)")" "$(mac s2)*21"
}

no_pool_no_guard() {
	local name
	for name in "${servers[@]}"; do
		echo -n | ctl "$name" apply -
	done
	all_answer_without
	[[ -n $(announced) ]]
}

run_case "control: without the module all answer" all_answer_without
run_case "control: without the module the ghost asks" the_ghost_asks_without
run_case "router mode: the dispatcher alone answers" members_of_a_router_pool
run_case "router mode: a client on the segment" client_on_the_segment
run_case "router mode: a server's own address is away" own_address_is_away
run_case "broadcast mode: nobody answers or asks" members_of_a_broadcast_pool
run_case "broadcast mode without devices" without_a_device
run_case "peer mode: nobody answers or asks" members_of_a_peer_pool
run_case "a server whose only address is the ghost" no_other_address
run_case "the ghost is not announced" not_announced
run_case "enabled=0 keeps the guard" disabled_or_not
run_case "own addresses are answered as ever" own_addresses_as_ever
run_case "control: without a pool all answer and announce" no_pool_no_guard
finish
