#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The dispatcher fails over. It keeps nothing, so its successor needs nothing:
# live downloads go on while r's way to the ghost moves to and fro.
#
#	cm (64 addresses, up to 8 flows each) -- r == lan == d1 <-> d2
#	                                       |
#	                                       +== s1 .. s4: 64 kB/s a flow, or 16
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 4
bed_up cm
web s1 s2 s3 s4
# 2, 6 and 16 seconds, and 16 of the slower ones: a move may take a slow machine two.
for name in short:131072 middle:393216 long:1048576 lean:262144; do
	head -c "${name#*:}" "$scratch/big" >"$scratch/${name%:*}"
done
for name in "${servers[@]}"; do
	ln -s "$scratch/short" "$scratch/middle" "$scratch/long" "$scratch/lean" "$scratch/$name/www/"
done

# flows_begin PER_ADDRESS FILE: downloads of cm's addresses, in the background. 512 at 64 kB/s
# are more than an emulated guest carries beside another one: some starve for a minute, and
# nginx gives them up.
flows_begin() {
	local rate=slow

	[[ $2 != lean ]] || rate=slower
	rm -f "$scratch/progress"
	start "$scratch/flows" cm "$selftests/flows.py" "$ghost" "/$rate/$2" "$scratch/$2" \
		"$1" "$scratch/progress" "${many[@]}"
	flows=$!
	poll_until 60 begun $((64 * $1))
}

begun() {
	(($(cut -d' ' -f1 "$scratch/progress") >= $1))
}

# at_percent N: of all bytes, have arrived.
at_percent() {
	(($(cut -d' ' -f2 "$scratch/progress") >= $1))
}

# flows_end: all have come to their end; resets_seen is what they cost. Then they
# close, after which a FIN repeated by a server is answered with a reset, too.
flows_end() {
	local rc=0
	poll_until 110 grep -q ' whole, ' "$scratch/flows"
	resets_seen=$(resets)
	rm "$scratch/progress"
	wait "$flows" || rc=$?
	note "$(tail -n 1 "$scratch/flows")"
	cat "$scratch/flows"
	return $rc
}

# settled: cm has no connection left, not even one that is ending.
settled() {
	[[ -z $(at cm ss -Htn state connected exclude time-wait) ]]
}

resets() {
	local name sum=0
	for name in "${servers[@]}" cm; do
		sum=$((sum + $(snmp "$name" TcpOutRsts)))
	done
	echo $sum
}

# The successor has another table: what this test would see if state were needed.
other_table_breaks_flows() {
	configure d1
	conf 'seed = "ffffffffffffffffffffffffffffffff"' | ctl d2 apply -
	flows_begin 1 middle
	via d2
	refuses flows_end
}

# moves CMD PER_ADDRESS FILE: five times, from one dispatcher to the other.
moves() {
	local before i target handed
	configure d1 d2
	poll_until 30 settled
	before=$(resets)
	handed=$(counter d2 handed)
	flows_begin "$2" "$3"
	for i in 1 2 3 4 5; do
		target=d$((1 + i % 2))
		poll_until 60 at_percent $((i * 10))
		"$1" $target
	done
	refuses at_percent 100
	flows_end
	equal "resets" "$resets_seen" "$before"
	(($(counter d2 handed) > handed)) || fail "d2 was never used"
	exact d1
	exact d2
}

by_route() {
	moves via 8 lean
	via d1
}

# announce NAME: it takes the address that r's route names, and says so.
announce() {
	local other=d1
	[[ $1 != d1 ]] || other=d2
	ip -n "$other" address del 10.0.0.10/24 dev eth0
	ip -n "$1" address add 10.0.0.10/24 dev eth0
	start "$scratch/announce" "$1" arping -U -c 1 -i eth0 -S 10.0.0.10 10.0.0.10
	poll_until 5 follows "$(mac "$1")"
}

# follows MAC: r sends there what is for the address.
follows() {
	ip -n r neigh show 10.0.0.10 | grep -q "$1"
}

by_announcement() {
	# A move within a second of the one before counts too.
	sysctls r ipv4/neigh/eth0/locktime=0
	ip -n d1 address add 10.0.0.10/24 dev eth0
	ip -n r route replace "$ghost" via 10.0.0.10
	moves announce 2 long
	via d1
}

both_at_once() {
	local before
	configure d1 d2
	poll_until 30 settled
	before=$(resets)
	ip -n r route replace "$ghost" nexthop via 10.0.0.11 nexthop via 10.0.0.12
	sysctls r ipv4/fib_multipath_hash_policy=1
	flows_begin 2 short
	flows_end
	equal "resets" "$resets_seen" "$before"
	via d1
}

run_case "512 flows, five moves of the route" by_route
run_case "128 flows, five moves of the address" by_announcement
run_case "two active dispatchers" both_at_once
run_case "control: a successor with another table breaks flows" other_table_breaks_flows
finish
