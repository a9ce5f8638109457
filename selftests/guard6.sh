#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The guard's IPv6 half: all servers have the ghost on the very device of the
# lan, where the kernel would look for duplicates, answer and announce. It may do
# none of that for the ghost, and all of it for other addresses.
#
#	l1 == lan == s1 .. s4, with the ghost on eth0; r
#
mode=broadcast
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 10
bed_up
join l1
use ipv6
l1=$(address l1)
for name in "${servers[@]}"; do
	ip -n "$name" address del "$ghost/128" dev lo
	# Duplicates are looked for, and found, within a tenth of a second.
	sysctls "$name" ipv6/conf/eth0/accept_dad=1 ipv6/conf/eth0/dad_transmits=1 \
		ipv6/conf/eth0/router_solicitation_delay=0 ipv6/neigh/eth0/retrans_time_ms=50
done

# settled NAME ADDRESS: the server has it, and has no doubt.
settled() {
	[[ -n $(ip -n "$1" -6 address show dev eth0 to "$2" -tentative) ]]
}

# failed NAME ADDRESS
failed() {
	[[ -n $(ip -n "$1" -6 address show dev eth0 to "$2" dadfailed) ]]
}

# added ADDRESS NAME...: to these servers, in this order, one right after the other.
added() {
	local address=$1 name

	shift
	for name; do
		ip -n "$name" address replace "$address/128" dev eth0
	done
}

removed() {
	local address=$1 name

	shift
	for name; do
		ip -n "$name" address del "$address/128" dev eth0
	done
}

# told CMD...: ND messages on the lan while CMD runs.
told() {
	capture "$scratch/nd" lan br0 'icmp6 and (ip6[40] == 135 or ip6[40] == 136)'
	"$@"
	frames "$scratch/nd" >"$scratch/told"
}

# probes, claims, asking: what was told about the ghost by duplicate address
# detection, as an advertisement, or with it as the source.
probes() {
	grep -c " :: > .*neighbor solicitation.*who has $ghost" "$scratch/told" || :
}

claims() {
	grep -c "neighbor advertisement.*tgt is $ghost" "$scratch/told" || :
}

asking() {
	grep -c " $ghost > .*neighbor solicitation" "$scratch/told" || :
}

the_second_fails_without() {
	added "$ghost" s1
	poll_until 3 settled s1 "$ghost"
	added "$ghost" s2
	poll_until 3 failed s2 "$ghost"
	removed "$ghost" s1 s2
}

added_to_s1() {
	added "$ghost" s1
	poll_until 3 settled s1 "$ghost"
}

it_is_told_without() {
	told added_to_s1
	(($(probes) > 0))
	told at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$l1,$ghost"
	(($(claims) > 0))
	ip -n s1 -6 neigh flush dev eth0
	told at s1 ping -c 1 -W 1 -I "$ghost" "$l1"
	(($(asking) > 0))
	removed "$ghost" s1
}

twenty_settled() {
	(($(ip -n "$1" -6 address show dev eth0 to 2001:db8:80::/64 -tentative -dadfailed | grep -c inet6) == 20))
}

