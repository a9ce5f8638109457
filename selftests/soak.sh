#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Traffic and changes for SOAK_SECONDS (60; `make soak` says half an hour): no packet is lost without a
# counter that says so, nothing stalls, and no memory is kept.
#
#	cm: UDP, TCP, ICMP of both families -- r == lan == d1: dispatcher, and server 11
#	                                            |
#	                                            +== s1 .. s4
#
# d1's device has a queue that is too short, so that it drops, too. A server that dies says nothing
# any more to who asks for its link address, until it returns.
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

seconds=${SOAK_SECONDS:-60}
rounds=3
# In which there must be traffic: long enough for any machine that is merely busy.
interval=10
RANDOM=1997
# For the ghosts, and for nothing else.
drops=/sys/kernel/debug/tracing/events/skb/kfree_skb/trigger
discarded=${drops%trigger}hist
made=0

plan $((rounds + 3))
bed_up cm
ip -n d1 -batch - <<-END
	address add $ghost4/32 dev lo
	address add $ghost6/128 dev lo
END
web s1 s2 s3 s4 d1
for name in cm "${servers[@]}" d1; do
	# What TCP remembers of connections that are over is not what is asked here.
	sysctls "$name" ipv4/tcp_max_tw_buckets=0 ipv4/tcp_no_metrics_save=1
done

with_d1() {
	conf "$@"
	member d1 10.0.0.11
}

# short_queue: for the ghosts' packets, at d1; the others never come by it.
short_queue() {
	at d1 tc qdisc add dev eth0 root handle 1: prio bands 4
	at d1 tc qdisc add dev eth0 parent 1:4 handle 4: netem delay 1ms limit 12
	at d1 tc filter add dev eth0 parent 1: prio 1 protocol ip u32 match ip dst $ghost4/32 flowid 1:4
	at d1 tc filter add dev eth0 parent 1: prio 2 protocol ipv6 u32 match ip6 dst $ghost6/128 flowid 1:4
}

# counting SERVER: what d1 sends it for the ghosts, as it comes in.
counting() {
	at "$1" nft -f - <<-END
		table netdev soak {
			chain in {
				type filter hook ingress device "eth0" priority -500;
				ether saddr $(mac d1) ether daddr $(mac "$1") ip daddr $ghost4 counter
				ether saddr $(mac d1) ether daddr $(mac "$1") ip6 daddr $ghost6 counter
			}
		}
	END
}

# quick: d1 finds out within seconds that a server does not answer any more.
quick() {
	local family

	for family in ipv4 ipv6; do
		sysctls d1 $family/neigh/eth0/base_reachable_time_ms=1000 $family/neigh/eth0/delay_first_probe_time=1 \
			$family/neigh/eth0/ucast_solicit=1
	done
}

# received: by all servers, of what d1 has sent them.
received() {
	local name

	for name in "${servers[@]}"; do
		at "$name" nft -j list chain netdev soak in
	done | jq -s '[.. | .counter? | .packets? // empty] | add'
}

# queued: what d1's queues have dropped.
queued() {
	at d1 tc -s -j qdisc show dev eth0 | jq '[.[] | select(.kind == "netem") | .drops] | add'
}

# undelivered: what devices between d1 and the servers have not passed on.
undelivered() {
	{
		ip -n d1 -s -j link show dev eth0
		for name in "${servers[@]}"; do
			ip -n lan -s -j link show dev "to-$name"
		done
	} | jq -s '[.[][].stats64.tx.dropped] | add'
}

# unresolved: what waited for a link address, or would have had to, and was discarded: where the kernel
# frees it tells. Of d1 alone: everybody else is answered.
unresolved() {
	awk '/\] (__neigh_|neigh_|arp_error|ndisc_error)/ && match($0, /hitcount: *[0-9]+/) {
		sum += substr($0, RSTART + 9) + 0 } END { print sum + 0 }' "$discarded"
}

# balanced [OFFSET]: what d1 has handed over is with the servers, or somebody has counted it.
balanced() {
	local handed sums
	handed=$(($(counter d1 handed) + ${1-0}))
	sums=("$(received)" "$(unresolved)" "$(queued)" "$(undelivered)")
	echo "handed $handed: received ${sums[0]}, unresolved ${sums[1]}, queue ${sums[2]}, devices ${sums[3]}"
	((handed == sums[0] + sums[1] + sums[2] + sums[3]))
}

# traffic: on both processors, until the case ends.
traffic() {
	local cpu on

	for cpu in 0 1; do
		on=(cm taskset -c "$cpu")
		start "$scratch/udp-$cpu" "${on[@]}" "$selftests/udp.py" flood 100000 $ghost4 9 "${many4[@]:cpu * 8:3}"
		start "$scratch/udp6-$cpu" "${on[@]}" "$selftests/udp.py" flood 100000 $ghost6 9 "${many6[@]:cpu * 8:2}"
		start "$scratch/upload-$cpu" "${on[@]}" curl -s -m 10 -H 'Connection: close' \
			--interface "${many4[20 + cpu]}" -T "$scratch/body" "http://$ghost4/up/body?[1-1000000]"
		start "$scratch/fetch-$cpu" "${on[@]}" curl -s -m 10 -H 'Connection: close' \
			--interface "${many6[30 + cpu]}" "http://[$ghost6]/name?[1-1000000]"
	done
	start "$scratch/ping" cm ping -q -i 0.01 -I "${many4[40]}" $ghost4
	# Used up when it comes to d1.
	start "$scratch/ttl" cm ping -q -i 0.05 -t 2 -I "${many4[41]}" $ghost4
}

