# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# A row of the measurement: the kernel's own generator in c, and the guest's clock,
# which counts instructions. Generator, dispatcher, bridge and server all run on
# the one processor, so a packet is through before the next one is made.
# shellcheck source=bench/bed.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/bed.sh"

# Of a row: how many, of how many bytes with their link header.
packets=4000
size=64
# Which clients: IPv4 addresses are drawn from this range. The IPv6 client is
# always the same, for pktgen draws none: there it is ports that are drawn, which
# makes a connection new as well.
clients=many
declare -A sources=([few]="10.1.0.1 10.1.0.5" [many]="10.1.0.1 10.1.255.254" [new]="10.1.0.1 10.254.255.254")
declare -A ports=([few]="1024 1028" [many]="1024 65535" [new]="1024 65535")
# Where from.
generator=(c eth0)
# What nft calls a family's protocol; and, with a capital, its statistics.
declare -A nft=([v4]=ip [v6]=ip6)

# flood LINK DESTINATION COUNT: that many packets of $family to this link address;
# $total is then the instructions for each. By default pktgen keeps a hold on its
# packets, which every receiver but a device that drops them would pay for with a
# copy; what comes off a wire nobody holds.
flood() {
	local range=() bytes=$size settings

	# What pktgen needs for IPv6, and else makes of it with a complaint for each packet.
	[[ $family == v4 ]] || ((bytes >= 78)) || bytes=78
	settings=("count $3" "clone_skb 0" "flag !SHARED" "pkt_size $bytes" "delay 0" "dst_mac $1")
	if [[ $family == v4 ]]; then
		read -ra range <<<"${sources[$clients]}"
		settings+=("flag !IPV6" "dst $2" "src_min ${range[0]}" "src_max ${range[1]}" "flag IPSRC_RND")
		settings+=("udp_src_min 9" "udp_src_max 9")
	else
		read -ra range <<<"${ports[$clients]}"
		settings+=("dst6 $2" "src6 2001:db8:1::2" "udp_src_min ${range[0]}" "udp_src_max ${range[1]}" "flag UDPSRC_RND")
	fi
	at "${generator[0]}" bash -ec '
		cd /proc/net/pktgen
		[[ -e $1 ]] || echo "add_device $1" >kpktgend_0
		for setting in "${@:2}"; do
			echo "$setting" >"$1"
		done
		echo start >pgctrl
		cat "$1"' - "${generator[1]}" "${settings[@]}" >"$scratch/pktgen"
	total=$(awk -v count="$3" '
		/^Result: OK: / && $5 == count { total = $3 * 1000 / count }
		/ errors: 0$/ { good = 1 }
		END { if (total && good) printf "%.0f", total }' "$scratch/pktgen")
	[[ -n $total ]] || fail "pktgen did not send $3 packets: $(<"$scratch/pktgen")"
}

# ipvs_total COLUMN: of IPVS since it was loaded, on the only processor. What it
# says of all is from a while ago.
ipvs_total() {
	echo $((16#$(at d awk -v column="$1" '$1 == "0" { print $column; exit }' /proc/net/ip_vs_stats_percpu)))
}

# tally NAME: how many packets there have been of what the name says; other names
# are those of the module's own counters.
tally() {
	case $1 in
	arrived) at d awk '$1 == "in:" { print $3 }' /proc/net/dev ;;
	received) snmp d "${nft[$family]^}InReceives" ;;
	delivered) snmp d "${nft[$family]^}InDelivers" ;;
	# By the bridge's ports, at the other end of what a server's device is.
	sunk) at lan awk '$1 ~ /^to-s/ { sum += $11 } END { print sum }' /proc/net/dev ;;
	connected) ipvs_total 2 ;;
	scheduled) ipvs_total 3 ;;
	*) counter d "$1" ;;
	esac
}

# rose TALLY=FROM...: by one for each packet; with a `-` before it not at all, and
# with a `~` by nine in ten at least, where the generator may draw something twice.
rose() {
	local pair name rise

	for pair; do
		name=${pair%=*}
		rise=$(($(tally "${name#[-~]}") - ${pair#*=}))
		case $name in
		-*) equal "$name" "$rise" 0 || return ;;
		~*) ((rise >= packets * 9 / 10)) || fail "$name: '$rise' where '$packets' was expected, or somewhat less" || return ;;
		*) equal "$name" "$rise" "$packets" || return ;;
		esac
	done
}

# cost LINK DESTINATION TALLY...: as flood, with all that makes it a measurement:
# the packets went the way that the tallies say. The first packets pay for memory
# that later ones find, and do not count. Of two halves the cheaper one does: now
# and then the kernel has some work of its own to do.
cost() {
	local name from before=() half=$((packets / 2)) first

	flood "$1" "$2" 500
	for name in "${@:3}"; do
		from=$(tally "${name#[-~]}")
		before+=("$name=$from")
	done
	flood "$1" "$2" "$half"
	first=$total
	flood "$1" "$2" "$half"
	((total < first)) || total=$first
	poll_until 10 rose "${before[@]}"
}

# row NAME TALLY...: measures, and prints "row NAME FAMILY TOTAL". The name says
# whether the packets are broadcast, and whether they are for the ghost.
row() {
	local link destination=${ghost[$family]} arrived=(arrived)

	link=$(mac d)
	case $1 in
	bcast-*) link=ff:ff:ff:ff:ff:ff ;;
	direct) link=$(mac s1) arrived=() ;;
	forward | other-*) destination=${other[$family]} ;;
	esac
	current="$1 $family"
	cost "$link" "$destination" "${arrived[@]}" "${@:2}"
	echo "row $current $total"
	current="none, but what follows $current"
}

family='' current='' total=''
set -E
trap '[[ -z $current ]] || echo "the row that failed: $current"' ERR
modprobe pktgen
bed_up
poll_until 30 grep -qx tsc /sys/devices/system/clocksource/clocksource0/current_clocksource
echo "kernel $(uname -r)"