# Twenty of the 24 orders, each with a ghost of its own.
in_any_order() {
	local order name number=100 list=() more=()

	for order in {1,2,3,4}{1,2,3,4}{1,2,3,4}{1,2,3,4}; do
		if [[ $order == *1* && $order == *2* && $order == *3* && $order == *4* ]] && ((${#list[@]} < 20)); then
			list+=("s${order:0:1} s${order:1:1} s${order:2:1} s${order:3:1}")
			more+=("2001:db8:80::$((number++))")
		fi
	done
	module_load
	devices='"eth0"' conf | sed "s/^ghosts = \[/&$(printf '"%s", ' "${more[@]}")/" >"$scratch/twenty.conf"
	for name in "${servers[@]}"; do
		ctl "$name" apply "$scratch/twenty.conf"
	done
	capture "$scratch/nd" lan br0 'icmp6 and (ip6[40] == 135 or ip6[40] == 136)'
	for number in "${!list[@]}"; do
		# shellcheck disable=SC2086 # a list of names
		added "${more[number]}" ${list[number]}
	done
	for name in "${servers[@]}"; do
		poll_until 3 twenty_settled "$name"
		printf 'address del %s/128 dev eth0\n' "${more[@]}" | ip -n "$name" -batch -
	done
	frames "$scratch/nd" >"$scratch/told"
	refuses grep -E ':: > .*who has 2001:db8:80::|tgt is 2001:db8:80::' "$scratch/told"
	(($(counter s2 guarded) >= 20)) || fail "s2 has guarded too little"
	devices='"eth0"' configure "${servers[@]}"
}

# Somebody says that the ghost is his, or is about to take it, while s2 looks.
others_do_not_disturb() {
	local i
	sysctls s2 ipv6/neigh/eth0/retrans_time_ms=500
	for i in claim ask,::; do
		added "$ghost" s2
		at l1 "$selftests/link.py" eth0 "$i,$ghost,x5"
		poll_until 3 settled s2 "$ghost"
		refuses failed s2 "$ghost"
		# And when s2 has it.
		at l1 "$selftests/link.py" eth0 "$i,$ghost,x5"
		settled s2 "$ghost"
		removed "$ghost" s2
	done
	sysctls s2 ipv6/neigh/eth0/retrans_time_ms=50
}

others_collide_as_ever() {
	local other=2001:db8::77
	added $other s1
	poll_until 3 settled s1 $other
	added $other s2
	poll_until 3 failed s2 $other
	removed $other s1 s2
}

# From here on, all have the ghost.
nobody_answers() {
	local before
	added "$ghost" "${servers[@]}"
	for name in "${servers[@]}"; do
		poll_until 3 settled "$name" "$ghost"
	done
	before=$(counter s2 guarded)
	told at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$l1,$ghost,x50"
	equal "claims of the ghost" "$(claims)" 0
	equal "messages that s2 has stopped" "$(($(counter s2 guarded) - before))" 50
	grep -q "neighbor advertisement.*tgt is $(address s2)" "$scratch/told"
}

another_address_asks() {
	local name
	for name in s2 s3; do
		ip -n $name -6 neigh flush dev eth0
		told at $name ping -c 1 -W 1 -I "$ghost" "$l1" || :
		equal "asked from the ghost" "$(asking)" 0
		grep -q " fe80::.* > .*neighbor solicitation.*who has $l1" "$scratch/told"
		ip -n $name neigh show "$l1" | grep -q lladdr
	done
}

# up: with ndisc_notify a device announces its addresses when it comes up.
up() {
	sysctls s2 ipv6/conf/eth0/ndisc_notify=1 ipv6/conf/eth0/keep_addr_on_down=1
	ip -n s2 link set eth0 down
	ip -n s2 link set eth0 up
	poll_until 5 settled s2 "$(address s2)"
	poll_until 5 settled s2 "$ghost"
}

not_announced() {
	told up
	grep -q "neighbor advertisement.*tgt is $(address s2)" "$scratch/told" || fail "s2 has announced nothing"
	equal "claims of the ghost" "$(claims)" 0
	equal "probes for the ghost" "$(probes)" 0
}

disabled_or_not() {
	sysctls s2 onehop/enabled=0
	told at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$l1,$ghost,x5"
	equal "claims of the ghost" "$(claims)" 0
	sysctls s2 onehop/enabled=1
}

no_pool_no_guard() {
	echo -n | ctl s2 apply -
	told up
	(($(claims) > 0))
}

run_case "control: without the module the second server fails" the_second_fails_without
run_case "control: without the module it is told" it_is_told_without
run_case "the ghost is added in twenty orders" in_any_order
run_case "others' claims and probes do no harm" others_do_not_disturb
run_case "other addresses collide as ever" others_collide_as_ever
run_case "nobody answers for the ghost" nobody_answers
run_case "link-local addresses ask" another_address_asks
run_case "the ghost is not announced" not_announced
run_case "enabled=0 keeps the guard" disabled_or_not
run_case "control: without a pool it is announced" no_pool_no_guard
finish
