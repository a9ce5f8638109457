#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What a configuration holds is what design.md says under "Memory", by the kernel's own account: that
# of the caller's memory cgroup.
# shellcheck source=large.sh
. "$(dirname "$(readlink -f "$0")")/large.sh"

plan 8
namespace d
cgroup=/sys/fs/cgroup/onehop
# shellcheck disable=SC2016 # expanded by the inner shell
charged_to=(bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cgroup")
cpus=$(awk -F, '{ for (i = 1; i <= NF; i++) { n = split($i, range, "-"); all += range[n] - range[1] + 1 } }
	END { print all }' /sys/devices/system/cpu/possible)
[[ -e /sys/fs/cgroup/cgroup.procs ]] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
echo +memory >/sys/fs/cgroup/cgroup.subtree_control
mkdir "$cgroup"

# charged ARGS...: the tool, on that account.
charged() {
	at d "${charged_to[@]}" "$ONEHOPCTL" "$@"
}

# held: bytes, of what a module allocates.
held() {
	awk '$1 ~ /^(slab_unreclaimable|vmalloc|percpu)$/ { sum += $2 } END { print sum }' "$cgroup/memory.stat"
}

# given BYTES: what the allocator gives to who asks for so many.
given() {
	local size=8

	while ((size < $1)); do
		size=$((size * 2))
	done
	echo $size
}

# a_function, pool, ghosts, transition: as the table in design.md has them.
a_function() {
	local servers=$1 rows=$2

	echo $((2 * rows + $(given $((208 * servers))) + $(given $((6 * servers)))))
}
pool() {
	local servers=$1 rows=$2 counted=16

	while ((counted < servers)); do
		counted=$((counted * 2))
	done
	echo $(($(a_function "$servers" "$rows") + $(given $((24 * servers))) + $(given $((40 * servers))) + 16 * counted * (cpus + 2)))
}
ghosts() {
	local places=16

	while ((places < 8 * $1)); do
		places=$((places * 2))
	done
	echo $(($(given $((20 * $1))) + 8 * places))
}
older() {
	echo $(($(a_function "$1" "$2") + 4096))
}

# holds BYTES: more than without a configuration; but for small structures, and what each processor
# has not told yet.
holds() {
	local more=$(($(held) - $(<"$scratch/empty"))) slack=$(($1 / 50 + 12288))

	echo "holds $more where $1 were expected"
	((more >= $1 - slack && more <= $1 + slack))
}

# will_hold BYTES: the kernel adds up every two seconds, and old configurations go soon.
will_hold() {
	poll_until 30 holds "$1"
	note "$(<"$scratch/poll.out")"
}

clear() {
	charged apply --now - </dev/null >/dev/null
}

# apply ARGS...: large's, in place of nothing, as a pool keeps the most counters that it ever had.
apply() {
	clear
	large "$@" >"$scratch/conf"
	charged apply --now "$scratch/conf" >/dev/null
}

# What the first call allocates for good is no part of it.
nothing() {
	module_load
	apply 1 8 256 1
	clear
	# Till nothing has been given back for as long as the kernel takes to say so.
	held >"$scratch/empty"
	poll_until 60 steady
	note "without a configuration: $(<"$scratch/empty")"
	apply 1 1024 256 1
	refuses poll_until 5 holds "$(pool 8 256)"
}

# steady: for three seconds.
steady() {
	local now

	now=$(held)
	if ((now != $(<"$scratch/empty"))); then
		echo "$now" >"$scratch/empty"
		return 1
	fi
	(($(date +%s) - $(stat -c %Y "$scratch/empty") >= 3))
}

small() {
	apply 1 8 65536 1
	will_hold $(($(pool 8 65536) + $(ghosts 1)))
}

# One byte more for a member, and the allocator would give twice as much.
to_the_byte() {
	apply 1 630 256 1
	will_hold $(($(pool 630 256) + $(ghosts 1)))
}

largest() {
	apply 1 1024 65536 256
	will_hold $(($(pool 1024 65536) + $(ghosts 256)))
}

in_transition() {
	local name

	sysctls d onehop/max_tracked_flows=1000
	apply 1 1024 65536 1
	for name in s1 s2 s3 s4 s5; do
		charged drain --for none $name >/dev/null
	done
	equal "older functions" "$(ctl d -j show | jq '.pools[0].older | length')" 5
	will_hold $(($(pool 1024 65536) + $(ghosts 1) + 5 * $(older 1024 65536) + 16 * 2048))
}

committed() {
	charged commit >/dev/null
	will_hold $(($(pool 1024 65536) + $(ghosts 1)))
}

given_back() {
	clear
	will_hold 0
}

# What was built so far goes with the process.
killed() {
	begin 2 "${charged_to[@]}"
	kill -KILL $!
	poll_until 60 ended $!
	equal "pools" "$(ctl d -j show | jq '.pools | length')" 0
	will_hold 0
}

run_case "control: 1024 servers are not 8" nothing
run_case "8 servers, 65536 rows" small
run_case "630 servers, whose members just fit into 128 KiB" to_the_byte
run_case "1024 servers, 65536 rows, 256 ghosts" largest
run_case "five older functions, and method track" in_transition
run_case "given back when they are retired" committed
run_case "given back with the configuration" given_back
run_case "given back by a build that is killed" killed
rmdir "$cgroup"
finish
