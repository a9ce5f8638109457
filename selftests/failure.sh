#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Servers die and return; the dispatch function is changed online, by hand.
#
#	cm (64 addresses), c1 -- r == lan == d1, d2: down s2, up s2, ...
#	                              |
#	                              +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 12
bed_up cm c1
web s1 s2 s3 s4

# state NAME...: on d1, exactly these servers are down.
state() {
	local name
	for name in "${servers[@]}"; do
		if [[ " $* " == *" $name "* ]]; then
			ctl d1 down "$name"
		else
			ctl d1 up "$name"
		fi
	done
}

# client_of NAME: the first address of cm that the server owns.
client_of() {
	owner d1 "${many[@]}" | paste -d' ' - <(printf '%s\n' "${many[@]}") | awk -v name="$1" '$1 == name { print $2; exit }'
}

not_told_it_keeps_failing() {
	local name=s2 dead
	configure d1 d2
	owner d1 "${many[@]}" >"$scratch/all"
	dead=$(client_of $name)
	unserve $name
	refuses fetch cm --interface "$dead" "http://$ghost/name"
	web s2
}

pairs_and_triples() {
	local set served
	for set in "s1 s2" "s1 s3" "s1 s4" "s2 s3" "s2 s4" "s3 s4" "s1 s2 s3" "s1 s2 s4" "s1 s3 s4" "s2 s3 s4"; do
		# shellcheck disable=SC2086 # a list of names
		state $set
		who "${many[@]}" >"$scratch/served"
		owner d1 "${many[@]}" | diff - "$scratch/served"
		refuses grep -qwE "${set// /|}" "$scratch/served"
		# Clients of survivors stay where they were.
		served=$(paste -d' ' "$scratch/all" "$scratch/served" |
			awk -v dead=" $set " 'index(dead, " " $1 " ") == 0 && $1 != $2' | wc -l)
		equal "moved clients of survivors, $set down" "$served" 0
	done
	state
	owner d1 "${many[@]}" | diff "$scratch/all" -
	exact d1
}

