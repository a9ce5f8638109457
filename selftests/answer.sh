#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# How a ghost moves from one dispatcher to the other when r has it on its own
# link: by `onehopctl answer`, which answers ARP and ND for it and announces it,
# or by keepalived, which puts it on the device.
#
#	cm -- r == lan == d1, d2: answer on, or the ghost on eth0
#	           |
#	           +== s1 .. s4
families="ipv4 ipv6"
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "$0")")/answers.sh"

plan 12
devices='"eth0"'
bed_up cm
web "${servers[@]}"
for name in $ghost4 $ghost6; do
	ip -n r route replace "$name" dev eth0
done

# entry: the link address that r has for the ghost.
entry() {
	ip -n r neigh show "$ghost" | sed -n 's/.*lladdr \([^ ]*\).*/\1/p'
}

at_dispatcher() {
	[[ $(entry) == "$(mac "$1")" ]]
}

# announcements FILE HOST: when it said that the ghost is with it, to all.
announcements() {
	tcpdump -enttr "$1" "ether src $(mac "$2")" 2>/dev/null | awk -v ghost="$ghost" '
		/who-has/ && $0 ~ "who-has " ghost " (\\([^)]*\\) )?tell " ghost "," { print $1 }
		$0 ~ ghost " > ff02::1: .*neighbor advertisement.*tgt is " ghost { print $1 }'
}

announced() {
	(($(announcements "$1" "$2" | wc -l) >= $3))
}

nobody_answers() {
	configure d1 d2
	at r ping -c 1 -W 1 "$ghost" || :
	refuses fetch cm -m 2 "$url/name"
	equal "r's entry" "$(entry)" ""
}

answers() {
	local before
	before=$(counter d1 answered)
	ctl d1 answer on --reason "the case"
	ip -n r neigh flush to "$ghost"
	one_name
	equal "r's entry" "$(entry)" "$(mac d1)"
	ip -n r neigh flush to "$ghost"
	at r "$selftests/link.py" eth0 "ask,$(address r),$ghost,x3"
	poll_until 5 counted d1 answered $((before + 3))
	ctl d1 show | grep -qi answer
	exact d1
}

# one_name: a client is served by whom d1 and d2 say.
one_name() {
	equal "server" "$(fetch cm --interface "${many[0]}" "$url/name")" "$(owner d1 "${many[0]}")"
}

already_so() {
	local generation
	generation=$(ctl d1 -j show | jq .generation)
	ctl d1 answer on
	equal "generation" "$(ctl d1 -j show | jq .generation)" "$generation"
}

# takeover FROM TO: and when TO was told so, by the module's own clock.
takeover() {
	ctl "$1" answer off
	start "$scratch/events" "$2" "$ONEHOPCTL" -j monitor --count 1
	poll_until 10 monitors "$!"
	ctl "$2" answer on
	poll_until 5 at_dispatcher "$2"
	poll_until 5 test -s "$scratch/events"
	told=$(date -d "$(jq -r .time "$scratch/events")" +%s.%N)
}

# monitors PID: it has the device open.
monitors() {
	find "/proc/$1/fd" -lname /dev/onehop | grep -q .
}

# after FILE HOST N: milliseconds from `told` to HOST's Nth announcement.
after() {
	announcements "$1" "$2" | awk -v told="$told" -v n="$3" '
		NR == n { printf "%d\n", ($1 - told) * 1000; found = 1 }
		END { exit !found }'
}

# Both ghosts are announced at once; a look at each family's frames.
takes_over() {
	local file=$scratch/takeover each told first last
	both one_name
	capture "$file" r eth0 "arp or icmp6"
	takeover d1 d2
	for each in $families; do
		use "$each"
		poll_until 10 announced "$file" d2 5
		first=$(after "$file" d2 1)
		last=$(after "$file" d2 5)
		note "$each announced after $first ms, the fifth time after $last ms"
		((first < 100)) || fail "the first announcement came after $first ms"
		((last > 3000 && last < 4600)) || fail "the fifth came after $last ms"
		at_dispatcher d2
		one_name
		equal "announcements" "$(announcements "$file" d2 | wc -l)" 5
	done
	frames "$file" >/dev/null
}

