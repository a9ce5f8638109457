# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by every script: KTAP, waiting, processes that are ended again, and
# the module under test. A script says `plan N`, then `run_case NAME FUNCTION`
# N times, shown as "<mode> <family> <script>: <case>".
set -euo pipefail
shopt -s inherit_errexit

selftests=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
tree=$(dirname "$selftests")
module=$tree/onehop.ko
ONEHOPCTL=${ONEHOPCTL:-onehopctl}
# For scripts that call it by name.
PATH=$(dirname "$ONEHOPCTL"):$PATH
group=$(basename "$0" .sh)
scratch=$(mktemp -d /tmp/onehop-"$group".XXXXXX)
chmod 755 "$scratch"

# What the cases are about.
mode=${mode:-router}
family=ipv4

started=()	# process ids, of this shell only
namespaces=()
cases=0
failures=0

plan() {
	echo "KTAP version 1"
	echo "1..$1"
}

# run_case NAME FUNCTION: FUNCTION runs in a shell of its own with errexit, so a
# failing command fails the case, and what the case started ends with it.
run_case() {
	local rc=0 begun=$SECONDS

	cases=$((cases + 1))
	set +e
	(
		set -eE
		started=()
		trap 'echo "failed: $BASH_COMMAND (line $LINENO of ${BASH_SOURCE##*/})" >&2' ERR
		trap stop_all EXIT
		"$2"
	) >"$scratch/case.out" 2>&1
	rc=$?
	set -e
	if ((rc == 0)); then
		grep '^# ' "$scratch/case.out" || :
		echo "ok $cases - $mode $family $group: $1"
	else
		failures=$((failures + 1))
		echo "not ok $cases - $mode $family $group: $1"
		tail -n 12 "$scratch/case.out" | sed 's/^/# | /'
	fi
	{
		echo "== $group: $1: $((SECONDS - begun)) s"
		cat "$scratch/case.out"
	} >&2
}

# note TEXT: a measured figure, shown with the case's result.
note() {
	echo "# $*"
}

fail() {
	echo "$*"
	return 1
}

# equal WHAT SEEN EXPECTED
equal() {
	[[ $2 == "$3" ]] || fail "$1: '$2' where '$3' was expected"
}

# refuses CMD...: CMD must fail.
refuses() {
	if "$@"; then
		fail "succeeded, but must not: $*"
	fi
}

# poll_until SECONDS CMD...: until CMD succeeds, or fail after SECONDS (of the stock kernel). The
# only place that sleeps, and nothing relies on for how long.
poll_until() {
	local deadline=$((SECONDS + $1 * ${ONEHOP_SLOW:-1}))

	shift
	until "$@" >"$scratch/poll.out" 2>&1; do
		if ((SECONDS > deadline)); then
			cat "$scratch/poll.out"
			fail "gave up waiting for: $*"
			return
		fi
		sleep 0.05
	done
}

# start LOG NAMESPACE CMD...: in the background, both outputs to the file LOG; $!
# is it. nsenter becomes CMD, so what is ended later is CMD and not a shell.
start() {
	nsenter --net="/run/netns/$2" -- "${@:3}" </dev/null >"$1" 2>&1 &
	started+=($!)
}

# serve NAME LOG NAMESPACE CMD...: a process that lasts to the script's end, or
# until `unserve NAME`, whichever case it was started in.
serve() {
	nsenter --net="/run/netns/$3" -- "${@:4}" </dev/null >"$2" 2>&1 &
	echo $! >"$scratch/$1.pid"
}

unserve() {
	stop "$(<"$scratch/$1.pid")"
	rm "$scratch/$1.pid"
}

# stop PID...: end processes that we started and wait until they are gone, also
# those that another shell of the script will have to reap.
stop() {
	local pid

	for pid; do
		kill "$pid" 2>/dev/null || :
	done
	for pid; do
		wait "$pid" 2>/dev/null || :
		poll_until 10 ended "$pid"
	done
}

ended() {
	[[ ! -e /proc/$1 ]] || grep -q '^State:.Z' "/proc/$1/status"
}

stop_all() {
	stop "${started[@]}"
	started=()
}

# at NAMESPACE CMD...
at() {
	nsenter --net="/run/netns/$1" -- "${@:2}"
}

namespace() {
	namespaces+=("$@")
	printf 'netns add %s\n' "$@" | ip -batch -
}

# sysctls NAMESPACE KEY=VALUE...: keys without "net.", with slashes; "" is the
# first namespace.
sysctls() {
	local name=$1

	shift
	# shellcheck disable=SC2016 # expanded by the inner shell
	${name:+at "$name"} bash -c 'for pair; do echo "${pair#*=}" >"/proc/sys/net/${pair%%=*}" || exit; done' - "$@"
}

clean_up() {
	local rc=$? file

	stop_all
	for file in "$scratch"/*.pid; do
		[[ ! -e $file ]] || unserve "$(basename "$file" .pid)"
	done
	if ((${#namespaces[@]} > 0)); then
		printf 'netns del %s\n' "${namespaces[@]}" | ip -force -batch - 2>/dev/null || :
	fi
	if module_loaded; then
		rmmod onehop || rc=3
	fi
	rm -rf "$scratch"
	exit "$rc"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# finish: the script's last line.
finish() {
	((failures == 0)) || exit 1
}

module_loaded() {
	[[ -d /sys/module/onehop ]]
}

module_load() {
	module_loaded || insmod "$module"
	poll_until 5 test -c /dev/onehop
}

module_unload() {
	! module_loaded || rmmod onehop
}

# ctl NAMESPACE ARGS...: the tool, in a namespace.
ctl() {
	at "$1" "$ONEHOPCTL" "${@:2}"
}

# counter NAMESPACE NAME
counter() {
	ctl "$1" stats | awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }'
}

# owner NAMESPACE CLIENT...: names of the owners, one a line.
owner() {
	ctl "$1" lookup "${@:2}" | awk '{ print $1 }'
}

# exact NAMESPACE: the counters' promise, at rest.
exact() {
	ctl "$1" stats | awk '
		$1 == "seen" { seen = $2 }
		$1 == "handed" || $1 == "local" || $1 ~ /^drop_/ { rest += $2 }
		END { if (seen != rest) { print "seen " seen ", accounted for " rest; exit 1 } }'
}

# snmp NAMESPACE NAME: one of the stack's own counters, such as IcmpOutRedirects.
snmp() {
	at "$1" nstat -asz "$2" | awk -v name="$2" '$1 == name { print $2; found = 1 } END { exit !found }'
}

# capture FILE NAMESPACE DEVICE FILTER...: returns when frames are being seen.
capture() {
	local file=$1

	start "$file.log" "$2" tcpdump -i "$3" -n -U --immediate-mode -s 256 -B 8192 -w "$file" "${@:4}"
	captor=$!
	poll_until 10 grep -q 'listening on' "$file.log"
}

# frames FILE [FILTER...]: a line per frame, with link addresses; ends the capture
# when all that it has received is in the file.
frames() {
	local file=$1

	if [[ -n ${captor-} ]] && ! ended "$captor"; then
		poll_until 10 drained "$captor" "$file.log" || tail -n 1 "$file.log" >&2
		stop "$captor"
	fi
	tcpdump -enttr "$file" "${@:2}" 2>/dev/null
}

# drained PID LOG: asked for its figures, tcpdump has kept all it has received.
drained() {
	kill -USR1 "$1"
	tail -n 1 "$2" | tr -c '0-9\n' ' ' | awk '{ exit !(NF == 3 && $1 == $2 && $3 == 0) }'
}
