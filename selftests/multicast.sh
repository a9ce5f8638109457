#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode broadcast in the shapes multicast and igmp: r has the ghost on its own
# link, and every server answers ARP and ND for it, all with the same group
# address, to which r then sends.
#
#	cm (64 addresses) -- r == lan == s1 .. s4, and l1
#
mode=broadcast
families="ipv4 ipv6"
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "$0")")/answers.sh"

plan 22
devices='"eth0"'
bed_up cm
join l1
services "${servers[@]}"
# No router in between: r, and l1, ask for the ghost themselves.
for name in r l1; do
	ip -n $name route replace $ghost4 dev eth0
	ip -n $name route replace $ghost6 dev eth0
done

# group: the link address that belongs to the ghost.
group() {
	case $shape.$family in
	multicast.ipv4) echo 03:bf:c0:00:02:50 ;;
	multicast.ipv6) echo 03:bf:00:00:00:80 ;;
	igmp.ipv4) echo 01:00:5e:7f:02:50 ;;
	igmp.ipv6) echo 33:33:00:00:00:80 ;;
	esac
}

# entry NAME: the link address that this host has for the ghost.
entry() {
	ip -n "$1" neigh show "$ghost" | sed -n 's/.*lladdr \([^ ]*\).*/\1/p'
}

# told CMD...: what is said about the ghost on the lan while CMD runs: who says
# it, and where the ghost is.
told() {
	# r has questions of its own meanwhile.
	capture "$scratch/told.cap" lan br0 "(arp or (icmp6 and ip6[40] == 136)) and not ether dst $(mac r)"
	"$@"
	tcpdump_verbose "$scratch/told.cap" | awk -v ghost="$ghost" '
		/^[0-9.]+ / { from = $2; about = 0 }
		$0 ~ " " ghost " is-at " { for (i = 1; i <= NF; i++) if ($i == "is-at") { sub(/,$/, "", $(i + 1)); print from, $(i + 1) } }
		$0 ~ "tgt is " ghost "," { about = 1 }
		about && /destination link-address option/ { print from, $NF }' | sort >"$scratch/told"
}

# tcpdump_verbose FILE: with the options of ND messages.
tcpdump_verbose() {
	frames "$1" -c 1 >/dev/null
	tcpdump -envttr "$1" 2>/dev/null
}

l1_learns_a_server() {
	told at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$(address l1),$ghost"
	equal "who says to be the ghost" "$(cut -d' ' -f1 "$scratch/told" | wc -l)" 4
	refuses grep -q ' 03:bf:' "$scratch/told"
}

one_answer() {
	local name
	configure "${servers[@]}"
	ip -n r neigh flush dev eth0
	one_answer_each s1 "${many[@]:0:16}"
	equal "r's entry for the ghost" "$(entry r)" "$(group)"
	for name in "${servers[@]}"; do
		exact "$name"
	done
}

# expected COUNT NAME...: each of them has told so often where the ghost is.
expected() {
	local count=$1 name

	shift
	for name; do
		echo "$count $(mac "$name") $(group)"
	done | diff - <(uniq -c "$scratch/told" | awk '{ print $1, $2, $3 }')
}

# asked: who has the ghost; as a neighbour that knows it and wants to be sure; and
# by duplicate address detection, which nobody is to answer.
asked() {
	local nobody=0.0.0.0
	[[ $family == ipv4 ]] || nobody=::
	at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$(address l1),$ghost,x20" \
		"ask,$(address l1),$ghost,@$(group)" "ask,$nobody,$ghost,x5"
}

all_answer() {
	local before
	before=$(counter s3 answered)
	told asked
	expected 21 "${servers[@]}"
	(($(counter s3 answered) >= before + 21)) || fail "s3 has counted too few"
}

# A member that no longer serves leaves it to the others.
live_members_answer() {
	to_each down s2
	told at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$(address l1),$ghost,x2"
	expected 2 s1 s3 s4
	to_each up s2
}

