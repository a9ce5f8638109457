#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Everything changes under traffic: configurations, routes, links, devices, the
# module itself. Nothing may hang, leak or lose count.
#
#	c1, cm: ping, UDP -- r == lan == d1, which sends UDP on at ingress
#	                           |
#	                           +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 9
bed_up c1 cm
devices='"eth0"'

# flood: packets from four clients for as long as the case lasts.
flood() {
	local address
	for address in "${many[@]:0:4}"; do
		start "$scratch/flood" cm ping -q -i 0.002 -w 120 -I "$address" "$ghost"
	done
	start "$scratch/flood" cm "$selftests/udp.py" flood 120 "$ghost" 9 "${many[@]:0:4}"
}

# unflood: end it, and wait until d1 has no packet left.
unflood() {
	stop_all
	poll_until 5 quiet
}

# A packet on the same way is behind all others.
quiet() {
	at cm ping -c 1 -W 1 10.0.0.11 && exact d1
}

answers() {
	at c1 ping -c 1 -W 1 "$ghost"
}

reach() {
	ctl d1 -j show | jq -r '.pools[0].servers[].reach' | sort -u | paste -sd' '
}

reach_is() {
	[[ $(reach) == "$1" ]]
}

open_file_holds_the_module() {
	configure d1
	answers
	exec 9<>/dev/onehop
	refuses rmmod onehop
	exec 9>&-
	rmmod onehop
	configure d1
	answers
}

applies_under_traffic() {
	local i before
	before=$(ctl d1 -j show | jq .generation)
	conf 'kind = "mod"' >"$scratch/mod.conf"
	flood
	for ((i = 0; i < 20; i++)); do
		ctl d1 apply "$scratch/mod.conf"
		ctl d1 apply "$scratch/onehop.conf"
	done
	unflood
	equal "generation" "$(ctl d1 -j show | jq .generation)" $((before + 40))
	exact d1
}

# Two who change things at once: each change counts, none is lost.
changes_at_once() {
	local before i name
	before=$(ctl d1 -j show | jq .generation)
	for name in s1 s2; do
		# shellcheck disable=SC2016 # expanded by the inner shell
		start "$scratch/change-$name" d1 bash -c \
			'for i in {1..20}; do "$0" down "$1" && "$0" up "$1" || exit; done' "$ONEHOPCTL" "$name"
	done
	for i in "${started[@]}"; do
		wait "$i" || fail "a change failed: $(cat "$scratch"/change-*)"
	done
	started=()
	equal "generation" "$(ctl d1 -j show | jq .generation)" $((before + 80))
	equal "health" "$(ctl d1 -j show | jq -r '.pools[0].servers[].health' | sort -u)" up
}

# A client whose server lives sees nothing of what happens to others.
no_loss_no_double() {
	local mine name
	mine=$(owner d1 10.1.1.2)
	start "$scratch/steady" c1 ping -q -c 1500 -i 0.002 -W 5 "$ghost"
	while kill -0 "${started[-1]}" 2>/dev/null; do
		for name in "${servers[@]}"; do
			[[ $name != "$mine" ]] || continue
			ctl d1 down "$name"
			ctl d1 up "$name"
		done
	done
	wait "${started[-1]}" || fail "$(cat "$scratch/steady")"
	grep -q '1500 packets transmitted, 1500 received, 0% packet loss' "$scratch/steady" || fail "$(cat "$scratch/steady")"
	exact d1
}

routes_and_neighbours_change() {
	local i
	flood
	for ((i = 0; i < 20; i++)); do
		ip -n d1 route add 198.51.100.0/24 via 10.0.0.254
		ip -n d1 route del 198.51.100.0/24
		ip -n d1 neigh flush dev eth0
	done
	# s2 comes back with another link address: its packets must follow.
	ip -n s2 link set eth0 address 02:00:00:00:00:72
	at s2 arping -U -c 1 -i eth0 -S 10.0.0.2 10.0.0.2 || :
	poll_until 10 all_answer
	ip -n s2 link set eth0 address "$(mac s2)"
	at s2 arping -U -c 1 -i eth0 -S 10.0.0.2 10.0.0.2 || :
	poll_until 10 all_answer
	unflood
}

all_answer() {
	local address
	for address in "${many[@]:0:8}"; do
		at cm ping -c 1 -W 1 -I "$address" "$ghost" || return
	done
}

link_down_and_up() {
	flood
	ip -n d1 link set eth0 down
	poll_until 5 reach_is unreachable
	ip -n d1 link set eth0 up
	ip -n d1 route replace default via 10.0.0.254
	poll_until 5 reach_is link
	poll_until 10 answers
	unflood
}

device_removed_and_back() {
	flood
	ip -n d1 link del eth0
	refuses ip -n d1 link show eth0
	refuses ip -n lan link show to-d1
	poll_until 5 reach_is unreachable
	ip link add to-d1 netns lan type veth peer name eth0 netns d1 address "$(mac d1)"
	ip -n lan link set to-d1 master br0 up
	ip -n d1 link set eth0 up
	ip -n d1 address add 10.0.0.11/24 dev eth0
	ip -n d1 route add default via 10.0.0.254
	poll_until 5 reach_is link
	poll_until 10 answers
	unflood
}

# A server that is not on the link is told apart from one that does not answer.
route_away() {
	local before
	ip -n d1 route add 10.0.0.2/32 via 10.0.0.254
	poll_until 5 reach_is "link unreachable"
	before=$(counter d1 drop_unreachable)
	refuses all_answer
	(($(counter d1 drop_unreachable) > before)) || fail "not counted"
	ip -n d1 route del 10.0.0.2/32
	poll_until 5 reach_is link
	all_answer
	exact d1
}

# kilobytes NAME: from /proc/meminfo.
kilobytes() {
	awk -v name="$1:" '$1 == name { print $2 }' /proc/meminfo
}

twenty_unloads_under_traffic() {
	local i slab percpu
	flood
	for ((i = 0; i < 20; i++)); do
		rmmod onehop
		configure d1
		if ((i == 2)); then
			slab=$(kilobytes SUnreclaim)
			percpu=$(kilobytes Percpu)
		fi
	done
	poll_until 5 answers
	unflood
	slab=$(($(kilobytes SUnreclaim) - slab))
	percpu=$(($(kilobytes Percpu) - percpu))
	note "17 cycles later: slab $slab kB, per-CPU $percpu kB more"
	((slab < 2048 && percpu < 256)) || fail "memory grows"
}

run_case "control: an open file keeps the module" open_file_holds_the_module
run_case "40 applies" applies_under_traffic
run_case "two change servers at once" changes_at_once
run_case "other servers' changes lose and double nothing" no_loss_no_double
run_case "routes and neighbours change" routes_and_neighbours_change
run_case "link down and up" link_down_and_up
run_case "device removed and back" device_removed_and_back
run_case "server behind a router is unreachable" route_away
run_case "20 unloads and loads" twenty_unloads_under_traffic
finish
