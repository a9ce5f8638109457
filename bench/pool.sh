# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what row.sh and bed.sh set
# Configurations of onehop for d, of $family's ghost.

# How its function is made; and ghosts that are never asked for.
kind=('seed = "000102030405060708090a0b0c0d0e0f"')
idle=()
# Devices that it names: the hook at their ingress is there, as the peers' programs are.
devices='"in"'

# pool MODE NAME...: these hosts share the ghost.
pool() {
	local name

	head_of "$1"
	for name in "${@:2}"; do
		member "$name" "${number[$name]}" "${lan[$family]}${number[$name]}"
	done
}

# head_of MODE
head_of() {
	local list

	printf -v list ', "%s"' "${ghost[$family]}" "${idle[@]}"
	printf '%s\n' "devices = [$devices]" "[pool.web]" "mode = \"$1\"" "${kind[@]}" "ghosts = [${list:2}]"
}

# member NAME ID ADDRESS
member() {
	local key=address

	[[ $family == v4 ]] || key=address6
	printf '[pool.web.server.%s]\nid = %d\n%s = "%s"\n' "$1" "$2" "$key" "$3"
}

# crowd COUNT: the same of that many servers, which are the four by turns.
crowd() {
	local i address

	head_of router
	for ((i = 1; i <= $1; i++)); do
		crowd_address $i
		member "t$i" $((i - 1)) "$address"
	done
}

# crowd_up COUNT: d knows the way to them.
crowd_up() {
	local i address

	if [[ $family == v4 ]]; then
		ip -n d route replace 10.4.0.0/16 dev out
	else
		ip -n d route replace 2001:db8:4::/64 dev out
	fi
	for ((i = 1; i <= $1; i++)); do
		crowd_address $i
		echo "neighbour replace $address lladdr 02:00:00:00:00:0$((i % 4 + 1)) dev out nud permanent"
	done | ip -n d -batch -
}

# crowd_address N: sets $address.
crowd_address() {
	if [[ $family == v4 ]]; then
		address=10.4.$(($1 / 256)).$(($1 % 256))
	else
		printf -v address '2001:db8:4::%x' "$1"
	fi
}

# module_up: with changes that take effect at once.
module_up() {
	module_load
	sysctls d onehop/transition_seconds=0
}

# told ARGS...: the tool, at d, whose words matter only if it fails.
told() {
	ctl d "$@" >"$scratch/told" 2>&1 || fail "onehopctl $*: $(<"$scratch/told")"
}

# configure MODE NAME...
configure() {
	pool "$@" | told apply -
}

# lives SERVER...: the four servers, each at weight 100; those that are not named drain.
lives() {
	pool router "${servers[@]}" | awk -v live=" $* " '
		{ print }
		/server\./ { name = $0; gsub(/.*\.|]/, "", name) }
		/^id = / {
			print "weight = 100"
			if (!index(live, " " name " ")) print "admin = \"drain\""
		}'
}

# begin FROM CHANGE...: a transition from that configuration, by what the tool is told.
begin() {
	told apply --now "$1"
	told commit
	told "${@:2}"
}
