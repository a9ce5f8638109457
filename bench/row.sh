# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A row of the measurement: the kernel's own generator in c, and the guest's clock,
# which counts instructions. Generator, dispatcher, bridge and server all run on
# the one processor, so a packet is through before the next one is made.
# shellcheck source=bench/bed.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/bed.sh"

packets=20000
# What nft calls a family's protocol; and, with a capital, its statistics.
declare -A nft=([v4]=ip [v6]=ip6)

# flood LINK DESTINATION COUNT: that many packets of 64 bytes, of $family, to this
# link address; $total is then the instructions for each. IPv4 clients are drawn
# from 10.1.0.0/16; the IPv6 client is always the same, for pktgen draws none. By
# default pktgen keeps a hold on its packets, which every receiver but a device
# that drops them would pay for with a copy; what comes off a wire nobody holds.
flood() {
	local settings=("count $3" "clone_skb 0" "flag !SHARED" "pkt_size 64" "delay 0" "dst_mac $1")

	if [[ $family == v4 ]]; then
		settings+=("dst $2" "src_min 10.1.0.1" "src_max 10.1.255.254" "flag IPSRC_RND")
	else
		settings+=("dst6 $2" "src6 2001:db8:1::2")
	fi
	# shellcheck disable=SC2016 # expanded by the inner shell
	at c bash -ec '
		cd /proc/net/pktgen
		echo rem_device_all >kpktgend_0
		echo add_device eth0 >kpktgend_0
		for setting; do
			echo "$setting" >eth0
		done
		echo start >pgctrl
		cat eth0' - "${settings[@]}" >"$scratch/pktgen"
	total=$(awk -v count="$3" '
		/^Result: OK: / && $5 == count { total = $3 * 1000 / count }
		/ errors: 0$/ { good = 1 }
		END { if (total && good) printf "%.0f", total }' "$scratch/pktgen")
	[[ -n $total ]] || fail "pktgen did not send $3 packets: $(<"$scratch/pktgen")"
}

# packets_in NAMESPACE DEVICE
packets_in() {
	ip -n "$1" -s -j link show dev "$2" | jq '.[0].stats64.rx.packets'
}

# tally NAME: how many packets there have been of what the name says; other names
# are those of the module's own counters.
tally() {
	local name sum=0

	case $1 in
	arrived) packets_in d in ;;
	received) snmp d "${nft[$family]^}InReceives" ;;
	delivered) snmp d "${nft[$family]^}InDelivers" ;;
	sunk)
		for name in "${servers[@]}"; do
			sum=$((sum + $(packets_in "$name" eth0)))
		done
		echo "$sum"
		;;
	*) counter d "$1" ;;
	esac
}

# rose TALLY=FROM...: by one for each packet, or with a `-` before it not at all.
rose() {
	local pair wanted

	for pair; do
		wanted=$packets
		[[ $pair != -* ]] || wanted=0
		pair=${pair#-}
		equal "${pair%=*}" $(($(tally "${pair%=*}") - ${pair#*=})) "$wanted" || return
	done
}

# cost LINK DESTINATION TALLY...: as flood, with all that makes it a measurement:
# every packet has arrived at d, and went the way that the tallies say. The first
# packets pay for memory that later ones find, and do not count.
cost() {
	local name from before=()

	flood "$1" "$2" 500
	for name in arrived "${@:3}"; do
		from=$(tally "${name#-}")
		before+=("$name=$from")
	done
	flood "$1" "$2" "$packets"
	poll_until 10 rose "${before[@]}"
}

# row NAME TALLY...: measures, and prints "row NAME FAMILY TOTAL". The name says
# whether the packets are broadcast, and whether they are for the ghost.
row() {
	local link destination=${ghost[$family]}

	link=$(mac d)
	case $1 in
	bcast-*) link=ff:ff:ff:ff:ff:ff ;;
	forward | other-*) destination=${other[$family]} ;;
	esac
	current="$1 $family"
	cost "$link" "$destination" "${@:2}"
	echo "row $current $total"
}

family='' current='' total=''
set -E
trap '[[ -z $current ]] || echo "the row that failed: $current"' ERR
modprobe pktgen
bed_up
poll_until 30 grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource
echo "kernel $(uname -r)"
