#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode peer: a packet may come to any server, which keeps it if it owns the
# client, and else sends it on, once.
#
#	cm (64 addresses) -- r == lan == s1 .. s4, all with the module
#	                     |
#	          spreads flows over s1 .. s4 (equal-cost routes), by ports
#
mode=peer
families="ipv4 ipv6"
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "$0")")/answers.sh"

plan 18
bed_up cm
services "${servers[@]}"
sysctls r ipv4/fib_multipath_hash_policy=1 ipv6/fib_multipath_hash_policy=1

# Each server would keep what comes to it: not what the pool's function says.
not_by_the_owner() {
	conf >"$scratch/onehop.conf"
	limit=1 probe "${many[@]:0:4}"
	owners file "${many[@]:0:4}" >"$scratch/expected"
	refuses diff "$scratch/expected" "$scratch/replies"
}

each_has_one_answer() {
	local name
	configure "${servers[@]}"
	via "${servers[@]}"
	one_answer_each s1
	for name in "${servers[@]}"; do
		exact "$name"
	done
}

# travelled FILE: frames for the ghost as flow, from, to; flows are told apart by
# the client's port.
travelled() {
	frames "$1" "udp and dst host $ghost" | awk '{ sub(/,$/, "", $4); print $10, $2, $4 }'
}

# sent CLIENT [COUNT]: UDP from this address of cm, each from a port of its own,
# and each has come to its end when this returns.
sent() {
	local name

	at cm "$selftests/$raw" "$1" "$ghost" --ports "${2-100}"
	# The fence, by way of each server.
	for name in "${servers[@]}"; do
		at cm ping -c 1 -W 2 "$(address "$name")" >/dev/null
	done
}

# Each packet is on the lan once from r, and at most once from the server that
# got it to the owner.
kept_or_sent_on_once() {
	local client=${many[0]} owner before
	owner=$(owner s1 "$client")
	before=$(counter "$owner" local)
	capture "$scratch/way" lan br0 "udp and dst host $ghost"
	sent "$client"
	travelled "$scratch/way" >"$scratch/frames"
	equal "flows" "$(awk '{ print $1 }' "$scratch/frames" | sort -u | wc -l)" 100
	equal "from r, each" "$(awk -v r="$(mac r)" '$2 == r { print $1 }' "$scratch/frames" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 1
	awk -v r="$(mac r)" -v owner="$(mac "$owner")" '
		$2 == r { first[$1] = $3; next }
		{ hops[$1]++; if ($2 != first[$1] || $3 != owner || $2 == owner) { print "wrong way: " $0; bad = 1 } }
		END {
			for (flow in first) {
				if (first[flow] == owner) kept++
				if ((hops[flow] + 0) != (first[flow] != owner)) { print flow " sent on " hops[flow] " times"; bad = 1 }
			}
			print "# " kept " of 100 came to the owner at once"
			exit bad || kept == 0 || kept == 100
		}' "$scratch/frames"
	equal "kept by the owner" "$(($(counter "$owner" local) - before))" 100
	exact "$owner"
}

bodies() {
	local client=${many[3]} name
	name=$(owner s1 "$client")
	rm -f "$scratch/$name/www/up/body"
	fetch cm --interface "$client" -o "$scratch/down" "$url/big"
	cmp "$scratch/big" "$scratch/down"
	fetch cm --interface "$client" -T "$scratch/big" "$url/up/body"
	cmp "$scratch/big" "$scratch/$name/www/up/body"
}

small_link_to_the_client() {
	small_link_to "${many[4]}"
}

fragments() {
	fragments_of "${many[5]}"
}

# Its clients go elsewhere, though r still sends to it what it likes.
a_server_is_down() {
	to_each down s2
	one_answer_each s1 "${many[@]:0:16}"
	refuses grep -q ' s2$' "$scratch/replies"
	to_each up s2
}

# s1 has another seed than the others: what it sends to a server that owns it not
# is dropped there, and said. The client's packets are those that come to s1.
tables_that_differ() {
	local client name before
	conf 'seed = "ffffffffffffffffffffffffffffffff"' >"$scratch/other.conf"
	ctl s1 apply "$scratch/other.conf"
	paste -d' ' <(printf '%s\n' "${many[@]}") <(owner s1 "${many[@]}") <(owner s2 "${many[@]}") >"$scratch/two"
	read -r client name < <(awk '$2 != "s1" && $2 != $3 { print $1, $2; exit }' "$scratch/two")
	before=$(counter "$name" drop_misdirected)
	via s1
	capture "$scratch/way" lan br0 "udp and dst host $ghost"
	sent "$client" 20
	travelled "$scratch/way" >"$scratch/frames"
	equal "frames of a packet" "$(awk '{ print $1 }' "$scratch/frames" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
	equal "misdirected to $name" "$(($(counter "$name" drop_misdirected) - before))" 20
	exact s1
	exact "$name"
	ctl s1 apply "$scratch/onehop.conf"
	via "${servers[@]}"
}

