#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The watchdog of ctl/examples on d1, with real deaths.
#
#	cm (64 addresses) -- r == lan == d1: watchd.sh
#	                         |
#	                         +== s1 .. s4: nginx is killed and comes back
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 4
bed_up cm
web s1 s2 s3 s4
configure d1
owner d1 "${many[@]}" >"$scratch/all"
rules_before=$(ip -n d1 rule)

watch() {
	start "$scratch/watchd" d1 "$selftests/../ctl/examples/watchd.sh" -p web -P 80 -u name -i 1 -t 3 -f 2 -r 1
	watchd=$!
}

# health NAME STATE
health() {
	[[ $(ctl d1 -j show | jq -r ".pools[0].servers[] | select(.name == \"$1\") | .health") == "$2" ]]
}

# reason NAME: of its last change.
reason() {
	ctl d1 -j show | jq -r ".pools[0].servers[] | select(.name == \"$1\") | .changed.reason"
}

# moved: whose clients are elsewhere than when all was well.
moved() {
	who "${many[@]}" | paste -d' ' "$scratch/all" - | awk '$1 != $2 { print $1 }' | sort -u | paste -sd' '
}

nobody_watches() {
	unserve s2
	refuses who "${many[@]}" >"$scratch/served"
	health s2 up
	web s2
	equal "whose clients moved" "$(moved)" ""
}

death_and_return() {
	local before
	watch
	unserve s2
	before=$SECONDS
	poll_until 60 health s2 down
	note "noticed after $((SECONDS - before)) s"
	equal "whose clients moved" "$(moved)" s2
	grep -q 'Failed to connect' <<<"$(reason s2)" || fail "reason: '$(reason s2)'"
	web s2
	poll_until 60 health s2 up
	equal "whose clients moved" "$(moved)" ""
	equal "health" "$(ctl d1 -j show | jq -r '.pools[0].servers[].health' | sort -u)" up
}

# s3 runs and answers to its own address, but has lost the ghost.
ghost_missing() {
	watch
	ip -n s3 address del "$ghost/32" dev lo
	at d1 ping -c 1 -W 2 10.0.0.3
	poll_until 60 health s3 down
	equal "whose clients moved" "$(moved)" s3
	ip -n s3 address add "$ghost/32" dev lo
	poll_until 60 health s3 up
	equal "whose clients moved" "$(moved)" ""
}

leaves_nothing_behind() {
	watch
	poll_until 30 rules_differ
	stop "$watchd"
	equal "rules of d1" "$(ip -n d1 rule)" "$rules_before"
}

rules_differ() {
	[[ $(ip -n d1 rule) != "$rules_before" ]]
}

run_case "control: unwatched, a death hurts and is not known" nobody_watches
run_case "death and return of s2" death_and_return
run_case "a server without the ghost is found" ghost_missing
run_case "ended, it leaves no rule behind" leaves_nothing_behind
finish
