#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mode router with `devices`: what is sent on at their ingress leaves as it would
# from PRE_ROUTING, and counts the same; what is not, is PRE_ROUTING's.
#
#	     l1
#	     |
#	c1 - r == lan == d1 --1400-- s1		(10.0.9.0/24, 2001:db8:9::/64)
#	           |
#	           +== s2 .. s4
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 9
bed_up c1 cm
join l1
# It sends in the servers' names: the bridge must not believe it.
bridge -n lan link set dev to-l1 learning off
web "${servers[@]}"
ip link add small netns d1 mtu 1400 type veth peer name small netns s1 mtu 1400
for name in d1 s1; do
	ip -n "$name" -batch - <<-END
		address add 10.0.9.$(host_number "$name")/24 dev small
		address add 2001:db8:9::$(host_number "$name")/64 dev small
		link set small up
	END
done
# Nothing may have to be resolved in one run and not in the other.
for each in $families; do
	for name in r s2 s3 s4; do
		ip -n d1 neigh replace "$(address "$name" "$each")" lladdr "$(mac "$name")" dev eth0 nud permanent
	done
done
small=$(ip -n s1 -j link show small | jq -r '.[].address')
ip -n d1 neigh replace 10.0.9.1 lladdr "$small" dev small nud permanent
ip -n d1 neigh replace 2001:db8:9::1 lladdr "$small" dev small nud permanent
# What comes as far as PRE_ROUTING for the ghosts.
at d1 nft -f - <<-END
	table inet early {
		chain early {
			type filter hook prerouting priority -500; policy accept;
			ip daddr $ghost4 counter comment "ipv4"
			ip6 daddr $ghost6 counter comment "ipv6"
		}
	}
END

conf() {
	local name

	pool "$@"
	printf '[pool.web.server.s1]\nid = 1\naddress = "10.0.9.1"\naddress6 = "2001:db8:9::1"\n'
	for name in s2 s3 s4; do
		member "$name" "$(address "$name" ipv4)"
	done
}

early() {
	at d1 nft -j list table inet early | jq --arg family "$family" '.nftables[].rule | select(.comment == $family) | .expr[].counter.packets // empty'
}

# figures: all that d1 has counted, a line each.
figures() {
	ctl d1 stats | awk 'NF == 2'
	ctl d1 -j show | jq -r '.pools[].servers[] | "\(.name)-packets \(.packets)\n\(.name)-bytes \(.bytes)"'
}

# rise FROM: by how much since then.
rise() {
	figures | awk 'NR == FNR { from[$1] = $2; next } { print $1, $2 - from[$1] }' "$1" -
}

received() {
	at d1 cat /proc/net/dev | awk '$1 == "eth0:" { print $3 }'
}

arrived() {
	(($(received) >= $1))
}

# still: d1 counts nothing more.
still() {
	figures >"$scratch/now"
	cmp -s "$scratch/now" "$scratch/last" || { mv "$scratch/now" "$scratch/last" && return 1; }
}

# dump FILE FILTER...: of each frame all its bytes in a line.
dump() {
	frames "$@" >/dev/null
	tcpdump -tnnxxr "$@" 2>/dev/null | awk '/^\t0x/ { $1 = ""; line = line $0; next } { if (NR > 1) print line; line = "" } END { print line }' | sort
}

# run NAME [tapped]: odd frames of two clients, s1's and s2's. NAME.wire is then what
# d1 has sent on, NAME.errors what it has said of its own, NAME.figures what it has
# counted, NAME.early how many came to PRE_ROUTING, NAME.tap what a tap has seen.
run() {
	local out=$scratch/$1 tap='' lan link before first to="dst host $ghost"

	configure d1
	poll_until 10 ready
	figures >"$out.before"
	first=$(early)
	before=$(received)
	if [[ -n ${2-} ]]; then
		capture "$out.tapped" d1 eth0 -s 0 -Q in "$to"
		tap=$captor
	fi
	capture "$out.small" s1 small -s 0 "$to"
	link=$captor
	capture "$out.lan" lan br0 -s 0 "ether src $(mac d1)"
	lan=$captor
	at l1 "$selftests/odd_frames.py" eth0 "$(mac d1)" "$ghost" "${odd[@]}" --from "$(mac s1)" "$(mac s2)" "$(mac s3)" "$(mac s4)" >"$out.sent"
	poll_until 10 arrived $((before + $(<"$out.sent")))
	poll_until 10 still
	captor=$lan
	dump "$out.lan" "$to" >"$out.wire"
	tcpdump -tnr "$out.lan" "src host $(address d1) and (icmp or (icmp6 and ip6[40] < 128))" 2>/dev/null | sort >"$out.errors"
	captor=$link
	dump "$out.small" "$to" >>"$out.wire"
	if [[ -n $tap ]]; then
		captor=$tap
		dump "$out.tapped" >"$out.tap"
	fi
	rise "$out.before" >"$out.figures"
	echo $(($(early) - first)) >"$out.early"
	exact d1
}

