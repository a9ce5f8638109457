#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode broadcast while a server's link, switch, configuration and module come and
# go, in every order, under traffic: never do two servers answer one packet.
#
#	cm -- r == lan == s1, s2, s3, s4
#	                      |
#	                      link, enabled, apply, ghost, module
mode=broadcast
families="ipv4 ipv6"
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "$0")")/answers.sh"

plan 5
devices='"eth0"'
bed_up cm
services "${servers[@]}"
conf >"$scratch/onehop.conf"
# In each family, a client of s1 and one of s2.
clients=()
for each in $families; do
	use "$each"
	clients+=("$(client_of file s1)" "$(client_of file s2)")
done

# pinging begins, by all of them.
pinging() {
	local client

	capture "$scratch/pings" r eth0 "src host $ghost4 or src host $ghost6"
	pings=()
	for client in "${clients[@]}"; do
		if [[ $client == *:* ]]; then use ipv6; else use ipv4; fi
		start "$scratch/ping" cm ping -i 0.05 -I "$client" "$ghost"
		pings+=("$!")
	done
	poll_until 10 replies 20
}

# replies N: so many have been seen.
replies() {
	(($(stat -c %s "$scratch/pings") > $1 * 114))
}

# more: some packets later.
more() {
	poll_until 10 replies $(($(stat -c %s "$scratch/pings") / 114 + 20))
}

# doubles: pinging ends; requests that had more than one reply.
doubles() {
	stop "${pings[@]}"
	frames "$scratch/pings" >"$scratch/frames"
	(($(grep -c 'echo reply' "$scratch/frames") >= 40)) || fail "too little traffic to tell"
	awk '/ echo reply/ { match($0, /id [0-9]+, seq [0-9]+/); print $12, substr($0, RSTART, RLENGTH) }' "$scratch/frames" |
		sort | uniq -d | wc -l
}

change_link() {
	ip -n s2 link set eth0 down
	more
	{
		echo "link set eth0 up"
		addresses s2 eth0 | sed 's/^address add/address replace/'
	} | ip -n s2 -batch -
	more
}

change_enabled() {
	sysctls s2 onehop/enabled=0
	more
	sysctls s2 onehop/enabled=1
	more
}

# A pool more and a pool less: the function of the first one stays.
change_apply() {
	{
		cat "$scratch/onehop.conf"
		sed -n '/^\[pool/,$p' "$scratch/onehop.conf" | sed 's/pool\.web/pool.more/; s/^ghosts = .*/ghosts = ["192.0.2.99"]/'
	} | ctl s2 apply -
	more
	ctl s2 apply "$scratch/onehop.conf"
	more
}

# All under one stream of packets; what was done is told with its time.
all_orders() {
	local order step

	pinging
	for order in "link enabled apply" "link apply enabled" "enabled link apply" \
		"enabled apply link" "apply link enabled" "apply enabled link"; do
		for step in $order; do
			echo "$EPOCHREALTIME $step"
			"change_$step"
		done
	done
	equal "packets with two answers" "$(doubles)" 0
}

# One within the other: the link comes back while the switch is off.
nested() {
	pinging
	sysctls s2 onehop/enabled=0
	ip -n s2 link set eth0 down
	ctl s2 apply "$scratch/onehop.conf"
	{
		echo "link set eth0 up"
		addresses s2 eth0 | sed 's/^address add/address replace/'
	} | ip -n s2 -batch -
	poll_until 10 at s2 ping -c 1 -W 1 "$(address r)"
	more
	sysctls s2 onehop/enabled=1
	more
	equal "packets with two answers" "$(doubles)" 0
}

ghost_off() {
	ip -n "$1" address del $ghost4 dev lo
	ip -n "$1" address del $ghost6 dev lo
}

ghost_on() {
	ip -n "$1" address add $ghost4 dev lo
	ip -n "$1" address add $ghost6/128 dev lo
}

pool_before_ghost() {
	configure "${servers[@]}"
	pinging
	# Warned of:
	ctl s2 check | grep 'unload-order'
	echo -n | ctl s2 apply -
	more
	(($(doubles) > 0)) || fail "no packet had two answers"
	ctl s2 apply "$scratch/onehop.conf"
}

ghost_before_pool() {
	pinging
	ghost_off s2
	more
	echo -n | ctl s2 apply -
	more
	# And back.
	ctl s2 apply "$scratch/onehop.conf"
	more
	ghost_on s2
	more
	equal "packets with two answers" "$(doubles)" 0
	# With all that s2 went through, it serves again.
	use ipv4
	one_answer_each s1 "${clients[@]:0:2}"
	use ipv6
	one_answer_each s1 "${clients[@]:2}"
}

# The module goes from all at once, when no ghost is left but s1's.
module_unloads() {
	pinging
	for name in s2 s3 s4; do
		ghost_off $name
	done
	more
	rmmod onehop
	more
	equal "packets with two answers" "$(doubles)" 0
	# s1 has kept it, and is told what that means.
	refuses ctl s1 check --config "$scratch/onehop.conf" >"$scratch/check"
	grep 'module-off' "$scratch/check"
	for name in s2 s3 s4; do
		ghost_on $name
	done
}

# shellcheck disable=SC2034 # each case is about both
family=dual
run_case "control: the pool goes before the ghost" pool_before_ghost
run_case "link, enabled and apply in all orders" all_orders
run_case "enabled again when the link is back" nested
run_case "the ghost goes before the pool, and comes after it" ghost_before_pool
run_case "the module goes last" module_unloads
finish
