# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts about changes of the function under live connections:
#
#	cm: 176 addresses and 24 of IPv6, each with a stream -- r == lan == (d1, d2,) s1 .. s5
#
# s5 is a spare: it listens, and belongs to no pool at first. s2 is the server
# that comes and goes; the clients are so chosen that it has a quarter of them
# or more. `changed` makes a change on all hosts and then sees that no stream
# has broken, that the new connections are where they belong, and that both an
# older function and the newest were used.
families=${families:-ipv4 ipv6}
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/bed.sh"

servers=(s1 s2 s3 s4 s5)
# Those with the module, the first of which is asked who serves whom.
case $mode-${method-} in
router-track) hosts=(d1 d2) ;;
router-chance) hosts=(d1 d2 "${servers[@]}") ;;
*) hosts=("${servers[@]}") ;;
esac
# How long after a change the owners before it still take new connections, so that
# no two hosts answer one that change at different times.
settling=2
[[ ${method-} != track ]] || settling=0

# four [LINE...]: the pool without the spare.
four() {
	local servers=(s1 s2 s3 s4)

	conf "$@"
}

# pick COUNT ADDRESS...: so many of them, and of s2's clients as many as may be,
# up to a third.
pick() {
	"$ONEHOPCTL" lookup --offline "$scratch/four.conf" "${@:2}" | paste -d' ' - <(printf '%s\n' "${@:2}") |
		awk -v all="$1" '
			{ address = $NF }
			$1 == "s2" && two < all / 3 { two++; print address; next }
			$1 != "s2" { other[++others] = address }
			END { for (i = 1; i <= all - two; i++) print other[i] }'
}

renice -n -20 $$ >/dev/null

# transition_bed: everything but the streams, with s2 down.
transition_bed() {
	local i more4=() more6=() name

	bed_up cm
	for ((i = 65; i <= 250; i++)); do
		more4+=("10.2.0.$i")
		printf -v 'more6[i - 65]' '2001:db8:2:%x::1' $i
	done
	{
		printf 'address add %s/32 dev lo\n' "${more4[@]}"
		printf 'address add %s/128 dev lo\n' "${more6[@]}"
	} | ip -n cm -batch -
	sysctls r ipv4/fib_multipath_hash_policy=1 ipv6/fib_multipath_hash_policy=1
	module_load
	four "${lines[@]}" >"$scratch/four.conf"
	# In no order, but always the same: new connections come from them in turn.
	mapfile -t clients < <({
		pick "${streams4:-176}" "${many4[@]}" "${more4[@]}"
		pick "${streams6:-24}" "${many6[@]}" "${more6[@]}"
	} | shuf --random-source=<(yes))
	on_all apply "$scratch/four.conf"
	on_all down s2
	# That a slow machine pauses is no loss: what is repeated for nothing, when the other
	# end has closed already, costs a reset.
	serve patient "$scratch/patient" cm "$selftests/patient.py" 5
	poll_until 20 grep -q patient "$scratch/patient"
	for name in "${servers[@]}"; do
		sysctls "$name" ipv4/tcp_rto_min_us=5000000 ipv4/tcp_fastopen=515
	done
	sysctls cm ipv4/tcp_rto_min_us=5000000 ipv4/tcp_fastopen=5
	echoes "${servers[@]}"
}

# begin: a stream for each client, and new connections from now on. Whatever else is
# done here goes before: two servers answer one connection when hosts change further
# apart than functions settle.
begin() {
	serve streamd "$scratch/streamd" cm nice -n 20 "$selftests/streamd.py" "$ghost4,$ghost6" "${servers[@]}"
	poll_until 20 grep -q serving "$scratch/streamd"
	mkfifo "$scratch/asks" "$scratch/tells"
	exec {asks}<>"$scratch/asks" {tells}<>"$scratch/tells"
	nsenter --net=/run/netns/cm -- nice -n 20 "$selftests/streams.py" "$ghost4" "$ghost6" "${servers[@]}" -- "${hosts[@]}" \
		<"$scratch/asks" >"$scratch/tells" 2>"$scratch/streams" &
	echo $! >"$scratch/streams.pid"
	streams open "${clients[@]}"
	streams fresh 60 plain "${clients[@]}"
	know
	account
}

