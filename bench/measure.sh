#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# All rows, in the guest. The first one whose packets do not go the way that its
# name says ends the measurement.
# shellcheck source=bench/row.sh
. "$(dirname "$(readlink -f "$0")")/row.sh"

# owner HOOK ACTION...: the best rule of nft for a member in mode broadcast: a
# keyed hash of the client, compared with the member's number. The hash is 1 to 4
# and the number 0, so that here every client is another's.
owner() {
	local ip=${nft[$family]} table=${nft[$family]} hook='prerouting priority -460'

	if [[ $1 == ingress ]]; then
		table=netdev hook='ingress device "in" priority 0'
	fi
	at d nft -f - <<-END
		table $table owner {
			chain owner {
				type filter hook $hook;
				$ip daddr ${ghost[$family]} jhash $ip saddr mod 4 seed 0x10203040 offset 1 != 0 ${@:2};
			}
		}
	END
}

# deaf: what a member keeps ends in INPUT.
deaf() {
	at d nft -f - <<-END
		table inet deaf {
			chain input {
				type filter hook input priority 0; policy drop;
			}
		}
	END
}

flush() {
	at d nft flush ruleset
}

# has_ghost add|del
has_ghost() {
	local length=32

	[[ $family == v4 ]] || length=128
	ip -n d address "$1" "${ghost[$family]}/$length" dev lo
}

# configure MODE NAME...: these hosts share the ghost.
configure() {
	pool "$@" | ctl d apply - >/dev/null
}

# configure_ingress: the same, with mode broadcast's hook at the ingress of `in`.
configure_ingress() {
	{
		echo 'devices = ["in"]'
		pool broadcast "$@"
	} | ctl d apply - >/dev/null
}

without_the_module() {
	silent d in
	row drop -received
	flush
	row forward sunk

	has_ghost add
	deaf
	row bcast-none-keep received -delivered
	owner ingress meta pkttype set host
	row bcast-nft-keep received -delivered
	flush
	owner ingress drop
	row bcast-nft-drop -received
	flush
	owner prerouting drop
	row bcast-nft-prerouting received -delivered
	flush
	has_ghost del
}

with_the_module() {
	module_load
	row other-idle sunk
	configure router "${servers[@]}"
	row onehop handed sunk
	row other-onehop sunk

	has_ghost add
	deaf
	configure_ingress d
	row bcast-onehop-keep local received -delivered
	configure_ingress d s2 s3 s4
	ctl d down d >/dev/null
	row bcast-onehop-drop drop_not_owner -received
	configure broadcast d s2 s3 s4
	row bcast-onehop-drop-prerouting drop_not_owner received -delivered
	flush
	has_ghost del
	module_unload
}

for family in v4 v6; do
	without_the_module
done
for family in v4 v6; do
	with_the_module
done
