#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What `top` tells (bed R, see bed.sh): the rates of servers, and who the heavy clients
# are, by a sample of what d1 receives.
mode=router
families="ipv4 ipv6"
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 6
bed_up cm
configure d1

# looked ARGS...: at d1 for three seconds, into a file.
looked() {
	ctl d1 -j top --once --interval 3 "$@" >"$scratch/top"
}

told() {
	jq -r "$1" "$scratch/top"
}

# key CLIENT: as the pool tells clients apart.
key() {
	if [[ $family == ipv4 ]]; then
		echo "$1/32"
	else
		echo "${1%1}/64"
	fi
}

# Two clients ask the ghost all the time, one ten times as often.
heaviest_is_told() {
	local heavy=${many[8]} light=${many[20]} before seen sampled

	start "$scratch/heavy" cm ping -q -i 0.02 -I "$heavy" "$ghost"
	start "$scratch/light" cm ping -q -i 0.2 -I "$light" "$ghost"
	poll_until 20 has_been_seen "$light"
	before=$(counter d1 seen)
	looked --sample 1
	seen=$(($(counter d1 seen) - before)) sampled=$(told '[.clients[].sampled] | add')
	# What d1 has sent on is no second packet.
	((sampled <= seen)) || fail "$sampled packets sampled where $seen came"
	equal "heaviest clients" "$(told '[.clients[].clients] | join(" ")')" "$(key "$heavy") $(key "$light")"
	equal "their pool" "$(told '.clients[0].pool')" web
	note "of $sampled packets, where $seen came, $(told '.clients[0].share')"
	equal "more than 70 % are of the heaviest" "$(told '.clients[0].share > 0.7')" true
}

# has_been_seen CLIENT: its owner has been given a packet.
has_been_seen() {
	local name

	name=$(owner d1 "$1")
	[[ $(ctl d1 -j show | jq --arg name "$name" \
		'[.pools[0].servers[] | select(.name == $name) | .packets][0] > 0') == true ]]
}

# One who asks 50 times a second is given about as much, and nobody else is given anything.
rates_are_told() {
	local client=${many[8]} name

	name=$(owner d1 "$client")
	start "$scratch/pings" cm ping -q -i 0.02 -I "$client" "$ghost"
	looked --clients 0
	equal "clients told" "$(told '.clients | length')" 0
	equal "servers with packets" "$(told '[.pools[0].servers[] | select(.packets > 0) | .server] | join(" ")')" "$name"
	equal "all is its share" "$(told ".pools[0].servers[] | select(.server == \"$name\") | .share == 1")" true
	equal "what is due to each" "$(told '[.pools[0].servers[].due] | unique | join(" ")')" 0.25
	note "a second: $(told "[.pools[0].servers[].packets] | add") packets of $(told '[.pools[0].servers[].bytes] | add') bytes"
	equal "5 to 60 packets a second" "$(told '[.pools[0].servers[].packets] | add | . > 5 and . < 60')" true
	# As text, too.
	ctl d1 top --once --interval 0.5 --clients 0 >"$scratch/text"
	grep -qE "^ +$name +up .* 25 %$" "$scratch/text" || fail "$(<"$scratch/text")"
}

# Without the socket it is said what is missing; the rates are there without it.
without_the_right_to_look() {
	refuses at d1 setpriv --bounding-set -net_raw --inh-caps -net_raw "$ONEHOPCTL" top --once >"$scratch/refused" 2>&1
	grep -q -- '--clients 0' "$scratch/refused" || fail "$(<"$scratch/refused")"
	at d1 setpriv --bounding-set -net_raw --inh-caps -net_raw "$ONEHOPCTL" top --once --interval 0.5 --clients 0 >"$scratch/rates"
	grep -q '^pool web' "$scratch/rates"
}

no_interval() {
	refuses ctl d1 top --once --interval 0 >"$scratch/refused" 2>&1
	grep -q '"0" must be from 0.1' "$scratch/refused" || fail "$(<"$scratch/refused")"
}

for each in $families; do
	use "$each"
	run_case "who is heavy" heaviest_is_told
	run_case "what servers are given" rates_are_told
done
use ipv4
run_case "without the right to look at packets" without_the_right_to_look
run_case "an interval that is none is refused" no_interval
finish
