# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # what row.sh and bed.sh set
# What the module costs.

# more_ghosts: the same pool with as many ghosts as there can be.
more_ghosts() {
	local i

	for ((i = 1; i < 256; i++)); do
		if [[ $family == v4 ]]; then
			idle+=("198.18.0.$i")
		else
			idle+=("2001:db8:18::$i")
		fi
	done
	configure router "${servers[@]}"
}

# configure_drop: d is a member that owns nobody.
configure_drop() {
	configure broadcast d s2 s3 s4
	told down d
}

# router_rows: mode router, of all sizes that there can be.
router_rows() {
	local kind=("${kind[@]}") idle=()

	configure router "${servers[@]}"
	row onehop handed sunk -received
	clients=few row onehop-clients-4 handed sunk -received
	packets=20000 row onehop-clients-17000 handed sunk -received
	size=1400 row onehop-1400 handed sunk -received
	row other-onehop-device sunk

	more_ghosts
	row onehop-ghosts-256 handed sunk -received
	devices='' configure router "${servers[@]}"
	row other-onehop-ghosts-256 sunk
	idle=()
	devices='' configure router "${servers[@]}"
	row onehop-prerouting handed sunk received
	row other-onehop sunk

	# Few rows, as ranking them for a thousand servers takes its time, and a packet
	# none.
	kind+=('rows = 1024')
	crowd_up 1024
	crowd 1024 | told apply -
	row onehop-servers-1024 handed sunk -received
}

# kind_rows: the other two kinds.
kind_rows() {
	local kind=("${kind[@]}" 'kind = "table"' 'table = "1*16384 2*16384 3*16384 4*16384"')

	configure router "${servers[@]}"
	row onehop-table handed sunk -received
	kind=('kind = "mod"')
	configure router "${servers[@]}"
	row onehop-mod handed sunk -received
}

# transition_rows: clients that stay, one in five hundred moving, and some that all
# move. bench/transition.sh has more.
transition_rows() {
	sysctls d onehop/transition_seconds=86400
	lives s1 s2 s3 s4 >"$scratch/all.conf"
	lives s1 >"$scratch/one.conf"
	lives s2 s3 s4 >"$scratch/rest.conf"
	begin "$scratch/all.conf" server set s4 --weight 101
	row onehop-transition-stays handed sunk
	begin "$scratch/one.conf" apply "$scratch/rest.conf"
	row onehop-transition-moved handed sunk received
	told commit
	sysctls d onehop/transition_seconds=0
}

# broadcast_rows: mode broadcast, as it should be, and without devices.
broadcast_rows() {
	has_ghost add
	deaf
	configure broadcast d
	row bcast-onehop-keep local received -delivered
	configure_drop
	row bcast-onehop-drop drop_not_owner -received
	devices='' configure broadcast d s2 s3 s4
	row bcast-onehop-drop-prerouting drop_not_owner received -delivered
	flush
	has_ghost del
}

onehop_rows() {
	module_up
	row other-idle sunk
	router_rows
	kind_rows
	transition_rows
	broadcast_rows
	module_unload
}
