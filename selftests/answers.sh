# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# For scripts that count who answers: clients of cm ask in the five ways of
# answers.py, which watches r's link; each question must have one answer on the
# wire, by the owner's link address.
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/bed.sh"

# services NAME...: what answers.py asks for.
services() {
	local name macs=()

	web "$@"
	echoes "$@"
	[[ ! -p $scratch/asks ]] || return 0
	for name in "${servers[@]}"; do
		macs+=("$name=$(mac "$name")")
	done
	mkfifo "$scratch/asks" "$scratch/tells"
	exec {asks}<>"$scratch/asks" {tells}<>"$scratch/tells"
	nsenter --net=/run/netns/cm -- "$selftests/answers.py" r "$(fences)" "${macs[@]}" \
		<"$scratch/asks" >"$scratch/tells" 2>"$scratch/asker" &
	echo $! >"$scratch/asker.pid"
}

# probe CLIENT...: these of cm's addresses ask. How much was answered is printed;
# what was answered, on the wire, is in $scratch/replies: client, way, server.
probe() {
	local answered

	echo "${uplink-eth0} ${limit-6} $ghost $scratch/replies $*" >&"$asks"
	read -r -t 60 answered <&"$tells" || fail "$(cat "$scratch/asker")" || return
	head -n 5 "$scratch/replies.missed"
	echo "$answered"
}

# owner_by HOST CLIENT...: as owner; "file" asks the configuration's file, without
# any kernel.
owner_by() {
	if [[ $1 == file ]]; then
		"$ONEHOPCTL" lookup --offline "$scratch/onehop.conf" "${@:2}" | awk '{ print $1 }'
	else
		owner "$@"
	fi
}

# owners HOST CLIENT...: what $scratch/replies should be by HOST's lookup.
owners() {
	owner_by "$@" | paste -d' ' <(printf '%s\n' "${@:2}") - | while read -r client name; do
		printf "$client %s $name\n" accepted closed open ping refused
	done | LC_ALL=C sort
}

# client_of HOST NAME: the first of cm's addresses that NAME owns, by HOST's lookup.
client_of() {
	owner_by "$1" "${many[@]}" | paste -d' ' - <(printf '%s\n' "${many[@]}") |
		awk -v name="$2" '$1 == name && !found { print $2; found = 1 } END { exit !found }'
}

# to_each ARGS...: the tool on every server.
to_each() {
	local name

	for name in "${servers[@]}"; do
		ctl "$name" "$@"
	done
}

# counted HOST NAME VALUE: is a counter there, or beyond?
counted() {
	(($(counter "$1" "$2") >= $3))
}

# small_link_to CLIENT: r's link to cm gets smaller; what r says of it to the ghost,
# by whichever way, must reach the owner for 10 MB to arrive.
small_link_to() {
	ip -n r link set cm mtu 1400
	fetch cm --interface "$1" -o "$scratch/down" "$url/big"
	cmp "$scratch/big" "$scratch/down"
	ip -n r link set cm mtu 1500
}

# fragments_of CLIENT: 4 kB datagrams are answered whole, by one server.
fragments_of() {
	equal "answers" "$(at cm "$selftests/udp.py" ask "$1" "$ghost" 7 4000 10 | sort | uniq -c | awk '{ print $2, $1 }')" \
		"$(owner s1 "$1") 10"
}

# one_answer_each HOST [CLIENT...]: all of cm's, if none are named.
one_answer_each() {
	local host=$1 clients=("${@:2}")

	((${#clients[@]} > 0)) || clients=("${many[@]}")
	equal "answers" "$(probe "${clients[@]}")" "$((5 * ${#clients[@]})) of $((5 * ${#clients[@]})) answered"
	owners "$host" "${clients[@]}" | diff - "$scratch/replies"
}
