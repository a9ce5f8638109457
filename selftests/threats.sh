#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Who means harm, as Documentation/security.md lists them; what other scripts show of that, it says
# there. nobody is user 65534, without groups and capabilities.
# shellcheck source=bed.sh
. "$(dirname "$(readlink -f "$0")")/bed.sh"

plan 6
bed_up cm
join l1
web "${servers[@]}"
module_load
configure d1
cgroup=/sys/fs/cgroup/onehop
seed=$(ctl d1 save | sed -n 's/^seed = "\(.*\)"/\1/p')

# nobody NAMESPACE CMD...: CMD in that network namespace, by who may do nothing there.
nobody() {
	at "$1" setpriv --reuid 65534 --regid 65534 --clear-groups --bounding-set -all "${@:2}"
}

# own_namespace CMD...: by nobody, who is root in a user and a network namespace of his own.
own_namespace() {
	nobody d1 unshare --user --map-root-user --net "$@"
}

standing() {
	ctl d1 -j show | jq -S 'del(.counters)'
}

# unchanged CMD...: whatever CMD does, d1 and what it knows stay as they are.
unchanged() {
	standing >"$scratch/before"
	"$@"
	standing | diff "$scratch/before" -
}

node_for_everybody() {
	chmod 666 /dev/onehop
}

node_for_root() {
	chmod 600 /dev/onehop
}

every_verb_is_refused() {
	local verb

	conf >"$scratch/conf"
	while read -r verb; do
		# shellcheck disable=SC2086 # words
		refuses nobody d1 "$ONEHOPCTL" $verb >"$scratch/said" 2>&1
		grep -qi 'CAP_NET_ADMIN\|permission' "$scratch/said" || fail "'$verb' says: $(<"$scratch/said")"
		refuses grep -qF "$seed" "$scratch/said"
	done <<-EOF
		show
		save
		stats
		lookup 198.51.100.1
		down s1
		drain s1
		answer on
		commit
		apply $scratch/conf
	EOF
}

nobody_is_refused() {
	refuses nobody d1 "$ONEHOPCTL" show
	node_for_everybody
	unchanged every_verb_is_refused
	node_for_root
}

# Own namespaces, own configuration; whose counters and knobs are his, too.
himself_only() {
	conf | sed 's/^seed = .*/seed = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff"/' >"$scratch/own.conf"
	chmod 644 "$scratch/own.conf"
	# shellcheck disable=SC2016 # expanded by the inner shell
	own_namespace bash -euc '
		"$1" apply "$2" >/dev/null
		"$1" down s2 >/dev/null
		echo 0 >/proc/sys/net/onehop/enabled
		"$1" save' - "$ONEHOPCTL" "$scratch/own.conf" >"$scratch/saved"
	grep -qF f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff "$scratch/saved"
	refuses grep -qF "$seed" "$scratch/saved"
	# The same root, in the network namespace that is not his.
	refuses nobody d1 unshare --user --map-root-user "$ONEHOPCTL" down s1
	refuses nobody d1 unshare --user --map-root-user bash -c 'echo 0 >/proc/sys/net/onehop/enabled'
	refuses own_namespace rmmod onehop
}

root_of_his_own() {
	node_for_everybody
	unchanged himself_only
	node_for_root
	equal "enabled of d1" "$(at d1 cat /proc/sys/net/onehop/enabled)" 1
}

# What nobody can read of the module, wherever it says something.
nothing_secret() {
	local address='0x[0-9a-f]*ffff[0-9a-f]{8,}|\bffff[89a-f][0-9a-f]{11}\b'

	# Root does find both.
	grep -qE "$address" /sys/module/onehop/sections/.text
	ctl d1 save | grep -qF "$seed"
	nobody d1 bash -c 'cat /proc/sys/net/onehop/* /proc/modules
		find /sys/module/onehop /sys/class/misc/onehop -type f -readable -print -exec cat {} +
		dmesg' >"$scratch/read" 2>/dev/null || :
	grep -q refcnt "$scratch/read" || fail "nobody could read nothing at all"
	refuses grep -F "$seed" "$scratch/read"
	refuses grep -E "$address" "$scratch/read"
	# What root's log has is read by others in many places.
	dmesg | sed -n '/onehop/p' >"$scratch/log"
	[[ -s $scratch/log ]] || fail "the module has said nothing at all"
	refuses grep -F "$seed" "$scratch/log"
}

# hungry: 256 pools of 65536 rows, 33 MB.
hungry() {
	local i

	for ((i = 0; i < 256; i++)); do
		printf '[pool.p%s]\nseed = "%032x"\nrows = 65536\nghosts = ["198.18.0.%s"]\n' $i $((i + 1)) $i
		printf '[pool.p%s.server.s]\nid = 1\naddress = "10.9.0.1"\n' $i
	done
}

# limited MAX: a namespace of his own that wants 33 MB of the kernel.
limited() {
	mkdir "$cgroup"
	echo "$1" >"$cgroup/memory.max"
	# shellcheck disable=SC2016 # expanded by the inner shell
	bash -c 'echo $$ >"$0/cgroup.procs" && exec "$@"' "$cgroup" \
		unshare --user --map-root-user --net "$ONEHOPCTL" apply "$scratch/hungry.conf"
}

given_back() {
	echo "still charged: $(<"$cgroup/memory.current")"
	(($(<"$cgroup/memory.current") < 8 << 20)) && rmdir "$cgroup"
}

