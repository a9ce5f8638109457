#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What the longest build, 65536 rows by 1024 servers, does to others on its processor, and what
# becomes of it when it is killed.
# shellcheck source=large.sh
. "$(dirname "$(readlink -f "$0")")/large.sh"

plan 5
declare -A ioctls=([x86_64]=16 [aarch64]=29)
ioctl=${ioctls[$(uname -m)]}
namespace d

# took CMD...: its milliseconds on the processor. Not until it ended: while all wait for a disk, the
# clock of such a guest leaps.
took() {
	local TIMEFORMAT='%3U %3S'

	{ time "$@" >"$scratch/took.out" 2>&1; } 2>&1 | tr -d . | awk '{ print $1 + $2 }'
}

digest() {
	ctl d -j show | jq -r .digest
}

# probe, and probed: $late is how late others were run in between, in ms.
probe() {
	start "$scratch/late" d "$selftests/late.py"
	prober=$!
	poll_until 600 grep -q begun "$scratch/late"
}
probed() {
	stop "$prober"
	late=$(tail -n 1 "$scratch/late")
}

held_is_seen() {
	probe
	chrt --fifo 1 python3 -S -c 'import time
end = time.monotonic() + 0.2
while time.monotonic() < end: pass'
	probed
	((${late%.*} >= 150)) || fail "late by $late ms where 200 was expected"
}

costs() {
	local full down up heavier lighter name

	module_load
	large 1 1024 65536 1 >"$scratch/1.conf"
	large 1 1024 65536 1 5 >"$scratch/heavier.conf"
	full=$(took ctl d apply "$scratch/1.conf")
	down=$(took ctl d down s17)
	up=$(took ctl d up s17)
	heavier=$(took ctl d apply "$scratch/heavier.conf")
	lighter=$(took ctl d apply "$scratch/1.conf")
	note "apply of all: $full ms; down: $down ms, up: $up ms"
	note "apply of one weight: more: $heavier ms, less: $lighter ms, of which the file and the tool: $(took ctl d apply "$scratch/1.conf") ms"
	ctl d commit >/dev/null
	for name in s1 s2 s3 s4 s5 s6; do
		ctl d drain --for none $name >/dev/null
	done
	equal "older functions" "$(ctl d -j show | jq '.pools[0].older | length')" 6
	note "with six older functions: down: $(took ctl d down s19) ms, up: $(took ctl d up s19) ms"
	ctl d apply --now "$scratch/1.conf"
	((down < full / 20 && up < full / 20)) || fail "one server's change costs as much as a whole build"
	((heavier < full / 4 && lighter < full / 4)) || fail "one weight's change costs as much as a whole build"
}

others_run() {
	local before

	before=$(digest)
	probe
	begin 2
	poll_until 600 ended $!
	probed
	cat "$scratch/2.log"
	refuses test "$(digest)" == "$before"
	note "others were run $late ms late at most"
	((${late%.*} < 10)) || fail "others had to wait"
}

killed_in_the_middle() {
	local before generation

	before=$(digest)
	generation=$(ctl d -j show | jq .generation)
	begin 3
	kill -KILL $!
	poll_until 600 ended $!
	refuses wait $!
	equal "digest" "$(digest)" "$before"
	equal "generation" "$(ctl d -j show | jq .generation)" "$generation"
	# Nothing is left of it: the same can be had.
	ctl d apply --now "$scratch/3.conf"
	refuses test "$(digest)" == "$before"
}

# Those who want to change something wait for their turn, and those who look do not.
waiting_is_killed() {
	local before builder waiter

	before=$(digest)
	begin 4
	builder=$!
	start "$scratch/waiter.log" d "$ONEHOPCTL" down s1
	waiter=$!
	poll_until 600 waits $waiter
	kill -KILL $waiter
	poll_until 600 ended $waiter
	ctl d stats >/dev/null
	equal "builder" "$(ended $builder && echo ended || echo builds)" builds
	kill -KILL $builder
	poll_until 600 ended $builder
	equal "digest" "$(digest)" "$before"
}

# waits PID: in an ioctl, for a lock.
waits() {
	local call

	read -r call _ <"/proc/$1/syscall"
	[[ $call == "$ioctl" ]] && grep -q '^State:.D' "/proc/$1/status"
}

run_case "control: a processor that is held is noticed" held_is_seen
run_case "one server's change costs a small part of a build" costs
run_case "others run during a build" others_run
run_case "killed in the middle: the old state stands, whole" killed_in_the_middle
run_case "who waits for a build can be killed" waiting_is_killed
finish