# s2 pings l1 from the ghost, with no neighbour known: l1 learns nothing wrong.
asked_from_the_ghost() {
	local name
	name=$(owner s1 "$(address l1)")
	ip -n l1 neigh flush dev eth0
	ip -n "$name" neigh flush dev eth0
	at "$name" ping -c 2 -i 0.2 -W 2 -I "$ghost" "$(address l1)"
	equal "l1's entry for the ghost" "$(entry l1)" "$(group)"
}

# r's own entry, with all of its questions, over several times its life.
stays_reachable() {
	local version=$family name
	name=$(owner s1 "$(address r)")
	sysctls r "$version/neigh/eth0/base_reachable_time_ms=400" "$version/neigh/eth0/delay_first_probe_time=1"
	# Before it is watched: what is flushed counts as failed.
	ip -n r neigh flush to "$ghost"
	start "$scratch/monitor" r ip monitor neigh
	poll_until 15 refreshed 1
	to_each down "$name"
	poll_until 20 refreshed 3
	to_each up "$name"
	sysctls r "$version/neigh/eth0/base_reachable_time_ms=30000" "$version/neigh/eth0/delay_first_probe_time=5"
	equal "link addresses" "$(grep "^$ghost " "$scratch/monitor" | sed -n 's/.*lladdr \([^ ]*\).*/\1/p' | sort -u)" "$(group)"
	refuses grep -E "^$ghost .*FAILED" "$scratch/monitor"
}

# refreshed N: so often the entry was asked for and confirmed again. Not by ping,
# whose packets confirm neighbours wherever they pass within one kernel.
refreshed() {
	at cm bash -c "echo >/dev/udp/$ghost/9"
	(($(grep -E "^$ghost .*(PROBE|REACHABLE)" "$scratch/monitor" | awk '/PROBE/ { asked = 1 } /REACHABLE/ && asked { n++; asked = 0 } END { print n + 0 }') >= $1))
}

# listens NAME: its device takes frames to the group's address, and the group is joined.
listens() {
	local groups

	groups=$(ip -n "$1" maddr show dev eth0)
	grep -q "link *$(group)" <<<"$groups" || return
	case $shape.$family in
	igmp.ipv4) grep -q 'inet *239\.255\.2\.80' <<<"$groups" ;;
	igmp.ipv6) grep -q 'inet6 *ff15::80' <<<"$groups" ;;
	esac
}

device_listens() {
	poll_until 5 listens s2
	echo -n | ctl s2 apply -
	refuses listens s2
	ctl s2 apply "$scratch/onehop.conf"
	poll_until 5 listens s2
}

# A router that takes no group address from an answer: with what show prints for
# it by hand, and a firewall against the answers.
static_entries() {
	local link
	link=$(ctl s1 show | grep -o "$(group)" | sort -u)
	equal "link address that show prints" "$link" "$(group)"
	ip -n r neigh replace "$ghost" lladdr "$link" dev eth0 nud permanent
	one_answer_each s1 "${many[@]:0:4}"
	ip -n r neigh del "$ghost" dev eth0
}

devices_are_asked_for() {
	devices='' conf 'shape = "multicast"' >"$scratch/none.conf"
	refuses ctl s1 apply "$scratch/none.conf" 2>"$scratch/error"
	grep -q device "$scratch/error" || fail "$(<"$scratch/error")"
}

run_case "control: without the module servers give their own address" l1_learns_a_server
for shape in multicast igmp; do
	lines=("shape = \"$shape\"")
	for each in $families; do
		use "$each"
		run_case "$shape: each client has one answer by the owner" one_answer
		run_case "$shape: all answer with the group address" all_answer
		run_case "$shape: the device listens" device_listens
		[[ $shape == multicast ]] || continue
		run_case "$shape: asked from the ghost" asked_from_the_ghost
		run_case "$shape: a server that is down answers nothing" live_members_answer
		run_case "$shape: the entry of r stays" stays_reachable
		run_case "$shape: with the entry that show prints" static_entries
	done
done
use ipv4
run_case "shapes with a group ask for devices" devices_are_asked_for
finish
