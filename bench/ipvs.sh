# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what row.sh and bed.sh set
# IPVS with direct routing, by its two schedulers that know a client again, and
# without and with one-packet scheduling, which keeps no connections. A client that
# it knows has a connection; a new one has none yet.

# ipvs SCHEDULER [OPTION]: the four servers behind $family's ghost.
ipvs() {
	local name service

	# A table for as many as come.
	modprobe ip_vs conn_tab_bits=16
	service=$(with_port "${ghost[$family]}")
	{
		echo "-A -u $service -s $1 ${2-}"
		for name in "${servers[@]}"; do
			echo "-a -u $service -r $(with_port "${lan[$family]}${number[$name]}") -g"
		done
	} | at d ipvsadm -R
	[[ -n ${2-} ]] || roomy
}

# roomy: makes the table of connections as large as it may be, and waits until it
# is: it would grow, on the one processor, while packets are counted.
roomy() {
	sysctls d ipv4/vs/conn_lfactor=-8
	clients=new flood "$(mac d)" "${ghost[$family]}" 500
	poll_until 30 at d grep -q '(16 bits' /proc/net/ip_vs_status
}

# with_port ADDRESS: the one that the generator sends to.
with_port() {
	if [[ $family == v4 ]]; then
		echo "$1:9"
	else
		echo "[$1]:9"
	fi
}

# ipvs_gone: with its connections.
ipvs_gone() {
	at d ipvsadm -C
	modprobe -r "ip_vs_$1" ip_vs
}

ipvs_rows() {
	local scheduler

	has_ghost add
	for scheduler in sh mh; do
		ipvs "$scheduler"
		clients=few row "ipvs-$scheduler-known" scheduled -connected sunk
		clients=new row "ipvs-$scheduler-new" scheduled '~connected' sunk
		at d ipvsadm -C
		ipvs "$scheduler" -o
		clients=few row "ipvs-$scheduler-ops-known" scheduled sunk
		clients=new row "ipvs-$scheduler-ops-new" scheduled sunk
		ipvs_gone "$scheduler"
	done
	has_ghost del
}