# change NUMBER: a change of one kind, on a server of chance.
change() {
	local name=${servers[RANDOM % 4]}

	case $1 in
	0) ctl d1 down "$name" && ctl d1 up "$name" ;;
	1) ctl d1 drain --for none "$name" && ctl d1 undrain --for none "$name" ;;
	2) ctl d1 drain --for 1s "$name" ;;
	3) ctl d1 undrain "$name" ;;
	4) ctl d1 abort ;;
	5) ctl d1 extend --for 10m ;;
	6) with_d1 'kind = "mod"' | ctl d1 apply - ;;
	7) with_d1 "rows = $((256 << RANDOM % 4))" | ctl d1 apply - ;;
	8) disabled ;;
	esac
	made=$((made + 1))
	# Eight functions are all there is room for.
	((made % 3)) || ctl d1 commit
}

# disabled: for as long as it takes to be noticed.
disabled() {
	local before

	before=$(counter d1 drop_disabled)
	sysctls d1 onehop/enabled=0
	poll_until 30 more drop_disabled "$before"
	sysctls d1 onehop/enabled=1
}

# more NAME THAN: by the counter of this name.
more() {
	(($(counter d1 "$1") > $2))
}

# changes: one of each kind, in the order of chance.
changes() {
	local i swap other order=(0 1 2 3 4 5 6 7 8)

	for ((i = ${#order[@]} - 1; i > 0; i--)); do
		other=$((RANDOM % (i + 1)))
		swap=${order[i]} order[i]=${order[other]} order[other]=$swap
	done
	for i in "${order[@]}"; do
		change "$i"
	done
}

fails() {
	ip -n d1 neigh show "$(address "$1" ipv4)" | grep -qE 'FAILED|INCOMPLETE'
}

# dies NAME: its service, and its host for those who ask for it. Packets go on being sent there, until
# somebody has noticed.
dies() {
	unserve "$1"
	at "$1" nft -f - <<-END
		table netdev dead {
			chain in {
				type filter hook ingress device "eth0" priority -400;
				arp operation request drop
				icmpv6 type nd-neighbor-solicit drop
			}
		}
	END
	poll_until 60 fails "$1"
	ctl d1 down "$1"
}

returns() {
	at "$1" nft delete table netdev dead
	rm -f "$scratch/$1/nginx.pid"
	web "$1"
	ctl d1 up "$1"
}

# quiet: nobody sends any more, and all is at its beginning.
quiet() {
	stop_all
	with_d1 | ctl d1 apply --now -
	ctl d1 commit
}

nothing_is_noticed() {
	start "$scratch/pulse" cm "$selftests/pulse.py" d1 cm 1
	poll_until 30 test -s "$scratch/pulse"
	refuses lively 1
	poll_until 10 balanced
	refuses balanced 1
}

# lively LINES: traffic in each of the intervals, and at least so many of them.
lively() {
	cat "$scratch/pulse"
	awk -v lines="$1" '$1 == 0 || $2 == 0 { stalled = 1 } END { exit !(NR >= lines && !stalled) }' "$scratch/pulse"
}

round() {
	local end=$((SECONDS + seconds / rounds)) victim=${servers[RANDOM % 4]} pulse seen

	seen=$(counter d1 seen)
	traffic
	poll_until 60 more seen "$seen"
	start "$scratch/pulse" cm "$selftests/pulse.py" d1 cm $interval
	pulse=$!
	dies "$victim"
	changes
	returns "$victim"
	while ((SECONDS < end)); do
		changes
	done
	poll_until 60 test -s "$scratch/pulse"
	stop "$pulse"
	quiet
	lively 1
	# What was under way is where it belongs.
	poll_until 60 exact d1
	poll_until 60 balanced
	note "$(balanced)"
	note "$(ctl d1 stats | awk '$2 > 0 { printf "%s %s ", $1, $2 }')"
	note "least in $interval s: $(sort -n "$scratch/pulse" | head -n 1) seen, answered; $made changes"
}

drops_of_each_kind() {
	local name
	for name in received queued unresolved; do
		(($($name) > 0)) || fail "nothing $name"
	done
	for name in handed local slow drop_ttl drop_disabled newest older; do
		(($(counter d1 $name) > 0)) || fail "nothing $name"
	done
}

as_flat_as_before() {
	poll_until 90 "$selftests/held.py" compare "$scratch/held"
	note "$(<"$scratch/poll.out")"
}

module_load
head -c 1000000 /dev/urandom >"$scratch/body"
short_queue
quick
for name in "${servers[@]}"; do
	counting "$name"
done
with_d1 | ctl d1 apply --now -
echo 'hist:keys=location.sym,reason' >"$drops"

run_case "control: a stall, and one packet, are noticed" nothing_is_noticed
for ((i = 1; i <= rounds; i++)); do
	run_case "traffic and changes, $((seconds / rounds)) s, $i of $rounds" round
	((i > 1)) || "$selftests/held.py" save "$scratch/held"
done
run_case "each kind of loss was there" drops_of_each_kind
run_case "memory is as after the first round" as_flat_as_before
echo '!hist:keys=location.sym,reason' >"$drops"
finish
