# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by what measures: a row, and all that there are rows of.
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
# shellcheck source=bench/row.sh
. "$here/row.sh"
# shellcheck source=bench/pool.sh
. "$here/pool.sh"
# shellcheck source=bench/nft.sh
. "$here/nft.sh"
# shellcheck source=bench/bpf.sh
. "$here/bpf.sh"
# shellcheck source=bench/ipvs.sh
. "$here/ipvs.sh"
# shellcheck source=bench/onehop.sh
. "$here/onehop.sh"
