#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The dispatcher's own processes as clients of the ghost, which is not among its
# addresses: what they send goes straight to the owner.
#
#	r == lan == d1: curl ghost		d1 --1400-- s1 (small link)
#	      |
#	      +== s1 .. s4
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 15
bed_up
web "${servers[@]}"
echoes "${servers[@]}"
# To take turns as clients.
for ((i = 1; i <= 8; i++)); do
	echo "address add 10.0.0.$((100 + i))/24 dev eth0"
	printf 'address add 2001:db8:0:%x::1/128 dev lo\n' $i
done | ip -n d1 -batch -
for name in r "${servers[@]}"; do
	ip -n "$name" route add 2001:db8::/56 via 2001:db8::11
done
ip link add small netns d1 mtu 1400 type veth peer name small netns s1 mtu 1400
for name in d1 s1; do
	ip -n "$name" -batch - <<-END
		address add 10.0.9.$(host_number "$name")/24 dev small
		address add 2001:db8:9::$(host_number "$name")/64 dev small
		link set small up
	END
done

# mine: d1's client addresses.
mine() {
	local i

	for ((i = 1; i <= 8; i++)); do
		if [[ $family == ipv4 ]]; then
			echo "10.0.0.$((100 + i))"
		else
			printf '2001:db8:0:%x::1\n' $i
		fi
	done
}

local_owner() {
	owner d1 "$(address d1)"
}

without_module_it_fails() {
	refuses fetch d1 -m 2 "$url/name"
}

each_address_has_its_owner() {
	local client before clients

	configure d1
	before=$(counter d1 seen)
	mapfile -t clients < <(mine)
	for client in "${clients[@]}"; do
		fetch d1 --interface "$client" "$url/name"
	done >"$scratch/served"
	owner d1 "${clients[@]}" | diff - "$scratch/served"
	(($(sort -u "$scratch/served" | wc -l) > 1)) || fail "one server for all"
	(($(counter d1 seen) > before)) || fail "nothing was seen"
	exact d1
}

# No frame goes by way of r.
straight_to_the_owner() {
	local before
	before=$(counter d1 handed)
	capture "$scratch/way" d1 eth0 "dst host $ghost"
	fetch d1 "$url/name"
	at d1 ping -c 3 -i 0.1 -W 2 "$ghost"
	equal "server by UDP" "$(at d1 "$selftests/udp.py" ask "$(address d1)" "$ghost" 7 10 1)" "$(local_owner)"
	equal "to" "$(frames "$scratch/way" | awk '{ sub(/,$/, "", $4); print $4 }' | sort -u)" "$(mac "$(local_owner)")"
	equal "handed over" "$(($(counter d1 handed) - before))" "$(frames "$scratch/way" | wc -l)"
	exact d1
}

# Checksums are left to the device, segments to be cut.
bodies() {
	local name
	name=$(local_owner)
	rm -f "$scratch/$name/www/up/body"
	at d1 ethtool -k eth0 | grep -q 'tx-checksumming: on'
	fetch d1 -T "$scratch/big" "$url/up/body"
	cmp "$scratch/big" "$scratch/$name/www/up/body"
	equal "checksum errors at $name" "$(snmp "$name" TcpInCsumErrors)" 0
	exact d1
}

large_datagrams() {
	equal "answers" "$(at d1 "$selftests/udp.py" ask "$(address d1)" "$ghost" 7 4000 5 | sort | uniq -c | awk '{ print $2, $1 }')" \
		"$(local_owner) 5"
	exact d1
}

over_a_small_link() {
	{ pool && member s1 10.0.9.1; } | sed 's/address6 = .*/address6 = "2001:db8:9::1"/' | ctl d1 apply -
	rm -f "$scratch/s1/www/up/body"
	fetch d1 -T "$scratch/big" "$url/up/body"
	cmp "$scratch/big" "$scratch/s1/www/up/body"
	exact d1
	configure d1
}

nobody_lives() {
	local rc=0

	conf 'policy = "reject"' | sed '/^\[pool.web.server/a admin = "down"' | ctl d1 apply -
	refused || rc=$?
	conf | sed '/^\[pool.web.server/a admin = "down"' | ctl d1 apply -
	silent || rc=$?
	configure d1
	fetch d1 "$url/name"
	exact d1
	return $rc
}

refused() {
	local before=$EPOCHREALTIME rc=0
	fetch d1 -m 10 "$url/name" 2>"$scratch/error" || rc=$?
	((rc == 7)) || fail "curl's code is $rc: $(<"$scratch/error")" || return
	before=$(((${EPOCHREALTIME/./} - ${before/./}) / 1000))
	((before < 3000)) || fail "refused after $before ms"
}

silent() {
	local rc=0
	fetch d1 -m 2 "$url/name" || rc=$?
	equal "curl's code without a policy: time is up" $rc 28
}

# With the ghost its own it is its own client, as ever.
ghost_is_local() {
	local before
	ip -n d1 address add "$ghost" dev lo
	before=$(counter d1 seen)
	at d1 ping -c 1 -W 2 "$ghost"
	refuses fetch d1 "$url/name"
	equal "seen" "$(counter d1 seen)" "$before"
	ip -n d1 address del "$ghost" dev lo
	fetch d1 "$url/name"
}

for each in $families; do
	use "$each"
	[[ $each == ipv6 ]] || run_case "control: without the module it fails" without_module_it_fails
	run_case "each address is served by its owner" each_address_has_its_owner
	run_case "straight to the owner" straight_to_the_owner
	run_case "10 MB, checksums left to the device" bodies
	run_case "4 kB datagrams" large_datagrams
	run_case "10 MB over a small link" over_a_small_link
	run_case "nobody lives: refused, or silence" nobody_lives
	run_case "the ghost is local" ghost_is_local
done
finish
