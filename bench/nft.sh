# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what row.sh and bed.sh set
# Peers in nft's rules, at d, and rules that end a packet where a row wants it.

# best: the ruleset that dispatches for the least: a keyed hash of the client names
# the server, and fwd does the rest, TTL and neighbour included.
best() {
	local ip=${nft[$family]} name map=()

	for name in "${servers[@]}"; do
		map+=("$((${number[$name]} - 1)) : ${lan[$family]}${number[$name]},")
	done
	at d nft -f - <<-END
		table netdev best {
			chain ingress {
				type filter hook ingress device "in" priority 0;
				$ip daddr ${ghost[$family]} fwd $ip to jhash $ip saddr mod 4 seed 0x10203040 map { ${map[*]} } device "out";
			}
		}
	END
}

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

# cluster: the same by xt_cluster, where iptables has its mangle table.
cluster() {
	local ip=${nft[$family]}

	at d nft -f - <<-END
		table $ip cluster {
			chain others {
			}
			chain prerouting {
				type filter hook prerouting priority mangle;
				$ip daddr ${ghost[$family]} jump others;
			}
		}
	END
	at d "$tree/bench/xt_cluster.py" "$ip" cluster others
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

nft_rows() {
	best
	row nft-best sunk -received
	flush

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
	cluster
	row bcast-xt-cluster received -delivered
	flush
	has_ghost del
}
