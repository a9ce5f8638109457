#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Mutated frames of every kind, each judged by itself: what a server gets is what was sent, and the
# server is the one that a naive model names; and all are counted as that says.
#
#	 onehop_fuzz
#	 |         |
#	 wire      small	taps
#	 |         |
#	 d1        d1		MTU 9000 and 1400
#
# Whatever is beyond the wire is onehop_fuzz: s1 .. s4 and r on the wire, s5 behind small, s6 behind
# r. s7 is d1 itself. $frames says how many in all, $seed which, $only KIND:INDEX one of them alone.
frames=${frames:-60000} seed=${seed:-1}
selftests=$(dirname "$(readlink -f "$0")")
if [[ -z ${taps-} ]]; then
	export taps=yes frames seed
	modprobe -q tun
	exec "$selftests/taps.py" wire small -- "$0" "$@"
fi
# shellcheck disable=SC2034 # for bed.sh
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$selftests/bed.sh"

program=$(dirname "$ONEHOPCTL")/onehop_fuzz

v4=(- 10.0.0.1 10.0.0.2 10.0.0.3 10.0.0.4 10.0.5.5 10.0.6.6 10.0.0.11)
v6=(- 2001:db8::1 2001:db8::2 2001:db8::3 2001:db8::4 2001:db8:5::5 2001:db8:6::6 2001:db8::11)
weights=(- 10 10 10 10 10 2 5)

conf() {
	local id

	pool "$@" 'rows = 256' 'prefix4 = 12' 'prefix6 = 12'
	for id in 1 2 3 4 5 6 7; do
		printf '[pool.web.server.s%s]\nid = %s\naddress = "%s"\naddress6 = "%s"\n' "$id" "$id" "${v4[id]}" "${v6[id]}"
		printf 'weight = %s\n' "${weights[id]}"
		[[ " ${drained-} " != *" $id "* ]] || echo 'admin = "drain"'
	done
}

d1_up() {
	local id

	sysctls "" core/devconf_inherit_init_net=1 ipv6/conf/default/accept_dad=0 \
		ipv6/conf/default/accept_ra=0 ipv6/conf/default/router_solicitations=0
	namespace d1
	sysctls d1 ipv4/ip_forward=1 ipv6/conf/all/forwarding=1
	ip link set wire netns d1 address "$(mac d1)" mtu 9000
	ip link set small netns d1 address "$(mac d1)" mtu 1400
	# No address is on link that is a ghost's but for one bit: what then was to be resolved, the stack
	# would tell of three seconds later. What another processor is sending would take ours with it, a moment later.
	at d1 tc qdisc replace dev wire root noqueue
	at d1 tc qdisc replace dev small root noqueue
	{
		echo "link set lo up"
		echo "link set wire up"
		echo "link set small up"
		echo "address add 10.0.0.11/24 dev wire"
		echo "address add 2001:db8::11/122 dev wire"
		echo "address add 10.0.5.1/24 dev small"
		echo "address add 2001:db8:5::1/64 dev small"
		echo "neigh replace 10.0.0.254 lladdr $(mac r) dev wire nud permanent"
		echo "neigh replace 2001:db8::254 lladdr $(mac r) dev wire nud permanent"
		echo "route replace default via 10.0.0.254 dev wire"
		echo "route replace default via 2001:db8::254 dev wire onlink"
		for id in 1 2 3 4; do
			echo "neigh replace ${v4[id]} lladdr $(mac s$id) dev wire nud permanent"
			echo "neigh replace ${v6[id]} lladdr $(mac s$id) dev wire nud permanent"
		done
		echo "neigh replace ${v4[5]} lladdr $(mac s5) dev small nud permanent"
		echo "neigh replace ${v6[5]} lladdr $(mac s5) dev small nud permanent"
	} | ip -n d1 -batch -
}

# owners FILE [ID...]: of each client that the pool can tell apart, by the oracle, while these drain.
owners() {
	local id

	{
		echo "pool web hash 000102030405060708090a0b0c0d0e0f 256 12 12"
		for id in 1 2 3 4 5 6 7; do
			echo "server $id ${weights[id]} $([[ " ${*:2} " == *" $id "* ]] && echo drain || echo up) - -"
		done
		"$program" --questions
	} | "$tree/dispatch/oracle/oracle.py" >"$1"
}

# ready: d1 has found all ways that there are.
ready() {
	ctl d1 -j show | jq -e '[.pools[].servers[] | [.id, .reach, .reach6]] | sort == [[1, "link", "link"],
		[2, "link", "link"], [3, "link", "link"], [4, "link", "link"], [5, "link", "link"],
		[6, "unreachable", "unreachable"], [7, "local", "local"]]'
}

