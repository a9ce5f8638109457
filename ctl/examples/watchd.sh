#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A small watchdog for a dispatcher: asks each server of a pool whether it
# serves, and tells onehop. Runs until it is ended; needs root, iproute2,
# util-linux and, for -u, curl.
#
#	watchd.sh -p POOL -P PORT [OPTIONS]
#
#	-p POOL		the pool
#	-P PORT		the TCP port that serves
#	-u PATH		ask for this by HTTP; without it a TCP connection will do
#	-i SECONDS	from one round of probes to the next (2)
#	-t SECONDS	a probe without an answer has failed (2)
#	-f COUNT	so many failures in a row: down (3)
#	-r COUNT	so many answers in a row: up (2)
#	-b NUMBER	see below (70000)
#
# A probe goes the ghost's own way: it is addressed to the ghost, and delivered
# to the one server. So it also finds a server that runs but lacks the ghost.
# How one address leads to many servers: the probes of the server with id N are
# made by user number 70000 + N, an ip rule sends that user's packets to routing
# table 70000 + N, and there the server is the next hop to every ghost of the
# pool. (onehop leaves a packet alone that is routed by way of a server.) Give -b another
# number for a second watchdog on the same host, and where these are taken.
#
# Limits: IPv4. A server that is the dispatcher itself is left alone, and no
# ghost may be an address of the dispatcher: its probes would never leave it.
# Where rp_filter is 1, the host's own route to the ghosts has to lead to the
# servers' link, or the answers are dropped.
set -euo pipefail

pool='' port='' path='' interval=2 limit=2 fall=3 rise=2 base=70000
preference=20000

usage() {
	sed -n '3,/^set /{/^# \?/s///p}' "$0" >&2
	exit 2
}

die() {
	echo "watchd.sh: $*" >&2
	exit 1
}

while getopts p:P:u:i:t:f:r:b: option; do
	case $option in
	p) pool=$OPTARG ;;
	P) port=$OPTARG ;;
	u) path=$OPTARG ;;
	i) interval=$OPTARG ;;
	t) limit=$OPTARG ;;
	f) fall=$OPTARG ;;
	r) rise=$OPTARG ;;
	b) base=$OPTARG ;;
	*) usage ;;
	esac
done
shift $((OPTIND - 1))
[[ $pool && $port && $# -eq 0 ]] || usage
for number in "$port" "$interval" "$limit" "$fall" "$rise" "$base"; do
	[[ $number =~ ^[1-9][0-9]*$ ]] || die "'$number' must be a whole number above 0"
done
((EUID == 0)) || die "user id is '$EUID': must be root"
[[ -z $path || -n $(type -P curl) ]] || die "-u needs curl: install it"

ghosts=()
declare -A address health	# of servers, by name, as onehop has them
declare -A leaving		# those whose health can be set down only
declare -A user			# of servers that have a rule
declare -A answers failures	# in a row
declare -A verdict reason	# up or down, once it is known, and why
errors=$(mktemp -d)		# what the last probe of each server said

# read_pool: what onehop knows.
read_pool() {
	local state columns name

	ghosts=() address=() health=() leaving=()
	state=$(onehopctl dump)
	while IFS=$'\t' read -ra columns; do
		[[ ${columns[1]} == "$pool" ]] || continue
		case ${columns[0]} in
		ghost) ghosts+=("${columns[2]}") ;;
		server)
			name=${columns[2]}
			[[ ${columns[9]} != local ]] || continue
			if [[ ${columns[20]} == true ]]; then
				# One that has come back with another id is asked by that.
				[[ ! -v address[$name] ]] || continue
				leaving[$name]=1
			else
				unset "leaving[$name]"
			fi
			address[$name]=${columns[4]}
			health[$name]=${columns[7]}
			follow "$name" $((base + columns[3]))
			;;
		esac
	done <<<"$state"
	for name in "${!user[@]}"; do
		[[ -v address[$name] ]] || forget "$name"
	done
}

# follow NAME NUMBER: let the probes of this user go to a table of their own,
# and nowhere but where that says.
follow() {
	local rule=(pref "$preference" uidrange "$2-$2" lookup "$2")

	[[ ${user[$1]-} != "$2" ]] || return 0
	[[ ! -v user[$1] ]] || forget "$1"
	user[$1]=$2 answers[$1]=0 failures[$1]=0
	# One may be left over from a watchdog that was killed.
	ip rule del "${rule[@]}" 2>/dev/null || :
	ip rule add "${rule[@]}"
	ip route replace unreachable default table "$2"
}

forget() {
	local number=${user[$1]}

	ip rule del pref "$preference" uidrange "$number-$number" lookup "$number" || :
	ip route flush table "$number" || :
	unset "user[$1]" "answers[$1]" "failures[$1]" "verdict[$1]" "reason[$1]"
}

# probe NAME: succeeds if the server answers for all ghosts.
probe() {
	local number=${user[$1]} ghost as

	as=(setpriv --reuid "$number" --regid "$number" --clear-groups --)
	for ghost in "${ghosts[@]}"; do
		# Each time: a link that was down has taken its routes with it.
		ip route replace "$ghost" via "${address[$1]}" table "$number" || return
		if [[ $path ]]; then
			"${as[@]}" curl -sSf -o /dev/null -m "$limit" --noproxy '*' \
				"http://$ghost:$port/${path#/}" || return
		else
			# shellcheck disable=SC2016 # for the inner shell
			"${as[@]}" timeout "$limit" bash -c ': <"/dev/tcp/$1/$2"' bash "$ghost" "$port" || return
		fi
	done
}

# judge NAME RESULT: counts, and tells onehop where it thinks otherwise.
judge() {
	if (($2 == 0)); then
		failures[$1]=0
		if ((++answers[$1] >= rise)); then
			verdict[$1]=up reason[$1]="answered $rise times in a row"
		fi
	else
		answers[$1]=0
		if ((++failures[$1] >= fall)); then
			verdict[$1]=down reason[$1]=$(tail -n 1 "$errors/$1")
			reason[$1]=${reason[$1]:-no answer within $limit s}
		fi
	fi
	if [[ ${verdict[$1]-} == up && -v leaving[$1] ]]; then
		return
	fi
	if [[ ${verdict[$1]-${health[$1]}} != "${health[$1]}" ]]; then
		echo "$1 ${verdict[$1]}: ${reason[$1]}"
		onehopctl "${verdict[$1]}" "$1" --pool "$pool" --reason "${reason[$1]}" &>"$errors/.tell" || {
			cat "$errors/.tell" >&2
			echo "watchd.sh: will tell of '$1' again" >&2
		}
	fi
}

round() {
	local name ghost result
	local -A pids=()

	read_pool
	((${#ghosts[@]} > 0)) || die "pool '$pool' has no ghost: nothing to ask"
	for ghost in "${ghosts[@]}"; do
		[[ $(ip route get "$ghost" 2>/dev/null) != local* ]] ||
			die "ghost '$ghost' is an address of this host: remove it, or watch from another"
	done
	for name in "${!address[@]}"; do
		probe "$name" 2>"$errors/$name" &
		pids[$name]=$!
	done
	for name in "${!pids[@]}"; do
		result=0
		wait "${pids[$name]}" || result=$?
		judge "$name" "$result"
	done
}

finish() {
	local name

	trap - EXIT
	jobs -p | xargs -r kill 2>/dev/null || :
	for name in "${!user[@]}"; do
		forget "$name"
	done
	rm -rf "$errors"
}
trap finish EXIT
trap 'exit 0' INT TERM

while :; do
	sleep "$interval" &
	round
	wait
done