# starved: one that gets less is ended, of which the kernel shows a stack; and no other than that.
starved() {
	local known

	known=$(dmesg | wc -l)
	dmesg --console-level 1
	if unchanged refuses limited $((24 << 20)); then
		dmesg | tail -n "+$((known + 1))" >"$scratch/words"
	fi
	dmesg --console-level 5
	grep -q "oom-kill:constraint=CONSTRAINT_MEMCG.*task=onehopctl" "$scratch/words"
	equal "stacks shown" "$(grep -c 'Call Trace:' "$scratch/words")" 1
	refuses grep -E 'WARNING:|BUG:|Oops' "$scratch/words"
	dmesg --clear
}

memory_is_limited() {
	[[ -e /sys/fs/cgroup/cgroup.procs ]] || mount -t cgroup2 cgroup2 /sys/fs/cgroup
	echo +memory >/sys/fs/cgroup/cgroup.subtree_control
	hungry >"$scratch/hungry.conf"
	node_for_everybody
	limited max >/dev/null
	(($(<"$cgroup/memory.peak") > 33 << 20)) || fail "33 MB of rows are not on the account: $(<"$cgroup/memory.peak")"
	poll_until 60 given_back
	starved
	(($(<"$cgroup/memory.peak") <= 24 << 20)) || fail "more than the limit: $(<"$cgroup/memory.peak")"
	poll_until 60 given_back
	node_for_root
}

# believed: the link address of s1, by d1.
believed() {
	at d1 ip -j neigh show "$(address s1)" | jq -r '.[0].lladdr'
}

# claimed: by l1, and d1 believes it; a neighbour just learnt is not replaced for a second.
claimed() {
	at l1 "$selftests/link.py" eth0 --fence "$(address d1)" "ask,$(address l1),$(address d1)" "claim,$(address s1),x5"
	[[ $(believed) == "$(mac l1)" ]]
}

# The link is trusted, as ever: who claims an address gets what is sent to it. But no server gives up
# the ghost for that, and none defends it.
claims_on_the_link() {
	local name before

	before=$(mac s1)
	capture "$scratch/claims.cap" l1 eth0 "arp and arp[6:2] == 2 and not ether src $(mac l1)"
	at l1 "$selftests/link.py" eth0 --fence "$(fences)" "ask,$(address l1),$ghost,x5" "claim,$ghost,x20"
	frames "$scratch/claims.cap" >"$scratch/told"
	refuses grep -F "$ghost is-at" "$scratch/told"
	for name in "${servers[@]}"; do
		ip -n "$name" -o address show to "$ghost" | grep -q "$ghost"
	done
	equal "who serves" "$(who "${many[@]}" | sort -u | wc -l)" 4
	# A server's own address: who claims it has it, as ever, but for an entry that is permanent.
	poll_until 10 claimed
	at d1 ip neigh replace "$(address s1)" lladdr "$before" dev eth0 nud permanent
	refuses claimed
	equal "link address of s1" "$(believed)" "$before"
	equal "who serves" "$(who "${many[@]}" | sort -u | wc -l)" 4
	at d1 ip neigh del "$(address s1)" dev eth0
}

# held: kB of the kernel's that could hold something for each client.
held() {
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# pktgen COUNT: datagrams to d1, straight from its link, each from one of 2^24 addresses.
pktgen() {
	# shellcheck disable=SC2016 # expanded by the inner shell
	at lan bash -euc '
		cd /proc/net/pktgen
		echo rem_device_all >kpktgend_0
		echo add_device to-d1 >kpktgend_0
		for setting in "count $1" "delay 0" "pkt_size 60" "dst $2" "dst_mac $3" \
			"src_min 11.0.0.0" "src_max 11.255.255.255" "flag IPSRC_RND" "udp_dst_min 9" "udp_dst_max 9"; do
			echo "$setting" >to-d1
		done
		echo start >pgctrl
		cat to-d1' - "$1" "$ghost" "$(mac d1)" >"$scratch/pktgen"
}

# All are seen, and a download by one of the others is whole meanwhile.
a_million_sources() {
	local before seen name

	modprobe -q pktgen || :
	for name in "${servers[@]}"; do
		at "$name" nft 'add table ip flood; add chain ip flood in { type filter hook prerouting priority -400; }; add rule ip flood in udp dport 9 counter drop'
	done
	pktgen 20000
	poll_until 10 exact d1
	before=$(held)
	seen=$(counter d1 seen)
	pktgen 1000000 &
	flood=$!
	deadline=100 fetch cm --interface "${many[0]}" -o "$scratch/down" "http://$ghost/big"
	cmp "$scratch/big" "$scratch/down"
	wait "$flood"
	poll_until 10 exact d1
	(($(counter d1 seen) >= seen + 1000000)) || fail "seen: $(($(counter d1 seen) - seen))"
	note "a million clients, and the kernel holds $(($(held) - before)) kB more"
	(($(held) - before < 4096)) || fail "memory grew by $(($(held) - before)) kB"
}

run_case "nobody is refused, with the node open to all" nobody_is_refused
run_case "root of his own namespaces has his own configuration" root_of_his_own
run_case "no seed and no address of the kernel for nobody" nothing_secret
run_case "memory is the caller's, and has his limit" memory_is_limited
run_case "an address is claimed on the link" claims_on_the_link
run_case "a million clients leave nothing" a_million_sources
finish
