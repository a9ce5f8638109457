# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The peers in BPF, see bench/bpf/job.h. Each is attached for its row only.

# bpf KIND PROGRAM ROW: KIND is tc or xdp.
bpf() {
	local log=$scratch/bpf.log name links=()

	for name in "${servers[@]}"; do
		links+=("$(mac "$name")")
	done
	rm -f "$log"
	start "$log" d "$tree/bench/attach.py" "$1" "$2" in out "${ghost[v4]}" "${ghost[v6]}" "$(mac d)" "${links[@]}"
	# Guest time runs while programs are read from the host.
	poll_until 600 test -s "$log"
	grep -qx attached "$log" || fail "$(<"$log")"
	row "$3" sunk -received
	stop_all
}

bpf_rows() {
	bpf tc min tc-bpf-min
	bpf tc same tc-bpf-same
	bpf xdp min xdp-generic-min
	bpf xdp same xdp-generic-same
}
