#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ICMPv6: errors to the ghost go to the server of the client they quote, errors
# of d1's own go to the client, neighbour discovery and link-local addresses are
# nobody's to dispatch, and there is no redirect for the ghost. The twin of icmp
# and redirects.
#
#	c1 --1400-- r == lan == d1, s1 .. s4, and l1: a client on the lan itself
#	            |           "too big" --> d1 --> c1's server
#	            +== s1 .. s4
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 18
bed_up c1 c2
join l1
web "${servers[@]}"
use ipv6
c1=$(address c1)
ip -n r link set c1 mtu 1400
ip -n l1 route add "$ghost" via "$(address d1)"
for name in r d1; do
	sysctls "$name" ipv6/conf/all/accept_redirects=0
done

forget() {
	local name
	for name in "${servers[@]}" "$@"; do
		ip -n "$name" -6 route flush cache
	done
}

# handed_to FILTER CMD...: which servers d1 sends frames to that match FILTER,
# while CMD runs; each once, with a count.
handed_to() {
	local filter=$1

	shift
	capture "$scratch/handed" lan br0 "ether src $(mac d1) and dst host $ghost and ($filter)"
	"$@"
	# What was sent before is on the wire before this.
	at c2 ping -c 1 -W 2 "$(address d1)" >/dev/null
	frames "$scratch/handed" | awk '{ sub(/,$/, "", $4); print $4 }' |
		while read -r mac; do server_of "$mac"; done | sort | uniq -c | awk '{ print $2 "*" $1 }'
}

download() {
	deadline=$1 fetch c1 -o "$scratch/down" "$url/big" && cmp "$scratch/big" "$scratch/down"
}

errors_are_missed() {
	refuses download 3 && at d1 nft list table ip6 t | grep -q 'counter packets [1-9]'
}

without_the_errors_it_hangs() {
	local rc=0

	configure d1
	at d1 nft -f - <<-END
		table ip6 t {
			chain early {
				type filter hook prerouting priority -500; policy accept;
				icmpv6 type packet-too-big counter drop
			}
		}
	END
	forget
	poll_until 40 errors_are_missed || rc=$?
	at d1 nft delete table ip6 t
	return "$rc"
}

small_link_to_the_client() {
	local name
	forget
	download 20
	name=$(owner d1 "$c1")
	ip -n "$name" route get "$c1" from "$ghost" | grep -q 'mtu 1400'
	exact d1
}

# quoting ARGS... [-- ARGS...]: r's errors about c1's flow, made by each list of
# arguments, must all reach the one server.
quoting() {
	equal "handed to" "$(handed_to 'icmp6 and ip6[40] == 2' quotes "$@")" \
		"$(owner d1 "$c1")*$(($(printf '%s\n' "$@" | grep -cx -- --) + 1))"
	exact d1
}

quotes() {
	local word list=()

	for word in "$@" --; do
		if [[ $word == -- ]]; then
			at r "$selftests/wire6.py" 2001:db8:1:1::1 "$ghost" --quote "$ghost,$c1" "${list[@]}"
			list=()
		else
			list+=("$word")
		fi
	done
}

short_and_long_quotes() {
	quoting --quote-bytes 8 -- --quote-bytes 1000
}

quote_with_extension_headers() {
	quoting --quote-extensions hop -- --quote-extensions destination -- \
		--quote-extensions hop,routing,destination
}

quote_of_a_fragment() {
	quoting --quote-offset 0 -- --quote-offset 181 --quote-bytes 64
}

# The error itself behind a header: tcpdump's offset does not hold, the count does.
error_behind_an_extension_header() {
	equal "handed to" "$(handed_to 'ip6 proto 60' at r "$selftests/wire6.py" 2001:db8:1:1::1 "$ghost" \
		--quote "$ghost,$c1" --extensions destination)" "$(owner d1 "$c1")*1"
	exact d1
}

foreign_quote() {
	local before
	before=$(counter d1 handed)
	equal "handed to" "$(handed_to icmp6 \
		at r "$selftests/wire6.py" 2001:db8:1:1::1 "$ghost" --quote "2001:db8:99::7,$c1")" ""
	equal "handed" "$(counter d1 handed)" "$before"
	exact d1
}

foreign_quote_where_the_ghost_is_local() {
	local before
	ip -n d1 address add "$ghost/128" dev lo
	before=$(snmp d1 Icmp6InPktTooBigs)
	equal "handed to" "$(handed_to icmp6 \
		at r "$selftests/wire6.py" 2001:db8:1:1::1 "$ghost" --quote "2001:db8:99::7,$c1")" ""
	equal "errors d1 got" "$(($(snmp d1 Icmp6InPktTooBigs) - before))" 1
	ip -n d1 address del "$ghost/128" dev lo
	exact d1
}

quote_cut_short() {
	local before
	before=$(counter d1 drop_malformed)
	equal "handed to" "$(handed_to icmp6 \
		at r "$selftests/wire6.py" 2001:db8:1:1::1 "$ghost" --quote "$ghost,$c1" --quote-bytes -4)" ""
	equal "counted" "$(counter d1 drop_malformed)" $((before + 1))
	exact d1
}

# Router and neighbour solicitations and advertisements, and redirects, 133 to 137:
# for the link they are on, whoever they name.
discovery_is_not_dispatched() {
	local type before messages=()
	before=$(counter d1 drop_not_dispatched)
	for type in 85 86 87 88 89; do
		messages+=(--icmp "${type}0000000000000020010db8000000000000000000000077")
	done
	equal "handed to" "$(handed_to icmp6 at r "$selftests/wire6.py" "$(address r)" "$ghost" --hop-limit 255 "${messages[@]}")" ""
	equal "counted" "$(counter d1 drop_not_dispatched)" $((before + 5))
	exact d1
}