# 60 random events on d1; then d2 is brought to the same state by the shortest
# way. Equal digests are equal decisions.
order_does_not_matter() {
	local i name
	declare -A down=()
	RANDOM=1997
	for ((i = 0; i < 60; i++)); do
		name=s$((1 + RANDOM % 4))
		if ((RANDOM % 2)); then
			ctl d1 down $name
			down[$name]=1
		else
			ctl d1 up $name
			unset "down[$name]"
		fi
	done
	((${#down[@]} > 0)) || fail "the random events end with nothing down"
	for name in "${!down[@]}"; do
		refuses equal "digests before" "$(digest d1)" "$(digest d2)"
		ctl d2 down "$name"
	done
	equal "digests" "$(digest d1)" "$(digest d2)"
	diff <(owner d1 "${many[@]}") <(owner d2 "${many[@]}")
	state
	for name in "${!down[@]}"; do
		ctl d2 up "$name"
	done
	equal "digests after" "$(digest d1)" "$(digest d2)"
}

digest() {
	ctl "$1" -j show | jq -r .digest
}

generation() {
	ctl "$1" -j show | jq .generation
}

a_hundred_times_down() {
	local before i
	before=$(generation d1)
	for ((i = 0; i < 100; i++)); do
		ctl d1 down s3
	done
	equal "generation" "$(generation d1)" $((before + 1))
	ctl d1 up s3
	equal "generation" "$(generation d1)" $((before + 2))
}

one_left() {
	state s1 s2 s3
	equal "who serves" "$(who "${many[@]}" | sort -u)" s4
	exact d1
}

nobody_left_drop() {
	local before
	state s1 s2 s3 s4
	before=$(counter d1 drop_no_server)
	refuses at c1 ping -c 3 -i 0.1 -W 1 "$ghost" >"$scratch/ping"
	refuses grep -q 'From ' "$scratch/ping"
	equal "counted" "$(counter d1 drop_no_server)" $((before + 3))
	exact d1
}

nobody_left_reject() {
	conf 'policy = "reject"' | ctl d1 apply -
	equal "health after apply" "$(ctl d1 -j show | jq -r '.pools[0].servers[].health' | sort -u)" down
	refuses at c1 ping -c 1 -W 2 "$ghost" >"$scratch/ping"
	grep -q 'From 10.0.0.11 .*Destination Host Unreachable' "$scratch/ping"
	refuses fetch c1 "http://$ghost/name" 2>"$scratch/curl"
	exact d1
}

the_first_back_serves_at_once() {
	ctl d1 up s2
	equal "who serves" "$(who "${many[@]}" | sort -u)" s2
	configure d1
	state
}

draining_serves_when_nobody_is_up() {
	local before
	ctl d1 server set s1 --admin drain
	refuses grep -qx s1 <(who "${many[@]}")
	state s2 s3 s4
	before=$(counter d1 draining)
	equal "who serves" "$(who "${many[@]}" | sort -u)" s1
	(($(counter d1 draining) > before)) || fail "not counted"
	ctl d1 server set s1 --admin up
	state
	exact d1
}

# An old flow of a dead server: who takes over does not know it and says so.
old_flow_is_reset_at_once() {
	local address name
	address=$(client_of s2)
	mkfifo "$scratch/orders"
	start "$scratch/hold" cm "$selftests/hold.py" "$address" "$ghost" "$scratch/orders"
	exec 9>"$scratch/orders"
	poll_until 5 grep -qx open "$scratch/hold"
	echo >&9
	poll_until 5 grep -qx s2 "$scratch/hold"
	ctl d1 down s2
	name=$(owner d1 "$address")
	capture "$scratch/rst" r eth0 "src host $ghost and tcp[tcpflags] & tcp-rst != 0"
	echo >&9
	poll_until 2 grep -qx reset "$scratch/hold"
	equal "resets on the wire" "$(frames "$scratch/rst" "ether src $(mac "$name")" | wc -l)" 1
	equal "who serves now" "$(fetch cm --interface "$address" "http://$ghost/name")" "$name"
	exec 9>&-
	ctl d1 up s2
	equal "who serves later" "$(fetch cm --interface "$address" "http://$ghost/name")" s2
}

# s2 is gone from the wire, and nobody has told d1.
host_unreachable() {
	local address
	address=$(client_of s2)
	ip -n s2 link set eth0 down
	ip -n d1 neigh flush dev eth0
	refuses at cm ping -I "$address" -c 1 -W 5 "$ghost" >"$scratch/ping"
	grep -q 'From 10.0.0.11 .*Destination Host Unreachable' "$scratch/ping"
	ip -n s2 link set eth0 up
	ip -n s2 route replace default via 10.0.0.254
	poll_until 5 fetch cm --interface "$address" "http://$ghost/name"
	exact d1
}

# The same client on two dispatchers at once: r spreads flows over both.
two_dispatchers_one_owner() {
	local name first second
	ip -n r route replace "$ghost" nexthop via 10.0.0.11 nexthop via 10.0.0.12
	sysctls r ipv4/fib_multipath_hash_policy=1
	name=$(owner d1 10.1.1.2)
	first=$(counter d1 handed)
	second=$(counter d2 handed)
	capture "$scratch/ports" lan br0 "udp port 9 and not ether src $(mac r)"
	at c1 "$selftests/wire.py" 10.1.1.2 "$ghost" --ports 1000
	first=$(($(counter d1 handed) - first))
	second=$(($(counter d2 handed) - second))
	note "1000 ports: $first by d1, $second by d2"
	equal "packets" $((first + second)) 1000
	((first > 300 && second > 300)) || fail "r did not spread the flows"
	equal "frames to $name" "$(frames "$scratch/ports" "ether dst $(mac "$name")" | wc -l)" 1000
	via d1
}

run_case "control: not told of a death, its clients fail" not_told_it_keeps_failing
run_case "every pair and triple down: survivors' clients unmoved" pairs_and_triples
run_case "the order of events does not matter" order_does_not_matter
run_case "down a hundred times moves the generation once" a_hundred_times_down
run_case "one left serves all" one_left
run_case "nobody left, drop: silence, counted" nobody_left_drop
run_case "nobody left, reject: host unreachable" nobody_left_reject
run_case "the first one back serves at once" the_first_back_serves_at_once
run_case "draining serves when nobody is up" draining_serves_when_nobody_is_up
run_case "an old flow of a dead server is reset at once" old_flow_is_reset_at_once
run_case "server off the wire: host unreachable" host_unreachable
run_case "1000 ports over two dispatchers, one owner" two_dispatchers_one_owner
finish
