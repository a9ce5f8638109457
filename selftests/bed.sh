# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Bed R, router mode. Every box is a network namespace:
#
#	c1 .. c8		10.1.N.2 for cN, each on a link of its own
#	cm			10.2.0.1 .. 10.2.0.64, behind 10.1.64.2
#	 |  (10.1.N.1)
#	 r			ip route: ghost via d1
#	 |  (10.0.0.254)
#	=+=======+=======+=======+=======+=======+====== lan, a bridge
#	 |       |       |       |       |       |
#	 d1      d2      s1      s2      s3      s4
#	 .11     .12     .1      .2      .3      .4	10.0.0.x, 02:00:00:00:00:<x>
#
# The ghost, 192.0.2.80, is on lo of the servers, which run no module: that they
# do not answer ARP for it is set by hand. They reply to r directly.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/lib.sh"

ghost=192.0.2.80
dispatchers=(d1 d2)
servers=(s1 s2 s3 s4)
# All of cm's addresses.
many=()
for ((i = 1; i <= 64; i++)); do
	many+=("10.2.0.$i")
done

# host_number NAME: the last part of a host's address on the lan.
host_number() {
	case $1 in
	s*) echo "${1#s}" ;;
	d*) echo "1${1#d}" ;;
	l*) echo "2${1#l}" ;;
	r) echo 254 ;;
	esac
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
	local name number

	namespace "$@"
	for name; do
		echo "link add to-$name netns lan type veth peer name eth0 netns $name address $(mac "$name")"
	done | ip -batch -
	for name; do
		echo "link set to-$name master br0 up"
	done | ip -n lan -batch -
	for name; do
		number=$(host_number "$name")
		ip -n "$name" -batch - <<-END
			link set lo up
			link set eth0 up
			address add 10.0.0.$number/24 dev eth0
			$([[ $name == r ]] || echo "route add default via 10.0.0.254")
			$([[ $name != s* ]] || echo "address add $ghost/32 dev lo")
		END
	done
}

# client NAME: c1 .. c8 or cm, on its own link to r.
client() {
	local name=$1 number=${1#c}
	[[ $name != cm ]] || number=64

	namespace "$name"
	ip link add "$name" netns r type veth peer name eth0 netns "$name"
	ip -n r -batch - <<-END
		address add 10.1.$number.1/24 dev $name
		link set $name up
		$([[ $name != cm ]] || echo "route add 10.2.0.0/24 via 10.1.64.2")
	END
	ip -n "$name" -batch - <<-END
		link set lo up
		address add 10.1.$number.2/24 dev eth0
		link set eth0 up
		route add default via 10.1.$number.1
		$([[ $name != cm ]] || printf 'address add %s/32 dev lo\n' "${many[@]}")
	END
}

# bed_up CLIENT...: the whole bed with these clients; nothing listens yet.
bed_up() {
	local name

	# No IPv6 here: its own chatter would be in every capture.
	echo 1 >/proc/sys/net/core/devconf_inherit_init_net
	echo 1 >/proc/sys/net/ipv6/conf/default/disable_ipv6
	namespace lan
	ip -n lan link add br0 up type bridge mcast_snooping 0
	join r "${dispatchers[@]}" "${servers[@]}"
	for name; do
		client "$name"
	done
	for name in r "${dispatchers[@]}"; do
		sysctls "$name" ipv4/ip_forward=1 ipv4/icmp_ratelimit=0 ipv4/icmp_msgs_per_sec=10000
	done
	for name in "${servers[@]}"; do
		sysctls "$name" ipv4/conf/all/arp_ignore=1 ipv4/conf/all/arp_announce=2 ipv4/icmp_ratelimit=0
	done
	via d1
}

# via NAME: r sends what is for the ghost to this host.
via() {
	ip -n r route replace "$ghost" via "10.0.0.$(host_number "$1")"
}

# pool [LINE...]: the head of a configuration, with these lines besides.
pool() {
	echo "[pool.web]"
	[[ " $* " == *'"mod"'* || " $* " == *seed* ]] || echo 'seed = "000102030405060708090a0b0c0d0e0f"'
	printf '%s\n' "$@" "ghosts = [\"$ghost\"]"
}

# member NAME ADDRESS [LINE...]: a server of this pool.
member() {
	printf '[pool.web.server.%s]\nid = %s\naddress = "%s"\n' "$1" "$(host_number "$1")" "$2"
	printf '%s\n' "${@:3}"
}

# conf [LINE...]: the pool of the four servers.
conf() {
	local name

	pool "$@"
	for name in "${servers[@]}"; do
		member "$name" "10.0.0.$(host_number "$name")"
	done
}

# configure NAME...: the pool above on these dispatchers.
configure() {
	local name

	module_load
	conf >"$scratch/onehop.conf"
	for name; do
		ctl "$name" apply "$scratch/onehop.conf"
	done
}

# web NAME...: nginx on these servers, at the ghost and at the host's own address.
# /name says who serves, /big is 10 MB, PUT /up/FILE keeps a body.
web() {
	local name dir

	if [[ ! -e $scratch/big ]]; then
		head -c 10485760 /dev/urandom >"$scratch/big"
	fi
	for name; do
		dir=$scratch/$name
		mkdir -p "$dir/www/up"
		echo "$name" >"$dir/www/name"
		ln -sf "$scratch/big" "$dir/www/big"
		sed -e "s|@DIR@|$dir|g" -e "s|@GHOST@|$ghost|" -e "s|@OWN@|10.0.0.$(host_number "$name")|" \
			"$selftests/nginx.conf" >"$dir/nginx.conf"
		serve "$name" "$dir/nginx.log" "$name" nginx -e "$dir/error.log" -c "$dir/nginx.conf"
	done
	for name; do
		poll_until 10 at "$name" curl -sf -m 2 -o /dev/null "http://10.0.0.$(host_number "$name")/name"
	done
}

# fetch NAMESPACE ARGS...: curl with a deadline.
fetch() {
	at "$1" curl -sS --fail -m "${deadline:-10}" "${@:2}"
}

# who ADDRESS...: the names that answer cm's addresses, in order, one a line.
who() {
	local address args=()

	for address; do
		args+=(--next -sS --fail -m 5 --interface "$address" "http://$ghost/name")
	done
	at cm curl --fail-early "${args[@]:1}"
}
