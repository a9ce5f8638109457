# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by scripts about the largest table: its configuration, and builds of it. In a boot whose
# clock counts instructions (vm/run --icount), so that times are not the machine's.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

# large SEED SERVERS ROWS GHOSTS [WEIGHT]: the configuration; WEIGHT is that of s500.
large() {
	local i

	printf '[pool.large]\nseed = "%032x"\nrows = %s\nghosts = ["192.0.2.80"' "$1" "$3"
	for ((i = 1; i < $4; i++)); do
		printf ', "198.51.%s.%s"' $((100 + i / 250)) $((1 + i % 250))
	done
	echo ']'
	for ((i = 0; i < $2; i++)); do
		printf '[pool.large.server.s%s]\nid = %s\naddress = "10.9.%s.%s"\nweight = %s\n' \
			"$i" "$i" $((i / 250)) $((1 + i % 250)) $((i == 500 ? ${5-4} : 4))
	done
}

# begin SEED [CMD...]: CMD, nsenter's, begins to build the table of this seed in the background; $!
# is its process, and it is well under way.
begin() {
	large "$1" 1024 65536 1 >"$scratch/$1.conf"
	start "$scratch/$1.log" d "${@:2}" "$ONEHOPCTL" apply --now "$scratch/$1.conf"
	poll_until 600 builds $!
}

# builds PID: the tool has been in the kernel for half a second, which nothing else takes.
builds() {
	local stat

	read -ra stat <"/proc/$1/stat"
	[[ ${stat[1]} == "(onehopctl)" ]] && ((stat[14] > 50))
}