# ready: d1 has found all ways.
ready() {
	ctl d1 -j show | jq -e '[.pools[].servers[] | .reach, .reach6] | all(. == "link")'
}

# same COUNT [tapped]: with devices or without; of those frames as many as that are
# sent on before PRE_ROUTING.
same() {
	local kind

	devices='' run late "${@:2}"
	devices='"eth0"' run soon "${@:2}"
	for kind in wire errors figures ${2:+tap}; do
		# Disabled, nothing leaves.
		(($1 == 0)) || [[ -s $scratch/late.$kind ]]
		diff "$scratch/late.$kind" "$scratch/soon.$kind"
	done
	equal "sent on at once" $(($(<"$scratch/late.early") - $(<"$scratch/soon.early"))) "$1"
}

# two: clients of s1 and s2.
two() {
	ctl d1 lookup "${many[@]}" | paste -d' ' - <(printf '%s\n' "${many[@]}") |
		awk '($1 == "s1" || $1 == "s2") && !seen[$1]++ { print $1, $NF }' | sort | awk '{ print $2 }'
}

# A whole one, two that are filled up, one of no protocol, two fragments, one with a
# TTL of 2, and two long ones that do not fit to s1; three by other servers' link
# addresses.
odd_frames4() { same 19; }
# A tap has clones of them, of whichever family.
tapped() { same 19 tapped; }
# Likewise; but fragments are behind an extension header, and nobody may cut a long one.
odd_frames6() { same 14; }

disabled() {
	sysctls d1 onehop/enabled=0
	same 0
	grep -q '^drop_disabled [1-9]' "$scratch/soon.figures"
	sysctls d1 onehop/enabled=1
}

# In segments of many packets; to s1 in such as fit its link, once it is told to.
uploads() {
	local before handed client

	devices='"eth0"' configure d1
	before=$(early)
	handed=$(counter d1 handed)
	for client in "${odd[@]}"; do
		rm -f "$scratch"/s?/www/up/body
		deadline=30 fetch cm --interface "$client" -T "$scratch/big" "$url/up/body"
		cmp "$scratch/big" "$scratch"/s?/www/up/body
	done
	handed=$(($(counter d1 handed) - handed))
	before=$(($(early) - before))
	note "of $handed packets $before came to PRE_ROUTING"
	((handed > 100 && before * 10 < handed))
	exact d1
}

# Hooks come and go in the middle of it. There is more to send until the last has gone.
named_and_not() {
	local upload body each

	devices='' configure d1
	rm -f "$scratch"/s?/www/up/body
	mkfifo "$scratch/$family.body"
	start "$scratch/upload" cm curl -sS --fail -m 120 --interface "${odd[1]}" -T "$scratch/$family.body" "$url/up/body"
	upload=$!
	# Not before curl is there, which would hold it open as well.
	exec {body}<>"$scratch/$family.body"
	for each in add del add del add del; do
		seen=$(counter d1 handed)
		head -c 2000000 "$scratch/big" >&"$body" &
		poll_until 20 more
		ctl d1 device "$each" eth0
		wait $!
	done
	exec {body}>&-
	wait "$upload"
	for each in 1 2 3 4 5 6; do
		head -c 2000000 "$scratch/big"
	done | cmp - "$scratch"/s?/www/up/body
	exact d1
}

more() {
	(($(counter d1 handed) > seen + 5))
}

configure d1
for each in $families; do
	use "$each"
	mapfile -t odd < <(two)
	run_case "odd frames" "odd_frames${each#ipv}"
	[[ $each == ipv6 ]] || run_case "with a tap on the device" tapped
	run_case "disabled" disabled
	run_case "10 MB up to two servers" uploads
	run_case "devices come and go under an upload" named_and_not
done
finish
