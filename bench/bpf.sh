# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what row.sh and bed.sh set
# The peers in BPF, see bench/bpf/job.h. Each is attached for its row only.

# bpf_up FORM...: those that the rows will be of, in this order.
bpf_up() {
	local name hops=()

	for name in "${servers[@]}"; do
		hops+=("$(mac "$name"),${lan[v4]}${number[$name]},${lan[v6]}${number[$name]}")
	done
	bpf_log=$scratch/bpf-$family.log
	serve bpf "$bpf_log" d "$tree/bench/attach.py" in out "${ghost[v4]},${ghost[v6]}" "$(mac d)" "${hops[@]}" -- "$@"
}

# bpf_row FORM NAME
bpf_row() {
	local deadline=$((SECONDS + 60)) pid

	pid=$(<"$scratch/bpf.pid")
	# Busily: while nobody does anything, guest time runs on, by far faster than the
	# host's, which has the program still to read.
	until attached "$1" || ended "$pid" || ((SECONDS > deadline)); do :; done
	attached "$1" || fail "'$1' is not attached: $(<"$bpf_log")"
	row "$2" sunk -received
	kill -USR1 "$pid"
}

# attached FORM
attached() {
	[[ -e $bpf_log && $'\n'$(<"$bpf_log")$'\n' == *$'\n'"$1"$'\n'* ]]
}

bpf_rows() {
	bpf_up tcx:min tcx:same tcx:neigh clsact:same xdp:min xdp:same
	bpf_row tcx:min tc-bpf-min
	bpf_row tcx:same tc-bpf-same
	bpf_row tcx:neigh tc-bpf-same-neigh
	bpf_row clsact:same tc-bpf-same-clsact
	bpf_row xdp:min xdp-generic-min
	bpf_row xdp:same xdp-generic-same
	unserve bpf
}