# judged PART SHARE OPTION...: d1 as it is now, and so many of 30 frames. Each part has others.
judged() {
	local report=$scratch/report options=(--frames $((frames * $2 / 30)) --seed $((seed + $1)))

	[[ -z ${only-} ]] || options=(--only "$only" --seed "$seed")
	at d1 "$program" --mode "$mode" --tool "$ONEHOPCTL" "${options[@]}" "${@:3}" <&8 >&9 2>"$report" ||
		{ cat "$report" && return 1; }
	cat "$report" >>"$scratch/reports"
	cat "$report"
	note "$(tail -n 1 "$report")"
	exact d1
}

# afresh [DEVICE]: d1 and the module as at first, whatever the case before has left, and with this
# device named.
afresh() {
	ghosts del 2>/dev/null || :
	module_unload
	devices=${1:+"\"$1\""}
	configure d1
	poll_until 10 ready
}

# ghosts replace|del: on d1, which is a server then.
ghosts() {
	ip -n d1 address "$1" "$ghost4/32" dev lo
	ip -n d1 address "$1" "$ghost6/128" dev lo
}

in_router() {
	afresh
	judged 1 7 --owners "$scratch/owners"
}

at_ingress() {
	afresh wire
	judged 2 7 --owners "$scratch/owners" --devices
}

# as_member MODE PART SHARE SHARE: d1 is a server, too; these shares of the frames without a device
# named, and with one.
as_member() {
	local mode=$1

	afresh
	ghosts replace
	judged "$2" "$3" --owners "$scratch/owners" --ghost
	afresh wire
	ghosts replace
	judged $(($2 + 1)) "$4" --owners "$scratch/owners" --ghost --devices
}

in_peer() {
	as_member peer 3 3 2
}

in_broadcast() {
	as_member broadcast 5 1 2
}

# Clients of s1 and of d1 move, in each mode by its own method.
in_transition() {
	local mode part=7

	for mode in router peer broadcast; do
		afresh wire
		ghosts replace
		sysctls d1 onehop/transition_seconds=3600
		drained="1 7" conf >"$scratch/onehop.conf"
		ctl d1 apply "$scratch/onehop.conf"
		judged "$part" 2 --owners "$scratch/drained" --older "$scratch/owners" --ghost --devices
		part=$((part + 1))
	done
}

nobody_lives() {
	local id

	afresh
	for id in 1 2 3 4 5 6 7; do
		ctl d1 down "s$id"
	done
	judged 10 1
}

switched_off() {
	afresh
	sysctls d1 onehop/enabled=0
	judged 11 1 --owners "$scratch/owners" --disabled
}

# The ways are there, and what would have to be routed all the same finds none.
without_a_route() {
	afresh
	ip -n d1 -6 rule add oif small unreachable pref 1
	judged 12 1 --owners "$scratch/owners" --unrouted
}

# What no frame on a wire comes to.
declare -A elsewhere=(
	[drop_lro]="a driver that merges without saying how"
	[drop_no_memory]="an allocation that fails"
)

# of_all NAME: a figure of all reports, as `decided`.
of_all() {
	awk -v name="$1" '$1 == "all" { for (i = 2; i < NF; i += 2) if ($i == name) sum += $(i + 1) } END { print sum + 0 }' "$scratch/reports"
}

sixty_percent_decided() {
	local sent decided

	sent=$(of_all sent) decided=$(of_all decided)
	note "seed $seed: $sent frames, $decided decided, $(of_all doubtful) doubtful, $(of_all refused) refused by the tap"
	((sent >= frames && decided * 10 >= sent * 6))
}

every_drop() {
	local name

	for name in $(ctl d1 stats | awk '/^drop_/ { print $1 }'); do
		if [[ -n ${elsewhere[$name]-} ]]; then
			note "$name: needs ${elsewhere[$name]}"
			equal "$name" "$(of_all "$name")" 0
		else
			note "$name: $(of_all "$name")"
			(($(of_all "$name") > 0))
		fi
	done
}

d1_up
owners "$scratch/owners"
owners "$scratch/drained" 1 7
plan $((${only:+-2} + 10))
run_case "router" in_router
run_case "router, at ingress" at_ingress
run_case "peer" in_peer
run_case "broadcast" in_broadcast
run_case "in a transition" in_transition
run_case "nobody lives" nobody_lives
run_case "switched off" switched_off
run_case "without a route" without_a_route
if [[ -z ${only-} ]]; then
	run_case "60 in 100 are decided" sixty_percent_decided
	run_case "every reason to drop is met, or cannot be" every_drop
fi
finish
