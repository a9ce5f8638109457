# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what row.sh and bed.sh set
# The peers in BPF, see bench/bpf/job.h. Each is attached for its row only.

# bpf PLACE PROGRAM ROW: PLACE is tcx, clsact (tcx's elder) or xdp.
bpf() {
	local log=$scratch/$3-$family.log deadline=$((SECONDS + 60)) name hops=()

	for name in "${servers[@]}"; do
		hops+=("$(mac "$name"),${lan[v4]}${number[$name]},${lan[v6]}${number[$name]}")
	done
	serve bpf "$log" d "$tree/bench/attach.py" "$1" "$2" in out "${ghost[v4]},${ghost[v6]}" "$(mac d)" "${hops[@]}"
	# Busily: while nobody does anything, guest time runs on, by far faster than the
	# host's, which has the program still to read.
	until [[ -s $log ]] || ended "$(<"$scratch/bpf.pid")" || ((SECONDS > deadline)); do :; done
	grep -qx attached "$log" || fail "not attached: $(<"$log")"
	row "$3" sunk -received
	unserve bpf
}

bpf_rows() {
	bpf tcx min tc-bpf-min
	bpf tcx same tc-bpf-same
	bpf tcx neigh tc-bpf-same-neigh
	bpf clsact same tc-bpf-same-clsact
	bpf xdp min xdp-generic-min
	bpf xdp same xdp-generic-same
}