# only NAME SERVER: for this host, no other server is up.
only() {
	sed "/^\[pool.web.server/a admin = \"down\"" "$scratch/onehop.conf" |
		sed "/server.$2\]/{n;s/down/up/}" | ctl "$1" apply -
}

# s1 takes s2 for the owner of all, s2 s3, and s3 s1.
ring() {
	local name before
	only s1 s2
	only s2 s3
	only s3 s1
	before=$(counter s2 drop_misdirected)
	via s1
	capture "$scratch/way" lan br0 "udp and dst host $ghost"
	sent "${many[0]}" 20
	travelled "$scratch/way" >"$scratch/frames"
	equal "frames of a packet" "$(awk '{ print $1 }' "$scratch/frames" | sort | uniq -c | awk '{ print $1 }' | sort -u)" 2
	equal "misdirected to s2" "$(($(counter s2 drop_misdirected) - before))" 20
	for name in s1 s2 s3; do
		exact $name
		ctl $name apply "$scratch/onehop.conf"
	done
	via "${servers[@]}"
}

# A ghost for each server to be reached at, as names with several addresses do.
several_ghosts() {
	local i=1 name ghosts=() list
	for name in "${servers[@]}"; do
		ghosts+=("$(more $i)")
		i=$((i + 1))
	done
	list=$(printf ', "%s"' "${ghosts[@]}")
	for name in "${servers[@]}"; do
		printf 'address add %s dev lo\n' "${ghosts[@]}" | ip -n "$name" -batch -
		sed "s/^ghosts = \[.*\"/&$list/" "$scratch/onehop.conf" | ctl "$name" apply -
	done
	for i in 1 2 3 4; do
		ip -n r route replace "$(more $i)" via "$(address "s$i")"
		capture "$scratch/ping" r eth0 "src host $(more $i)"
		at cm ping -c 1 -W 2 -I "${many[6]}" "$(more $i)"
		equal "who answers at $(more $i)" "$(frames "$scratch/ping" | awk '{ print $2 }')" "$(mac "$(owner s1 "${many[6]}")")"
		ip -n r route del "$(more $i)"
	done
	for name in "${servers[@]}"; do
		ctl "$name" apply "$scratch/onehop.conf"
		printf 'address del %s dev lo\n' "${ghosts[@]}" | ip -n "$name" -batch -
	done
}

# more N: a further ghost.
more() {
	if [[ $family == ipv4 ]]; then
		echo "192.0.2.10$1"
	else
		echo "2001:db8:80::10$1"
	fi
}

# Time to live that is used up by the way through a server that does not own.
time_to_live() {
	local client=${many[0]} owner entry before
	owner=$(owner s1 "$client")
	entry=$(printf '%s\n' "${servers[@]}" | grep -vxm 1 "$owner")
	before=$(counter "$entry" drop_ttl)
	via "$entry"
	at cm ping -c 1 -W 2 -t 2 -I "$client" "$ghost" >"$scratch/ping" || :
	grep -q "From $(address "$entry") .*[Tt]ime.* exceeded" "$scratch/ping" || fail "$(<"$scratch/ping")"
	equal "counted" "$(counter "$entry" drop_ttl)" $((before + 1))
	at cm ping -c 1 -W 2 -t 3 -I "$client" "$ghost"
	via "$owner"
	at cm ping -c 1 -W 2 -t 2 -I "$client" "$ghost"
	via "${servers[@]}"
}

# The same cluster in router mode: s1 dispatches for all and serves as well.
all_in_one() {
	local name
	conf 'mode = "router"' >"$scratch/router.conf"
	to_each apply "$scratch/router.conf"
	via s1
	one_answer_each s1 "${many[@]:0:32}"
	grep -q ' s1$' "$scratch/replies"
	fetch cm --interface "$(client_of s1 s1)" -o "$scratch/down" "$url/big"
	cmp "$scratch/big" "$scratch/down"
	for name in "${servers[@]}"; do
		exact "$name"
		ctl "$name" apply "$scratch/onehop.conf"
	done
}

run_case "control: without the module not the owners answer" not_by_the_owner
for each in $families; do
	use "$each"
	# IPv6 is sent on at ingress.
	[[ $each == ipv4 ]] || devices='"eth0"'
	run_case "64 clients, each with one answer by the owner" each_has_one_answer
	run_case "kept, or sent on once" kept_or_sent_on_once
	run_case "small link to the client, 10 MB arrive" small_link_to_the_client
	run_case "4 kB datagrams, whole and on one server" fragments
	run_case "tables that differ cost two transmissions" tables_that_differ
	run_case "time exceeded comes from the server on the way" time_to_live
done
run_case "a ghost for every server" several_ghosts
use ipv4
run_case "10 MB both ways" bodies
run_case "a server is down" a_server_is_down
run_case "servers that name each other in a ring" ring
run_case "router mode: one server dispatches for all" all_in_one
finish
