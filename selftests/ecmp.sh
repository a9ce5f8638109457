#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Two dispatchers at work at once. Each announces the ghosts by BGP, and the router
# spreads connections over both, with the files of ctl/examples. One goes, in order
# or without a word, and comes back: live streams see nothing of it.
#
#	cm: 48 addresses and 24 of IPv6, each with a stream -- r: bird == lan == d1, d2: bird
#	                                                                   |
#	                                                                   +== s1 .. s4
mode=router
method=track
streams4=48
streams6=24
# shellcheck source=transition.sh
. "$(dirname "$(readlink -f "$0")")/transition.sh"
# Nothing here is in such a hurry, and what the kernel does in threads of its own, such
# as to pass packets on, should not have to wait for it: an acknowledgement that comes
# when its connection has ended costs a reset.
renice -n 0 $$ >/dev/null

plan 6

# speak NAME...: bird, with the file for such a host, and three times its patience: an
# emulated guest pauses for a second now and then.
speak() {
	local name file

	for name; do
		file=bird-dispatcher.conf
		[[ $name != r ]] || file=bird-router.conf
		sed 's/multiplier 5;/multiplier 15;/' "$tree/ctl/examples/$file" >"$scratch/bird-$name.conf"
		serve "bird-$name" "$scratch/bird-$name" "$name" \
			nice -n -20 bird -f -c "$scratch/bird-$name.conf" -s "$scratch/bird-$name.ctl"
	done
}

# count NAME...: from now on, what comes to them for the ghosts.
count() {
	local name

	for name; do
		at "$name" nft -f - <<-END
			table inet came {
				counter ipv4 { }
				counter ipv6 { }
				chain came {
					type filter hook prerouting priority -500;
					ip daddr $ghost4 counter name ipv4
					ip6 daddr $ghost6 counter name ipv6
				}
			}
		END
	done
}

# came NAME: packets of IPv4 and of IPv6, since it was last asked.
came() {
	at "$1" nft reset counters table inet came | awk '/packets/ { print $2 }' | paste -sd' '
}

# next_hops NAME...: as `ip route` shows them.
next_hops() {
	local name

	for name; do
		echo "via $(address "$name")"
	done
}

# led_by NAME...: r sends what is for the ghosts to these dispatchers and no other.
led_by() {
	local each

	for each in $families; do
		use "$each"
		equal "r's ways to $ghost" "$(ip -n r "-${each#ipv}" route show "$ghost" | grep -o 'via [^ ]*')" "$(next_hops "$@")" || return
	done
}

both_lead() {
	poll_until 60 led_by d1 d2
}

# unharmed: all streams are there and are answered, new connections have their owners,
# and nobody has sent or got a reset.
unharmed() {
	local now=$EPOCHREALTIME

	streams since "$now" 20 "$scratch/fresh"
	streams rounds 3
	whole
	streams placed "$now" "$now" newest
}

# used NAME...: packets of both families come to each of them, and to nobody else.
used() {
	local name four six

	streams rounds 1
	for name in d1 d2; do
		came $name >"$scratch/forgotten"
	done
	unharmed
	for name in d1 d2; do
		read -r four six < <(came $name)
		note "to $name: $four packets of IPv4, $six of IPv6"
		if [[ " $* " == *" $name "* ]]; then
			((four > 0 && six > 0)) || fail "not both families come to $name"
		else
			equal "packets to $name" "$((four + six))" 0
		fi
	done
}

both_work() {
	both_lead
	used d1 d2
}

goes_in_order() {
	both_lead
	unserve bird-d1
	poll_until 20 led_by d2
	used d2
}

comes_back() {
	speak d1
	both_work
}

# d2 knows that its link is down; r does not know that of d2.
goes_silently() {
	local begun

	both_lead
	ip -n lan link set to-d2 down
	begun=${EPOCHREALTIME/./}
	poll_until 30 led_by d1
	note "found out after $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
	used d1
}

link_comes_back() {
	ip -n lan link set to-d2 up
	both_work
}

# What this test would see if the two did not agree.
another_seed_breaks_streams() {
	both_lead
	birdc -s "$scratch/bird-d2.ctl" disable '"ghost*"'
	poll_until 20 led_by d1
	unharmed
	four 'seed = "ffffffffffffffffffffffffffffffff"' | ctl d2 apply --now -
	birdc -s "$scratch/bird-d2.ctl" enable '"ghost*"'
	both_lead
	unserve bird-d1
	poll_until 20 led_by d2
	streams rounds 3
	report
	note "broken: $(jq -c .broken "$scratch/report")"
	(($(jq '.broken.ECONNRESET // 0' "$scratch/report") > 20))
	unserve streams
	poll_until 10 exact d1
	poll_until 10 exact d2
}

# recover: for `try`, what has been found does not count again.
recover() {
	streams forget
	account
}

# The bed's own, to d1 only, come before bird's.
no_route() {
	ip -n r route del "$ghost"
}

transition_bed
on_all up s2 --now
for name in cm "${servers[@]}"; do
	sysctls "$name" ipv4/tcp_early_retrans=0
done
both no_route
count d1 d2
speak r d1 d2
both_lead
use ipv4
begin
streams fresh 30 plain "${clients[@]}"
streams change

try "both dispatchers are at work, for both families" both_work
try "one ends its announcement, and nothing breaks" goes_in_order
try "it comes back" comes_back
try "the link of one goes, without a word, and nothing breaks" goes_silently
try "it comes back, too" link_comes_back
try "control: one with another seed breaks streams" another_seed_breaks_streams
((failures == 0)) || grep . "$scratch"/bird-? >&2
finish
