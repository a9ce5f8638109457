# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# What may be between a host and the wire, set up and taken away again:
# `with_NAME HOST` and `without_NAME HOST`, for hosts with eth0 on the lan.
# shellcheck source=answers.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/answers.sh"

# Frames are looked at, and not merged; what is sent is paced.
with_tapped() {
	serve "$1.tcpdump" "$scratch/$1.tcpdump" "$1" tcpdump -i eth0 -n -w /dev/null
	poll_until 10 grep -q 'listening on' "$scratch/$1.tcpdump"
	at "$1" ethtool -K eth0 gro off
	at "$1" tc qdisc replace dev eth0 root fq
}

without_tapped() {
	at "$1" tc qdisc del dev eth0 root
	at "$1" ethtool -K eth0 gro on
	unserve "$1.tcpdump"
}

# Connections are tracked, and what has no place in one is dropped. Servers see
# the client's packets only, r both directions.
with_conntrack() {
	at "$1" nft -f - <<-END
		table inet wire {
			chain early {
				type filter hook prerouting priority raw; policy accept;
				counter
			}
			chain in {
				type filter hook input priority filter; policy accept;
				ct state established,related counter accept
				ct state invalid counter drop
			}
			chain out {
				type filter hook output priority filter; policy accept;
				ct state new,established,related counter accept
			}
			chain leave {
				type filter hook postrouting priority filter; policy accept;
				ct state new,established counter
			}
		}
	END
}

without_conntrack() {
	at "$1" nft delete table inet wire
}

# rp_filter; IPv6 has none.
with_strict() {
	sysctls "$1" ipv4/conf/{all,eth0}/rp_filter=1
}

without_strict() {
	sysctls "$1" ipv4/conf/{all,eth0}/rp_filter=0
}

# And unicast that comes in a frame to a group is refused.
with_loose() {
	sysctls "$1" ipv4/conf/{all,eth0}/rp_filter=2 ipv{4,6}/conf/{all,eth0}/drop_unicast_in_l2_multicast=1
}

without_loose() {
	sysctls "$1" ipv4/conf/{all,eth0}/rp_filter=0 ipv{4,6}/conf/{all,eth0}/drop_unicast_in_l2_multicast=0
}

with_jumbo() {
	ip -n lan link set "to-$1" mtu 9000
	ip -n "$1" link set eth0 mtu 9000
}

without_jumbo() {
	ip -n "$1" link set eth0 mtu 1500
	ip -n lan link set "to-$1" mtu 1500
}

# over DEVICE LINE...: the host's addresses move from eth0 to DEVICE, which the
# lines make, while eth0 is down.
over() {
	local host=$1 device=$2

	{
		echo "address flush dev eth0"
		echo "link set eth0 down"
		printf '%s\n' "${@:3}"
		echo "link set eth0 up"
		echo "link set $device up"
		addresses "$host" "$device"
	} | ip -n "$host" -batch -
}

# back HOST DEVICE
back() {
	{
		echo "link del $2"
		echo "link set eth0 up"
		addresses "$1" eth0
	} | ip -n "$1" -batch -
}

with_bond() {
	over "$1" bond0 "link add bond0 address $(mac "$1") type bond mode active-backup miimon 100" "link set eth0 master bond0"
}

without_bond() {
	back "$1" bond0
}

# A port of the host's own bridge; br_netfilter shows IP hooks what it handles.
with_bridge() {
	modprobe br_netfilter
	over "$1" br1 "link add br1 address $(mac "$1") type bridge mcast_snooping 0 forward_delay 0" "link set eth0 master br1"
	sysctls "$1" bridge/bridge-nf-call-iptables=1 bridge/bridge-nf-call-ip6tables=1
}

without_bridge() {
	back "$1" br1
}

# The lan is a VLAN: for all at once, r among them.
with_vlan() {
	over "$1" eth0.10 "link add link eth0 name eth0.10 type vlan id 10"
}

without_vlan() {
	back "$1" eth0.10
}
