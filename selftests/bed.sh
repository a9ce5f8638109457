# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# The beds. Every box is a network namespace:
#
#	c1 .. c8		10.1.N.2 for cN, each on a link of its own
#	cm			10.2.0.1 .. 10.2.0.64, behind 10.1.64.2
#	 |  (10.1.N.1)
#	 r			knows the way to the ghost
#	 |  (10.0.0.254)
#	=+=======+=======+=======+=======+=======+====== lan, a bridge
#	 |       |       |       |       |       |
#	 d1      d2      s1      s2      s3      s4
#	 .11     .12     .1      .2      .3      .4	10.0.0.x, 02:00:00:00:00:<x>
#
# The ghost, 192.0.2.80, is on lo of the servers. They reply to r directly.
#
# mode=router: the servers run no module; that they do not answer ARP for the
# ghost is set by hand. With method=chance they run it, and nothing is set by
# hand. Modes broadcast and peer: likewise, and no d1, d2.
#
# families="ipv4 ipv6": all have IPv6 as well, 2001:db8::x on the lan,
# 2001:db8:1:N::2 and 2001:db8:2:1::1 .. 2001:db8:2:40::1 beyond r, and the pool
# has two ghosts. `use FAMILY` says which of them $ghost and the like are.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

families=${families:-ipv4}
ghost4=192.0.2.80
ghost6=2001:db8:80::80
# The paper's unused address, for a neighbour entry that no reply overwrites.
ghost1=10.0.0.200
ghost1_6=2001:db8::200
servers=(s1 s2 s3 s4)
dispatchers=(d1 d2)
[[ $mode == router ]] || dispatchers=()
# For the configuration: devices, each in quotes, and lines for the pool.
devices=
lines=()
# All of cm's addresses.
many4=() many6=()
for ((i = 1; i <= 64; i++)); do
	many4+=("10.2.0.$i")
	printf -v 'many6[i - 1]' '2001:db8:2:%x::1' $i
done

has_ipv6() {
	[[ $families == *ipv6* ]]
}

# use FAMILY: from here on.
# shellcheck disable=SC2034 # for scripts
use() {
	family=$1
	if [[ $family == ipv6 ]]; then
		ghost=$ghost6 url=http://[$ghost6] many=("${many6[@]}") raw=wire6.py
	else
		ghost=$ghost4 url=http://$ghost4 many=("${many4[@]}") raw=wire.py
	fi
}
use "${families%% *}"

# both FUNCTION: with each family, and everything of it.
both() {
	local each

	for each in $families; do
		use "$each"
		"$@"
	done
}

# host_number NAME: the last part of a host's address on the lan.
host_number() {
	case $1 in
	s*) echo "${1#s}" ;;
	d*) echo "1${1#d}" ;;
	l*) echo "2${1#l}" ;;
	r) echo 254 ;;
	esac
}