# The first two of each family do not come through.
two_are_lost() {
	local file=$scratch/lost each told
	both one_name
	at lan nft -f - <<-END
		table bridge t {
			chain lossy {
				type filter hook prerouting priority 0; policy accept;
				ether saddr $(mac d1) arp operation request arp saddr ip $ghost4 counter drop
				ether saddr $(mac d1) ip6 saddr $ghost6 icmpv6 type nd-neighbor-advert counter drop
			}
		}
	END
	capture "$file" r eth0 "arp or icmp6"
	start "$scratch/events" d1 "$ONEHOPCTL" -j monitor --count 1
	poll_until 10 monitors "$!"
	ctl d2 answer off
	ctl d1 answer on
	poll_until 5 test -s "$scratch/events"
	told=$(date -d "$(jq -r .time "$scratch/events")" +%s.%N)
	poll_until 10 lost_two
	at lan nft delete table bridge t
	for each in $families; do
		use "$each"
		poll_until 10 at_dispatcher d1
		poll_until 10 announced "$file" d1 1
		note "$each: r follows after $(after "$file" d1 1) ms"
		(($(after "$file" d1 1) < 3000))
		one_name
	done
	frames "$file" >/dev/null
}

lost_two() {
	(($(at lan nft list table bridge t | grep -c 'counter packets [2-9]') == 2))
}

# comes_up: d1's device goes and comes.
comes_up() {
	local file=$scratch/up each
	ip -n d1 link set eth0 down
	capture "$file" r eth0 "arp or icmp6"
	ip -n d1 link set eth0 up
	for each in $families; do
		use "$each"
		poll_until 10 announced "$file" d1 1
	done
	ip -n d1 -batch - <<-END
		route replace default via 10.0.0.254
		address replace 2001:db8::11/64 dev eth0
		route replace default via 2001:db8::254
	END
}

new_ghosts() {
	local file=$scratch/new
	capture "$file" r eth0 "arp or icmp6"
	conf | sed 's/^ghosts = \[/&"192.0.2.99", /' | ctl d1 apply -
	ghost=192.0.2.99 poll_until 10 announced "$file" d1 1
	configure d1
}

# Off again: nobody answers.
off() {
	ctl d1 answer off
	ctl d2 answer off
	both nothing_known
}

nothing_known() {
	ip -n r neigh flush to "$ghost"
	refuses at r ping -c 1 -W 1 "$ghost"
	[[ -z $(entry) ]]
}

devices_are_asked_for() {
	devices='' configure d1
	refuses ctl d1 answer on 2>"$scratch/error"
	grep -q device "$scratch/error" || fail "$(<"$scratch/error")"
	configure d1
}

# keepalived NAME PRIORITY: puts both ghosts on eth0 of the one that leads.
keepalived_on() {
	cat >"$scratch/$1.keepalived" <<-END
		global_defs {
			router_id $1
			vrrp_version 3
		}
		vrrp_instance ghost {
			state BACKUP
			interface eth0
			virtual_router_id 80
			priority $2
			advert_int 0.3
			virtual_ipaddress {
				$ghost4/32
			}
			virtual_ipaddress_excluded {
				$ghost6/128
			}
		}
	END
	serve "$1.keepalived" "$scratch/$1.keepalived.log" "$1" keepalived --dont-fork --log-console --vrrp \
		--use-file "$scratch/$1.keepalived" --pid "$scratch/$1.kpid" --vrrp_pid "$scratch/$1.vpid"
}

by_keepalived() {
	local each
	keepalived_on d1 150
	poll_until 20 has_ghosts d1
	keepalived_on d2 100
	for each in $families; do
		use "$each"
		poll_until 10 at_or_asked d1
		who "${many[@]:0:16}" | diff <(owner d1 "${many[@]:0:16}") -
	done
	unserve d1.keepalived
	poll_until 20 has_ghosts d2
	for each in $families; do
		use "$each"
		poll_until 10 at_or_asked d2
		who "${many[@]:0:16}" | diff <(owner d1 "${many[@]:0:16}") -
	done
	exact d1
	exact d2
	unserve d2.keepalived
}

# at_or_asked NAME: r asks for the ghost, and finds it there.
at_or_asked() {
	at r ping -c 1 -W 1 "$ghost" >/dev/null || :
	at_dispatcher "$1"
}

has_ghosts() {
	[[ -n $(ip -n "$1" -4 address show dev eth0 to $ghost4) && -n $(ip -n "$1" -6 address show dev eth0 to $ghost6 -tentative) ]]
}

for each in $families; do
	use "$each"
	run_case "control: nobody answers" nobody_answers
done
for each in $families; do
	use "$each"
	run_case "d1 answers" answers
done
use ipv4
run_case "on again is already so" already_so
run_case "the other takes over, announced five times in four seconds" takes_over
run_case "two announcements are lost" two_are_lost
run_case "a device comes up" comes_up
run_case "a ghost is new" new_ghosts
run_case "off, nobody answers" off
run_case "without devices it is refused" devices_are_asked_for
run_case "keepalived moves the ghosts" by_keepalived
finish
