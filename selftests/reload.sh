# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by the scripts about servers that load the module, and one whose module is
# replaced. All hosts here share one kernel: that it has forgotten everything is what
# there is to see, and its pool goes instead.
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/verbs.sh"

# ghosts VERB: add them to s2, or del.
ghosts() {
	printf "address $1 %s dev lo\n" "$ghost4/32" "$ghost6/128" | ip -n s2 -batch -
}

# loaded: s2 knows what the others do, but not without transitions.
loaded() {
	local name

	ctl s2 apply --now "$scratch/down.conf"
	for name in s1 s3 s4; do
		ctl s2 up "$name" --now
	done
}

digests_agree() {
	equal "digest" "$(ctl s2 -j show | jq -r .digest)" "$(digest)"
}

as_planned() {
	local begun

	four "${lines[@]}" | sed '/^id = /a start-down = true' >"$scratch/down.conf"
	over drain s2
	[[ $mode != peer ]] || via s1 s3 s4
	begun=${EPOCHREALTIME/./}
	on_all down s2
	on_all undrain s2
	ghosts del
	ctl s2 pool del web
	loaded
	digests_agree
	ghosts add
	[[ $mode != peer ]] || via s1 s2 s3 s4
	streams rounds 3
	whole
	changed up s2
	note "s2 was away for $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
	digests_agree
	committed
}

# With its clients, and with the ghost. In mode router it gets only what is its own, and
# in mode broadcast TCP takes nothing meanwhile that came in a frame to all; in mode peer
# what is not its own is reset.
in_place() {
	local begun

	streams where "$scratch/where"
	begun=${EPOCHREALTIME/./}
	ctl s2 pool del web
	ctl s2 apply --now "$scratch/four.conf"
	note "s2 knew nothing for $(((${EPOCHREALTIME/./} - begun) / 1000)) ms"
	digests_agree
	streams rounds 10
	if [[ $mode != peer ]]; then
		whole
		return
	fi
	streams where "$scratch/after"
	report
	note "lost $(jq -c .broken "$scratch/report"), which were on $(sort "$scratch/where" |
		comm -23 - <(sort "$scratch/after") | awk '{ print $3 }' | sort | uniq -c | paste -sd, | tr -s ' ')"
	jq -e '.broken != {}' "$scratch/report"
	recover
}

# replacements: the cases, 3.
replacements() {
	try "a server's health returns" server_returns
	try "a server's module is replaced, as planned" as_planned
	try "in place, with its clients" in_place
}