link_local_is_not_dispatched() {
	local before
	before=$(counter d1 drop_not_dispatched)
	equal "handed to" "$(handed_to icmp6 at l1 "$selftests/wire6.py" fe80::ff:fe00:15 "$ghost" --icmp 8000000000010001)" ""
	equal "counted" "$(counter d1 drop_not_dispatched)" $((before + 1))
	# The same from its other address.
	equal "handed to" "$(handed_to icmp6 at l1 "$selftests/wire6.py" "$(address l1)" "$ghost" --icmp 8000000000010001)" \
		"$(owner d1 "$(address l1)")*1"
	exact d1
}

full_size_both_ways() {
	at c2 ping -M "do" -s 1452 -c 20 -i 0.01 -W 2 "$ghost" >"$scratch/ping"
	grep -q ' 0% packet loss' "$scratch/ping"
	equal "errors by d1" "$(snmp d1 Icmp6OutErrors)$(snmp d1 Icmp6OutPktTooBigs)$(snmp d1 Icmp6OutDestUnreachs)" 000
	exact d1
}

hop_limit() {
	local before
	before=$(counter d1 drop_ttl)
	at c2 ping -c 1 -W 2 -t 2 "$ghost" >"$scratch/ping" || :
	grep -q "From $(address d1) .*Time exceeded" "$scratch/ping" || fail "$(<"$scratch/ping")"
	equal "counted" "$(counter d1 drop_ttl)" $((before + 1))
	at c2 ping -c 1 -W 2 -t 3 "$ghost"
	exact d1
}

traceroute_names_the_dispatcher() {
	at c2 traceroute -6 -n -q 1 -w 2 -m 6 "$ghost" >"$scratch/trace"
	equal "path" "$(awk 'NR > 1 { print $2 }' "$scratch/trace" | paste -sd' ')" "2001:db8:1:2::1 $(address d1) $ghost"
	exact d1
}

bounced() {
	echo $(($(counter d1 drop_bounced) + $(counter d2 drop_bounced)))
}

bounced_again() {
	(($(bounced) > $1))
}

# The first one before the two have met, the second one after.
each_others_server() {
	local before i
	{ pool && member d2 10.0.0.12; } | ctl d1 apply -
	{ pool && member d1 10.0.0.11; } | ctl d2 apply -
	for i in 1 2; do
		before=$(bounced)
		capture "$scratch/loop" lan br0 "udp port 9 and (ether src $(mac d1) or ether src $(mac d2))"
		at c2 "$selftests/wire6.py" "$(address c2)" "$ghost"
		poll_until 5 bounced_again "$before"
		(($(frames "$scratch/loop" | wc -l) <= 2)) || fail "packet $i was sent $(frames "$scratch/loop" | wc -l) times"
		equal "bounced" "$(bounced)" $((before + 1))
		exact d1
		exact d2
		at d2 ping -c 1 -W 2 "$(address d1)"
	done
	equal "transmissions" "$(frames "$scratch/loop" | wc -l)" 1
	configure d1
}

# redirects CMD...: how many are on the wire meanwhile.
redirects() {
	capture "$scratch/redirects" lan br0 "icmp6 and ip6[40] == 137"
	"$@" >&2
	frames "$scratch/redirects" | wc -l
}

ordinary_router_redirects() {
	echo -n | ctl d1 apply -
	# Only a link-local gateway can be told of.
	ip -n d1 route add "$ghost" via fe80::ff:fe00:1 dev eth0
	(($(redirects fetch l1 "$url/name") > 0)) || fail "no redirect on the wire"
	ip -n d1 route del "$ghost"
	forget l1 r
	configure d1
}

fetch_often() {
	local i
	for ((i = 0; i < 30; i++)); do
		echo "url = $url/name"
	done >"$scratch/urls"
	equal "answers" "$(deadline=30 fetch "$1" --no-keepalive -H 'Connection: close' -K "$scratch/urls" | wc -l)" 30
}

none_for_the_ghost() {
	equal "redirects for l1" "$(redirects fetch_often l1)" 0
	equal "redirects for r" "$(redirects fetch_often c2)" 0
	exact d1
}

others_as_before() {
	ip -n l1 route add "$(address s4)/128" via "$(address d1)"
	(($(redirects at l1 ping -c 1 -W 2 "$(address s4)") > 0)) || fail "no redirect on the wire"
}

run_case "control: without the errors a download hangs" without_the_errors_it_hangs
run_case "small link to the client, 10 MB arrive" small_link_to_the_client
run_case "quote reaches the client's server" short_and_long_quotes
run_case "quote with extension headers" quote_with_extension_headers
run_case "quote of a fragment" quote_of_a_fragment
run_case "an error behind an extension header" error_behind_an_extension_header
run_case "quote that is not the ghost's reaches no server" foreign_quote
run_case "quote that is not the ghost's, ghost local" foreign_quote_where_the_ghost_is_local
run_case "quote cut short is dropped and counted" quote_cut_short
run_case "neighbour discovery is not dispatched" discovery_is_not_dispatched
run_case "link-local addresses are not dispatched" link_local_is_not_dispatched
run_case "1500 bytes both ways, no ICMP" full_size_both_ways
run_case "time exceeded comes from the dispatcher" hop_limit
run_case "traceroute names the dispatcher" traceroute_names_the_dispatcher
run_case "dispatchers as each other's server" each_others_server
run_case "control: an ordinary router redirects" ordinary_router_redirects
run_case "no redirect for the ghost" none_for_the_ghost
run_case "others get theirs as before" others_as_before
finish