# address NAME [FAMILY]: of a host on the lan, or of a client.
address() {
	local net=10.0.0. net6=2001:db8:: number

	if [[ $1 == c* ]]; then
		number=${1#c}
		net=10.1.$number. net6=2001:db8:1:$number:: number=2
	else
		number=$(host_number "$1")
	fi
	if [[ ${2-$family} == ipv6 ]]; then
		echo "$net6$number"
	else
		echo "$net$number"
	fi
}

# fences: the servers' own addresses, with commas. What a server had to say before
# it answers at its own address, it has said by then.
fences() {
	local name

	for name in "${servers[@]}"; do
		address "$name"
	done | paste -sd,
}

# mac NAME: its link address on the lan.
mac() {
	printf '02:00:00:00:00:%02x\n' "$(host_number "$1")"
}

# server_of MAC: the name of the host with this address.
server_of() {
	echo "s$((16#${1##*:}))"
}

# join NAME...: hosts with eth0 on the lan. Links first and in one go: every
# process less counts in an emulated guest.
join() {
	local name

	namespace "$@"
	for name; do
		echo "link add to-$name netns lan type veth peer name eth0 netns $name address $(mac "$name")"
	done | ip -batch -
	for name; do
		echo "link set to-$name master br0 up"
	done | ip -n lan -batch -
	for name; do
		{
			echo "link set lo up"
			[[ $name != s* ]] || echo "address add $ghost4/32 dev lo"
			[[ $name != s* ]] || ! has_ipv6 || echo "address add $ghost6/128 dev lo"
			echo "link set eth0 up"
			addresses "$name" eth0
		} | ip -n "$name" -batch -
	done
}

# addresses NAME DEVICE: a batch for ip: what it has on the lan, and its way out.
addresses() {
	echo "address add $(address "$1" ipv4)/24 dev $2"
	[[ $1 == r ]] || echo "route replace default via 10.0.0.254 dev $2"
	has_ipv6 || return 0
	echo "address add $(address "$1" ipv6)/64 dev $2"
	[[ $1 == r ]] || echo "route replace default via 2001:db8::254 dev $2"
}

# client NAME: c1 .. c8 or cm, on its own link to r.
client() {
	local name=$1 number=${1#c}
	[[ $name != cm ]] || number=64

	namespace "$name"
	ip link add "$name" netns r type veth peer name eth0 netns "$name"
	{
		echo "address add 10.1.$number.1/24 dev $name"
		echo "link set $name up"
		[[ $name != cm ]] || echo "route add 10.2.0.0/24 via 10.1.64.2"
		if has_ipv6; then
			echo "address add 2001:db8:1:$number::1/64 dev $name"
			[[ $name != cm ]] || echo "route add 2001:db8:2::/48 via 2001:db8:1:64::2"
		fi
	} | ip -n r -batch -
	{
		echo "link set lo up"
		echo "address add 10.1.$number.2/24 dev eth0"
		echo "link set eth0 up"
		echo "route add default via 10.1.$number.1"
		[[ $name != cm ]] || printf 'address add %s/32 dev lo\n' "${many4[@]}"
		if has_ipv6; then
			echo "address add 2001:db8:1:$number::2/64 dev eth0"
			echo "route add default via 2001:db8:1:$number::1"
			[[ $name != cm ]] || printf 'address add %s/128 dev lo\n' "${many6[@]}"
		fi
	} | ip -n "$name" -batch -
}

# bed_up CLIENT...: the whole bed with these clients; nothing listens yet.
bed_up() {
	local name
	local unlimited=("ipv4/icmp_ratelimit=0" "ipv6/icmp/ratelimit=0" "ipv4/icmp_msgs_per_sec=10000" "ipv4/icmp_msgs_burst=10000")

	# In all namespaces to come. IPv6 where it is not asked for would put its own
	# chatter into every capture; where it is, a bed must not wait for it.
	sysctls "" core/devconf_inherit_init_net=1 ipv6/conf/default/accept_dad=0 \
		ipv6/conf/default/accept_ra=0 ipv6/conf/default/router_solicitations=0 \
		ipv6/conf/default/disable_ipv6="$(has_ipv6 && echo 0 || echo 1)"
	namespace lan
	ip -n lan link add br0 up type bridge mcast_snooping 0
	join r "${dispatchers[@]}" "${servers[@]}"
	for name; do
		client "$name"
	done
	for name in r "${dispatchers[@]}" "${servers[@]}"; do
		case $name-$mode-${method-} in
		s*-router-chance) sysctls "$name" "${unlimited[@]}" ;;
		s*-router-*) sysctls "$name" "${unlimited[@]}" ipv4/conf/all/arp_ignore=1 ipv4/conf/all/arp_announce=2 ;;
		s*) sysctls "$name" "${unlimited[@]}" ;;
		*) sysctls "$name" "${unlimited[@]}" ipv4/ip_forward=1 ipv6/conf/all/forwarding=1 ;;
		esac
	done
	case $mode in
	router) via d1 ;;
	broadcast) to_all ;;
	peer) via "${servers[@]}" ;;
	esac
}

# via NAME...: r sends what is for the ghost to this host, or spreads it over them.
via() {
	local name hops=() hops6=()

	for name; do
		hops+=(nexthop via "$(address "$name" ipv4)")
		hops6+=(nexthop via "$(address "$name" ipv6)")
	done
	ip -n r route replace $ghost4 "${hops[@]}"
	! has_ipv6 || ip -n r route replace $ghost6 "${hops6[@]}"
}

