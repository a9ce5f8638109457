#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ICMP errors to the ghost come from routers, so their source says nothing about
# the client: the quoted packet does. Here r's link to c1 takes 1400 bytes, the
# servers send 1500, and the ghost is told "frag needed" by r:
#
#	c1 --1400-- r == lan == d1
#	            |           "frag needed" --> d1 --> c1's server
#	            +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 12
bed_up c1 c2
web s1 s2 s3 s4
c1=10.1.1.2
ip -n r link set c1 mtu 1400

# forget: what servers have learnt about paths.
forget() {
	local name
	for name in "${servers[@]}"; do
		ip -n "$name" route flush cache
	done
}

# handed_to FILTER CMD...: which servers d1 sends frames to that match FILTER,
# while CMD runs; each once, with a count.
handed_to() {
	local filter=$1

	shift
	capture "$scratch/handed" lan br0 "ether src $(mac d1) and ($filter)"
	"$@"
	# What was sent before is on the wire before this.
	at c2 ping -c 1 -W 2 10.0.0.11 >/dev/null
	frames "$scratch/handed" | awk '{ sub(/,$/, "", $4); print $4 }' |
		while read -r mac; do server_of "$mac"; done | sort | uniq -c | awk '{ print $2 "*" $1 }'
}

download() {
	deadline=$1 fetch c1 -o "$scratch/down" "http://$ghost/big" && cmp "$scratch/big" "$scratch/down"
}

# A slow machine may need more than one try to get as far as an error; the
# download must fail in each.
errors_are_missed() {
	refuses download 3 && at d1 nft list table ip t | grep -q 'counter packets [1-9]'
}

without_the_errors_it_hangs() {
	local rc=0

	configure d1
	at d1 nft -f - <<-END
		table ip t {
			chain early {
				type filter hook prerouting priority -500; policy accept;
				icmp type destination-unreachable counter drop
			}
		}
	END
	forget
	poll_until 40 errors_are_missed || rc=$?
	# Else it would decide the cases to come.
	at d1 nft delete table ip t
	return "$rc"
}

small_link_to_the_client() {
	local name before
	forget
	before=$EPOCHREALTIME
	download 20
	note "10 MB over the 1400 byte link: $(((${EPOCHREALTIME/./} - ${before/./}) / 1000)) ms"
	name=$(owner d1 $c1)
	ip -n "$name" route get $c1 from $ghost | grep -q 'mtu 1400'
	exact d1
}

# quoting ARGS...: the one server that r's error about c1's flow must reach.
quoting() {
	equal "handed to" "$(handed_to 'icmp[icmptype] = icmp-unreach' \
		at r "$selftests/wire.py" 10.1.1.1 "$ghost" --quote "$ghost,$c1" "$@")" "$(owner d1 $c1)*1"
	exact d1
}

quote_of_8_bytes() {
	quoting --quote-bytes 8
}

quote_with_options() {
	# No-operations and a record route of one hop.
	quoting --quote-options 0101010107070400000000
}

quote_of_a_fragment() {
	quoting --quote-offset 185 --quote-bytes 64
}

# An error about a packet that the ghost did not send: not the ghost's affair,
# but d1's own stack has no such address either. It must reach no server.
foreign_quote() {
	local before
	before=$(counter d1 handed)
	equal "handed to" "$(handed_to 'icmp[icmptype] = icmp-unreach' \
		at r "$selftests/wire.py" 10.1.1.1 "$ghost" --quote "198.51.100.7,$c1")" ""
	equal "handed" "$(counter d1 handed)" "$before"
	exact d1
}

# The same, where d1 has the ghost itself: its stack gets and counts the error.
foreign_quote_where_the_ghost_is_local() {
	local before
	ip -n d1 address add "$ghost/32" dev lo
	before=$(snmp d1 IcmpInMsgs)
	equal "handed to" "$(handed_to 'icmp[icmptype] = icmp-unreach' \
		at r "$selftests/wire.py" 10.1.1.1 "$ghost" --quote "198.51.100.7,$c1")" ""
	# Two: the error, and the ping that ends the capture.
	equal "ICMP messages d1 got" "$(($(snmp d1 IcmpInMsgs) - before))" 2
	ip -n d1 address del "$ghost/32" dev lo
	exact d1
}

quote_cut_short() {
	local before
	before=$(counter d1 drop_malformed)
	equal "handed to" "$(handed_to 'icmp[icmptype] = icmp-unreach' \
		at r "$selftests/wire.py" 10.1.1.1 "$ghost" --quote "$ghost,$c1" --quote-bytes -4)" ""
	equal "counted" "$(counter d1 drop_malformed)" $((before + 1))
	exact d1
}

full_size_both_ways() {
	local before
	before=$(snmp d1 IcmpOutMsgs)
	at c2 ping -M "do" -s 1472 -c 20 -i 0.01 -W 2 "$ghost" >"$scratch/ping"
	grep -q ' 0% packet loss' "$scratch/ping"
	equal "ICMP from d1" "$(snmp d1 IcmpOutMsgs)" "$before"
	exact d1
}

time_to_live() {
	local before
	before=$(counter d1 drop_ttl)
	at c2 ping -c 1 -W 2 -t 2 "$ghost" >"$scratch/ping" || :
	grep -q 'From 10.0.0.11 .*Time to live exceeded' "$scratch/ping"
	equal "counted" "$(counter d1 drop_ttl)" $((before + 1))
	at c2 ping -c 1 -W 2 -t 3 "$ghost"
	exact d1
}

traceroute_names_the_dispatcher() {
	at c2 traceroute -n -q 1 -w 2 -m 6 "$ghost" >"$scratch/trace"
	equal "path" "$(awk 'NR > 1 { print $2 }' "$scratch/trace" | paste -sd' ')" "10.1.2.1 10.0.0.11 $ghost"
	exact d1
}

bounced() {
	(($(counter d2 drop_bounced) > $1))
}

# d1 and d2 take each other for the only server: d2 must not send back what came
# from d1 (split horizon), so a packet is transmitted once, not until its time
# to live ends.
each_others_server() {
	local handed before
	{ pool && member d2 10.0.0.12; } | ctl d1 apply -
	{ pool && member d1 10.0.0.11; } | ctl d2 apply -
	handed=$(counter d1 handed)
	before=$(counter d2 drop_bounced)
	capture "$scratch/loop" lan br0 "udp port 9 and (ether src $(mac d1) or ether src $(mac d2))"
	at c2 "$selftests/wire.py" 10.1.2.2 "$ghost"
	poll_until 5 bounced "$before"
	equal "transmissions" "$(frames "$scratch/loop" | wc -l)" 1
	equal "handed over by d1" "$(counter d1 handed)" $((handed + 1))
	equal "bounced at d2" "$(counter d2 drop_bounced)" $((before + 1))
	exact d1
	exact d2
}

run_case "control: without the errors a download hangs" without_the_errors_it_hangs
run_case "small link to the client, 10 MB arrive" small_link_to_the_client
run_case "quote of 8 bytes reaches the client's server" quote_of_8_bytes
run_case "quote with IP options" quote_with_options
run_case "quote of a fragment" quote_of_a_fragment
run_case "quote that is not the ghost's reaches no server" foreign_quote
run_case "quote that is not the ghost's, ghost local" foreign_quote_where_the_ghost_is_local
run_case "quote cut short is dropped and counted" quote_cut_short
run_case "1500 bytes both ways, no ICMP" full_size_both_ways
run_case "time exceeded comes from the dispatcher" time_to_live
run_case "traceroute names the dispatcher" traceroute_names_the_dispatcher
run_case "dispatchers as each other's server" each_others_server
finish
