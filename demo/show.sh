#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What onehop does, in less than a minute, in the guest that demo/run boots. The bed is
# the selftests': network namespaces, real nginx, real curl. Nothing shown is
# taken for granted: a figure that is not as predicted ends the demonstration.
# shellcheck source=../selftests/bed.sh
. "$(dirname "$(dirname "$(readlink -f "$0")")")/selftests/bed.sh"

bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m' plain=$'\e[0m'

title() {
	printf '\n%s%s%s\n' "$bold" "$*" "$plain"
}

# shown NAMESPACE CMD...: run it, and show it as typed there.
shown() {
	printf '  %s%s# %s%s\n' "$dim" "$1" "${*:2}" "$plain"
	at "$@" | sed 's/^/  /'
}

good() {
	printf '  %s*%s %s\n' "$green" "$plain" "$*"
}

surprise() {
	printf '  %snot as predicted:%s %s\n' "$red" "$plain" "$*"
	exit 1
}

onehopctl() {
	printf '  %sd1# onehopctl %s%s\n' "$dim" "$*" "$plain"
	ctl d1 "$@" | sed 's/^/  /'
}

# table: who served whom, against what lookup predicts.
table() {
	local name predicted served

	who "${many[@]}" >"$scratch/served" || surprise "some clients got no answer"
	owner d1 "${many[@]}" >"$scratch/predicted"
	printf '  %-8s %9s %7s\n' server predicted served
	for name in "${servers[@]}"; do
		predicted=$(grep -cx "$name" "$scratch/predicted" || :)
		served=$(grep -cx "$name" "$scratch/served" || :)
		printf '  %-8s %9s %7s  %s\n' "$name" "$predicted" "$served" "$(bar "$served")"
	done
	cmp -s "$scratch/predicted" "$scratch/served" || surprise "a client was served by another server than lookup says"
	good "64 of 64 clients served by the server that lookup names"
}

bar() {
	local i
	for ((i = 0; i < $1; i++)); do
		printf '#'
	done
}

# health NAME STATE
health() {
	[[ $(ctl d1 -j show | jq -r ".pools[0].servers[] | select(.name == \"$1\") | .health") == "$2" ]]
}

# moved FROM: how many clients have another server than in this file, and whose
# they were.
moved() {
	paste -d' ' "$1" "$scratch/served" | awk '$1 != $2 { print $1 }' | sort | uniq -c | awk '{ print $1, "of", $2 }'
}

cat <<END

  ${bold}onehop: one address, four servers, no connection table${plain}

     64 clients
         |
         r          routes the ghost, $ghost, to d1
         |
     ====+=======+=======+=======+=======+=======+====  one segment
         d1      d2      s1      s2      s3      s4
     dispatcher  spare   nginx   nginx   nginx   nginx

  d1 sends each packet on to the owner of its client; s1 .. s4 all have the
  ghost, and answer r directly. Each is a network namespace of this guest,
  Linux $(uname -r).
END

title "1. Load the module, apply a configuration"
bed_up cm
web "${servers[@]}"
cd "$scratch" || exit
conf >onehop.conf
module_load
good "onehop.ko is in the kernel; without a configuration it does nothing"
onehopctl apply onehop.conf
ctl d2 apply onehop.conf >/dev/null
good "the spare, d2, has the same file"

title "2. 64 clients fetch a page from the ghost"
table
cp "$scratch/served" "$scratch/all"
onehopctl lookup "${many[0]}"

title "3. s2 is killed; a watchdog on d1 takes it out"
start "$scratch/watchd" d1 "$selftests/../ctl/examples/watchd.sh" -p web -P 80 -u name -i 1 -f 2 -r 1
watchdog=$!
unserve s2
poll_until 20 health s2 down || surprise "the watchdog did not notice"
onehopctl show
table
[[ $(moved "$scratch/all") == "$(grep -cx s2 "$scratch/all") of s2" ]] ||
	surprise "other clients than s2's moved: $(moved "$scratch/all")"
good "clients that moved: $(moved "$scratch/all"), and no other"

title "4. s2 returns"
web s2
poll_until 20 health s2 up || surprise "the watchdog did not notice"
who "${many[@]}" >"$scratch/served"
cmp -s "$scratch/all" "$scratch/served" || surprise "the clients are not where they were"
good "every client is back where it was"

title "5. The dispatcher fails over, in the middle of 64 downloads"
head -c 262144 "$scratch/big" >"$scratch/middle"
for name in "${servers[@]}"; do
	ln -sf "$scratch/middle" "$scratch/$name/www/middle"
done
start "$scratch/flows" cm "$selftests/flows.py" "$ghost" /slow/middle "$scratch/middle" 1 "$scratch/progress" "${many[@]}"
flows=$!
# percent N: of all bytes.
percent() {
	(($(cut -d' ' -f2 "$scratch/progress") >= $1))
}
poll_until 30 percent 30 || surprise "the downloads do not begin"
shown r ip route replace "$ghost" via 10.0.0.12
wait "$flows" || surprise "$(tail -n 1 "$scratch/flows")"
good "downloads: $(tail -n 1 "$scratch/flows"); d2 had $(counter d2 handed) of their packets, and nothing to take over"
(($(counter d2 handed) > 0)) || surprise "d2 was not used"

title "6. No dispatcher at all: mode broadcast"
stop "$watchdog"
sed 's/"router"/"broadcast"/' onehop.conf >broadcast.conf
for name in "${servers[@]}"; do
	ctl "$name" apply broadcast.conf >/dev/null
done
for name in "${dispatchers[@]}"; do
	ctl "$name" apply /dev/null >/dev/null
done
good "the same file but for the mode, now on s1 .. s4; each finds itself in it by its address"
to_all
shown r ip route get "$ghost"
shown r ip neigh show "$ghost1"
capture "$scratch/replies" r eth0 "src host $ghost and tcp"
who "${many[@]}" >"$scratch/served" || surprise "some clients got no answer"
cmp -s "$scratch/all" "$scratch/served" || surprise "a client has another server than in mode router"
good "every frame reaches all four; every client has the server that it had in mode router"
[[ $(frames "$scratch/replies" | awk '{ sub(/\.[0-9]+:$/, "", $12); print $12, $2 }' | sort -u | wc -l) == 64 ]] ||
	surprise "a client was answered by more than one server"
good "on the wire: 64 clients, 64 pairs of client and answering link address"
for name in "${servers[@]}"; do
	printf '  %-8s kept %6s packets, left %6s to others\n' "$name" \
		"$(counter "$name" local)" "$(counter "$name" drop_not_owner)"
done

cat <<END

  ${bold}What to try next${plain}
    make test                      all of this and much more, as tests
    Documentation/index.md         how it works, what breaks when what fails
    selftests/bed.sh               the bed above; your own commands in it:
      selftests/vm/run --shell-command '. selftests/bed.sh; bed_up cm; ...'
END