# to_all [DEVICE]: r sends it to the whole lan, the paper's way.
to_all() {
	local device=${1-eth0}

	ip -n r -batch - <<-END
		neigh replace $ghost1 lladdr ff:ff:ff:ff:ff:ff dev $device nud permanent
		route replace $ghost4 via $ghost1 dev $device
		$(! has_ipv6 || echo "neigh replace $ghost1_6 lladdr ff:ff:ff:ff:ff:ff dev $device nud permanent")
		$(! has_ipv6 || echo "route replace $ghost6 via $ghost1_6 dev $device")
	END
}

# pool [LINE...]: the head of a configuration, with these lines besides.
pool() {
	local ghosts="\"$ghost4\""

	! has_ipv6 || ghosts+=", \"$ghost6\""
	[[ -z ${devices-} ]] || echo "devices = [$devices]"
	echo "[pool.web]"
	[[ " $* " == *mode* ]] || echo "mode = \"$mode\"${method:+$'\n'method = \"$method\"}"
	[[ " $* " == *'"mod"'* || " $* " == *seed* ]] || echo 'seed = "000102030405060708090a0b0c0d0e0f"'
	printf '%s\n' "$@" "ghosts = [$ghosts]"
}

# member NAME ADDRESS [LINE...]: a server of this pool.
member() {
	printf '[pool.web.server.%s]\nid = %s\naddress = "%s"\n' "$1" "$(host_number "$1")" "$2"
	! has_ipv6 || printf 'address6 = "%s"\n' "$(address "$1" ipv6)"
	printf '%s\n' "${@:3}"
}

# conf [LINE...]: the pool of the four servers.
conf() {
	local name

	pool "$@"
	for name in "${servers[@]}"; do
		member "$name" "$(address "$name" ipv4)"
	done
}

# configure NAME...: the pool above on these hosts, where changes take effect at
# once; transition.sh is for those that do not.
configure() {
	local name

	module_load
	conf "${lines[@]}" >"$scratch/onehop.conf"
	for name; do
		sysctls "$name" onehop/transition_seconds=0
		ctl "$name" apply "$scratch/onehop.conf"
	done
}

# web NAME...: nginx on these servers, at the ghost and at the host's own address.
# /name says who serves, /big is 10 MB, PUT /up/FILE keeps a body.
web() {
	local name dir listen

	if [[ ! -e $scratch/big ]]; then
		head -c 10485760 /dev/urandom >"$scratch/big"
	fi
	for name; do
		dir=$scratch/$name
		mkdir -p "$dir/www/up"
		echo "$name" >"$dir/www/name"
		ln -sf "$scratch/big" "$dir/www/big"
		listen="listen $ghost4:80; listen $(address "$name" ipv4):80;"
		! has_ipv6 || listen+=" listen [$ghost6]:80;"
		sed -e "s|@DIR@|$dir|g" -e "s|@LISTEN@|$listen|" "$selftests/nginx.conf" >"$dir/nginx.conf"
		serve "$name" "$dir/nginx.log" "$name" nginx -e "$dir/error.log" -c "$dir/nginx.conf"
	done
	for name; do
		# Written when it listens.
		poll_until 10 test -s "$scratch/$name/nginx.pid"
	done
}

# echoes NAME...: UDP echo, port 7 at the ghosts. One process for all.
echoes() {
	local ghosts=$ghost4

	! has_ipv6 || ghosts+=,$ghost6
	serve echoes "$scratch/echoes" "$1" "$selftests/udp.py" serve 7 "$ghosts" "$@"
	poll_until 10 grep -q serving "$scratch/echoes"
}

# fetch NAMESPACE ARGS...: curl with a deadline.
fetch() {
	at "$1" curl -sS --fail -m $((${deadline:-10} * ${ONEHOP_SLOW:-1})) "${@:2}"
}

# who ADDRESS...: the names that answer cm's addresses, in order, one a line.
who() {
	local address args=()

	for address; do
		args+=(--next -sS --fail -m $((5 * ${ONEHOP_SLOW:-1})) --interface "$address" "$url/name")
	done
	at cm curl --fail-early "${args[@]:1}"
}
