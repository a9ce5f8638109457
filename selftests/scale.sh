#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# From one pool with the dispatcher as one of its servers to all that fits in a
# namespace.
#
#	cm (64 addresses) -- r == lan == d1: dispatcher and server
#	                         |
#	                         +== s1 .. s4
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 7
bed_up cm
web s1 s2 s3
second=192.0.2.81
ip -n r route add $second via 10.0.0.11

# with_itself: s1 and d1.
with_itself() {
	pool && member s1 10.0.0.1 && member d1 10.0.0.11
}

not_local_without_the_ghost() {
	local before address
	module_load
	with_itself | ctl d1 apply -
	equal "reach of d1" "$(ctl d1 -j show | jq -r '.pools[0].servers[] | select(.name == "d1") | .reach')" "local"
	address=$(owned_by d1)
	before=$(counter d1 drop_not_local)
	refuses at cm ping -I "$address" -c 2 -i 0.1 -W 1 "$ghost"
	equal "counted" "$(counter d1 drop_not_local)" $((before + 2))
	exact d1
}

# owned_by NAME: the first address of cm that the server owns.
owned_by() {
	owner d1 "${many[@]}" | paste -d' ' - <(printf '%s\n' "${many[@]}") |
		awk -v name="$1" '$1 == name && !found { print $2; found = 1 }'
}

dispatcher_as_a_server() {
	local before
	ip -n d1 address add "$ghost/32" dev lo
	web d1
	before=$(counter d1 local)
	who "${many[@]}" >"$scratch/served"
	owner d1 "${many[@]}" | diff - "$scratch/served"
	equal "who serves" "$(sort -u "$scratch/served" | paste -sd' ')" "d1 s1"
	(($(counter d1 local) > before)) || fail "nothing counted as local"
	fetch cm --interface "$(owned_by d1)" -T "$scratch/big" "http://$ghost/up/body"
	cmp "$scratch/big" "$scratch/d1/www/up/body"
	ctl d1 down d1
	equal "who serves with d1 down" "$(who "${many[@]}" | sort -u)" s1
	exact d1
	ip -n d1 address del "$ghost/32" dev lo
}

# Two pools, each with a ghost and a server of its own; and a third ghost for
# the first pool.
pools_and_ghosts() {
	local name
	for name in s2 s3; do
		ip -n $name address add $second/32 dev lo
	done
	sed -i "s/listen $ghost:80;/&\n\t\tlisten $second:80;/" "$scratch/s3/nginx.conf"
	unserve s3
	serve s3 "$scratch/s3/nginx.log" s3 nginx -e "$scratch/s3/error.log" -c "$scratch/s3/nginx.conf"
	ctl d1 apply - <<-END
		[pool.one]
		kind = "mod"
		ghosts = ["$ghost", "192.0.2.82"]
		[pool.one.server.s2]
		id = 0
		address = "10.0.0.2"
		[pool.two]
		kind = "mod"
		ghosts = ["$second"]
		[pool.two.server.s3]
		id = 0
		address = "10.0.0.3"
	END
	equal "at the first ghost" "$(who "${many[@]:0:8}" | sort -u)" s2
	poll_until 5 fetch cm "http://$second/name"
	equal "at the second ghost" "$(fetch cm "http://$second/name")" s3
	ctl d1 down s2
	equal "at the second ghost, the first pool dead" "$(fetch cm "http://$second/name")" s3
	refuses fetch cm -m 1 "http://$ghost/name"
	exact d1
}

# large GHOSTS SERVERS: one pool of that size.
large() {
	local i
	echo '[pool.large]'
	echo 'seed = "000102030405060708090a0b0c0d0e0f"'
	echo 'rows = 4096'
	printf 'ghosts = ["%s"' "$ghost"
	for ((i = 1; i < $1; i++)); do
		printf ', "198.51.%s.%s"' $((100 + i / 250)) $((1 + i % 250))
	done
	echo ']'
	for ((i = 0; i < $2; i++)); do
		printf '[pool.large.server.s%s]\nid = %s\naddress = "10.9.%s.%s"\n' "$i" "$i" $((i / 250)) $((1 + i % 250))
	done
}

clients() {
	local i
	for ((i = 0; i < 1000; i++)); do
		echo "172.16.$((i % 250)).$((1 + i / 250))"
	done
}

too_many_is_refused() {
	local before
	before=$(ctl d1 -j show | jq -r .digest)
	large 257 10 >"$scratch/ghosts.conf"
	refuses ctl d1 apply "$scratch/ghosts.conf" 2>"$scratch/error"
	grep -q 257 "$scratch/error" || fail "$(cat "$scratch/error")"
	equal "digest" "$(ctl d1 -j show | jq -r .digest)" "$before"
}

full_size() {
	local before
	large 256 1024 >"$scratch/large.conf"
	before=$EPOCHREALTIME
	ctl d1 apply "$scratch/large.conf"
	note "apply of 256 ghosts, 1024 servers, 4096 rows: $(((${EPOCHREALTIME/./} - ${before/./}) / 1000)) ms"
	equal "servers" "$(ctl d1 -j show | jq '.pools[0].servers | length')" 1024
	equal "ghosts" "$(ctl d1 -j show | jq '.pools[0].ghosts | length')" 256
	before=$EPOCHREALTIME
	ctl d1 down s17
	note "one server down: $(((${EPOCHREALTIME/./} - ${before/./}) / 1000)) ms"
	ctl d1 up s17
}

# The tool's own copy of the function against the kernel's, for 1000 clients.
kernel_and_tool_agree() {
	local list
	mapfile -t list < <(clients)
	ctl d1 lookup "${list[@]}" >"$scratch/kernel"
	"$ONEHOPCTL" lookup --offline "$scratch/large.conf" "${list[@]}" >"$scratch/tool"
	equal "answers" "$(wc -l <"$scratch/kernel")" 1000
	diff "$scratch/kernel" "$scratch/tool"
	note "servers used by 1000 clients: $(awk '{ print $1 }' "$scratch/kernel" | sort -u | wc -l) of 1024"
}

another_file_disagrees() {
	local list
	mapfile -t list < <(clients)
	sed 's/^seed.*/seed = "ffffffffffffffffffffffffffffffff"/' "$scratch/large.conf" >"$scratch/other.conf"
	"$ONEHOPCTL" lookup --offline "$scratch/other.conf" "${list[@]}" >"$scratch/other"
	refuses cmp -s "$scratch/kernel" "$scratch/other"
}

run_case "control: itself a server, without the ghost" not_local_without_the_ghost
run_case "the dispatcher as one of the servers" dispatcher_as_a_server
run_case "two pools, each with its ghosts" pools_and_ghosts
run_case "257 ghosts are refused" too_many_is_refused
run_case "256 ghosts, 1024 servers" full_size
run_case "kernel and tool name the same owner, 1000 clients" kernel_and_tool_agree
run_case "control: another seed does not" another_file_disagrees
finish
