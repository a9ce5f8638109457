# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts about one mode each: a change under conditions that make it
# harder to tell which connection is which. s2 drains, and drains no more, in turn.
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/verbs.sh"

# turned: s2 drains if it does not, and the other way round.
turned() {
	if awk '$2 == "s2" { found = 1 } END { exit !found }' "$scratch/owners"; then
		changed drain s2
	else
		changed undrain s2
	fi
}

# moving_streams: those on older owners: client and port.
moving_streams() {
	awk 'NR == FNR { owner[$1] = $2; next } owner[$1] != $3 { print $1, $2 }' "$scratch/owners" "$scratch/where"
}

# A server that sends cookies keeps nothing of a connection until it is there. Not s2:
# servers that share a kernel share its secret, so that one which has sent some itself
# takes the others' cookies for its own.
cookies() {
	local name

	poll_until 240 cookies_are_told
	for name in s1 s3 s4; do
		sysctls $name ipv4/tcp_syncookies=2
	done
	changed drain s2
	for name in s1 s3 s4; do
		sysctls $name ipv4/tcp_syncookies=1
	done
	committed
}

# cookies_are_told: jiffies begin five minutes before they wrap, and for two minutes
# after that the kernel takes every listener for one that has just sent cookies. Nor is
# there time for a case before that.
cookies_are_told() {
	awk '{ exit $1 > 200 && $1 < 425 }' /proc/uptime
}

# Ports that some server has in TIME_WAIT, of a connection it began under another
# function.
ports_reused() {
	streams fresh 60 reuse "${clients[@]}"
	turned
	committed
	streams fresh 60 plain "${clients[@]}"
}

hosts_apart() {
	skew=0.1 turned
	committed
}

# Both ways of every client's link.
packets_lost() {
	at r tc qdisc add dev cm root netem loss 1%
	at cm tc qdisc add dev eth0 root netem loss 1%
	turned
	committed
	at r tc qdisc del dev cm root
	at cm tc qdisc del dev eth0 root
}

# Data in the first packet: what comes next is not next to it.
data_in_the_syn() {
	streams fresh 60 fastopen "${clients[@]}"
	turned
	forgiving=yes committed
	streams fresh 60 plain "${clients[@]}"
}

# r's link to the clients gets smaller, and r says so to the ghost: only the server
# that has the connection can send what fits.
errors_about_old_flows() {
	local moving

	turned
	mapfile -t moving < <(moving_streams | awk '{ print $1 }')
	ip -n r link set cm mtu 1400
	streams bulk 200000 "${moving[@]}"
	note "$told"
	ip -n r link set cm mtu 1500
	whole
	committed
}

# r cuts what the clients send in two. A later fragment tells no ports: whoever gets
# the first one must get all.
fragments_of_old_flows() {
	local four moving before

	sysctls cm ipv4/ip_no_pmtu_disc=1
	mapfile -t four < <(printf '%s\n' "${clients[@]}" | grep -v :)
	streams close "${four[@]}"
	streams open "${four[@]}"
	turned
	mapfile -t moving < <(moving_streams | awk '$1 !~ /:/ { print $1 }')
	before=$(sum fragments)
	ip -n r link set eth0 mtu 1300
	streams upload 40000 "${moving[@]}"
	note "$told"
	ip -n r link set eth0 mtu 1500
	sysctls cm ipv4/ip_no_pmtu_disc=0
	whole
	note "fragments counted: $(($(sum fragments) - before))"
	[[ $mode == broadcast ]] || (($(sum fragments) > before))
	committed
}

# Datagrams, with fragments, stay with the oldest owner.
others_stay() {
	turned
	both others_of_family_stay
	committed
}

others_of_family_stay() {
	local client oldest

	client=$(awk -v six="$([[ $family == ipv6 ]] && echo 1 || echo 0)" \
		'$3 != "" && /:/ == six { print $1; exit }' "$scratch/owners")
	oldest=$(ctl "${hosts[0]}" -j lookup "$client" | jq -r '.[0].oldest')
	equal "oldest owner" "$oldest" "$(awk -v client="$client" '$1 == client { print $3 }' "$scratch/owners")"
	equal "who answers" "$(at cm "$selftests/udp.py" ask "$client" "$ghost" 7 4000 5 | sort | uniq -c | awk '{ print $1, $2 }')" "5 $oldest"
}

# Somebody sends a SYN in the name of live connections.
spoofed_syns() {
	local before name

	turned
	streams fresh 0
	report
	before=$(sum newest)
	moving_streams | head -n 40 >"$scratch/tuples"
	at cm "$selftests/syn.py" spoof "$ghost4" "$ghost6" <"$scratch/tuples"
	streams rounds 15
	whole
	(($(sum newest) >= before + $(wc -l <"$scratch/tuples"))) || fail "the SYNs did not go to the newest owners"
	# The newest owners have half a connection for each. They would go on answering the
	# SYN, and reset what the clients say to that once nothing else is asked.
	for name in "${servers[@]}"; do
		at "$name" ss -Kt state syn-recv >/dev/null
	done
	streams fresh 60 plain "${clients[@]}"
	committed
}

# More SYNs than anything has room for, from as many addresses, among connections of
# both functions. Cookies not from s2 here either: each client that moves is its.
syn_flood() {
	local before moving count=3000

	poll_until 240 cookies_are_told
	sysctls s2 ipv4/tcp_syncookies=0
	ip -n r route replace blackhole 198.18.0.0/15
	turned
	mapfile -t moving < <(moving_streams | awk '{ print $1 }' | head -n 20)
	streams open "${moving[@]}"
	report
	before=$(($(sum newest) + $(sum older)))
	at cm "$selftests/syn.py" flood "$ghost4" "$count"
	streams rounds 15
	whole
	note "$count SYNs; packets of clients that move meanwhile: $(($(sum newest) + $(sum older) - before))"
	allowed=${flooded:-newest} turned
	committed
	anew
	ip -n r route del blackhole 198.18.0.0/15
	sysctls s2 ipv4/tcp_syncookies=1
}

# conditions: the cases, 10.
conditions() {
	try "tcp_syncookies=2" cookies
	try "ports reused inside TIME_WAIT" ports_reused
	try "hosts change 100 ms apart" hosts_apart
	try "1 % of packets lost" packets_lost
	try "data in the SYN" data_in_the_syn
	try "errors about old connections find them" errors_about_old_flows
	try "fragments of old connections come together" fragments_of_old_flows
	try "all but TCP stays with the oldest owner" others_stay
	try "SYNs in the name of live connections" spoofed_syns
	try "a SYN flood" syn_flood
}