# streams REQUEST...: what streams.py does; $told is what it has to say. No process
# is begun for it: the streams need what the guest can do.
streams() {
	echo "$*" >&"$asks"
	read -r -t 60 told <&"$tells" || fail "$(cat "$scratch/streams")" || return
	[[ $told == ok* ]] || fail "$told"
	told=${told#ok }
}

# on_all ARGS...: the tool on every host, on all at once; on half of them $skew
# seconds later.
on_all() {
	local name at first='' last='' rc=0 pids=() half=$((${#hosts[@]} / 2))

	for name in "${hosts[@]}"; do
		# Not waiting for something: the skew is what is tested.
		[[ -z ${skew-} || ${#pids[@]} != "$half" ]] || sleep "$skew"
		timed "$name" "$@" >"$scratch/$name.said" 2>&1 &
		pids+=($!)
	done
	for name in "${!hosts[@]}"; do
		wait "${pids[name]}" || { rc=1 && sed "s/^/${hosts[name]}: /" "$scratch/${hosts[name]}.said"; }
	done
	((rc == 0)) || return
	for name in "${hosts[@]}"; do
		read -r at <"$scratch/$name.at"
		((at > ${first:=$at})) || first=$at
		((at < ${last:=$at})) || last=$at
	done
	apart=$(((last - first) / 1000))
}

# timed NAME ARGS...: and note when it was done, in microseconds.
timed() {
	ctl "$@"
	echo "${EPOCHREALTIME/./}" >"$scratch/$1.at"
}

# know: who is to serve whom: client, owner by the newest function, and those by
# older ones, with commas.
know() {
	ctl "${hosts[0]}" -j lookup "${clients[@]}" >"$scratch/lookup"
	streams know "$scratch/lookup" "$scratch/owners"
}

# sum NAME: of a counter, over all hosts, in the last report.
sum() {
	jq --arg name "$1" '.counters[$name] // 0' "$scratch/report"
}

report() {
	streams report "$scratch/report"
}

# account: what is to be compared with later: counters, and resets seen so far.
account() {
	streams account "$scratch/report"
}

# whole: nothing has broken, and nobody has sent a reset.
whole() {
	streams whole "$scratch/report"
}

# none_moves: for nobody does an older function name another owner.
none_moves() {
	streams moved "$scratch/moved"
	[[ ! -s $scratch/moved ]] || fail "$(wc -l <"$scratch/moved") clients move still"
}

# settled: the time at which a change that was just made has settled.
settled() {
	local at=$((${EPOCHREALTIME/./} + settling * 1000000))

	ended=${at::-6}.${at: -6}
}

# changed VERB...: by the tool, on all hosts, with everything that follows from it.
changed() {
	local begun ended

	streams change
	begun=$EPOCHREALTIME
	on_all "$@"
	settled
	know
	streams since "$ended" 40 "$scratch/fresh"
	streams rounds 5
	whole
	streams placed "$begun" "$ended" "${allowed-newest}"
	streams where "$scratch/where"
	streams moved "$scratch/moved"
	streams moves
	note "$told; hosts $apart ms apart"
}

# at_rest [CMD...]: CMD, when there are no new connections, and will be none until
# `streams resume`; then those that there were come to their end in the servers' stacks,
# too. While hosts change some time apart packets are lost, and so may the last word of a
# client be: its server says its own again, and what the client then says goes to the
# newest owner, which resets what it has never seen, once no older function holds it.
at_rest() {
	streams pause
	"$@"
	poll_until 40 all_have_ended
}

all_have_ended() {
	local name

	for name in "${servers[@]}"; do
		at "$name" ss -Htn state fin-wait-1 state fin-wait-2 state closing state last-ack sport = :7000 || return
	done >"$scratch/ending"
	[[ ! -s $scratch/ending ]] || fail "$(<"$scratch/ending")"
}

# one_each: in mode broadcast, hosts that change some time apart also end their settling
# some time apart, and a SYN in between is answered by two. No connection is harmed, but
# the one who is not taken up repeats itself, and when the older functions are gone what
# the client says to that is reset. So that every reset counts, these end before, and
# soon. With $forgiving: a SYN that brought data has made a socket, which itself ends with
# a reset; none but that is forgiven.
one_each() {
	local name pids=()

	[[ $mode == broadcast ]] || return 0
	whole
	for name in "${servers[@]}"; do
		at "$name" ss -Kt state syn-recv >/dev/null &
		pids+=($!)
	done
	wait "${pids[@]}"
	if [[ -n ${forgiving-} ]]; then account; else whole; fi
}

# committed: the streams of clients that move end, others begin; then the older
# functions go, and nothing breaks.
committed() {
	streams renew
	at_rest one_each
	streams resume
	on_all commit
	know
	none_moves
	streams rounds 3
	whole
}

# anew: one stream for each client again.
anew() {
	streams close "${clients[@]}"
	streams open "${clients[@]}"
	whole
}

# over VERB...: a change from end to end.
over() {
	changed "$@"
	committed
}

# try NAME FUNCTION: a case; if it fails, the next one finds what it would have found.
try() {
	local before=$failures

	run_case "$@"
	((failures == before)) || recover >&2 || :
}

# recover: as it was at first, but that s2 is up. Sockets whose other end is gone would
# go on repeating themselves.
recover() {
	local name

	on_all apply --now "$scratch/four.conf"
	on_all up s2 --now
	# What was so already has ended no transition.
	on_all commit
	streams fresh 0
	at cm ss -Kt dport = :7000 >/dev/null
	for name in "${servers[@]}"; do
		sysctls "$name" ipv4/tcp_syncookies=1
		at "$name" ss -Kt sport = :7000 >/dev/null
	done
	know
	streams open "${clients[@]}"
	streams fresh 60 plain "${clients[@]}"
	streams since "$EPOCHREALTIME" 0 "$scratch/fresh"
	streams forget
	account
}
