#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All rows, in the guest. The first one whose packets do not go the way that its
# name says ends the measurement.
# shellcheck source=bench/rows.sh
. "$(dirname "$(readlink -f "$0")")/rows.sh"

# direct: the generator is on the lan itself.
direct() {
	# shellcheck disable=SC2034 # for flood
	local generator=(d out)

	row direct sunk
}

# floors: the least that there can be, and the stack's own way.
floors() {
	silent d in
	row drop -received
	size=1400 row drop-1400 -received
	flush
	direct
	row forward sunk
}

for family in v4 v6; do
	floors
	bpf_rows
	nft_rows
done
for family in v4 v6; do
	onehop_rows
done
# Last, as IPVS leaves behind the reassembly of IPv6, which all that the stack gets
# then pays for.
for family in v4 v6; do
	ipvs_rows
done
