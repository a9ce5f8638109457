# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced by verbs.sh: overrides come and go under live connections, and move the clients
# of their prefixes, nobody else.
# shellcheck disable=SC2154 # scratch is lib.sh's, told transition.sh's

# Of each family a good share of the clients, and not all.
prefixes=(10.2.0.0/25 2001:db8:2::/60)

# side inside|outside FILE: of lines that begin with a client, those of clients in the
# prefixes, or of all others. Told from the addresses alone: module and tool are on trial.
side() {
	awk -v wanted="$1" '
		{ split($1, part, /[.:]/) }
		($1 ~ /:/ ? length(part[4]) == 1 : part[4] < 128) == (wanted == "inside")' "$2"
}

# only_inside FILE: who is outside has the owner of FILE, and no older one besides.
only_inside() {
	side outside "$1" >"$scratch/outside"
	grep -q : "$scratch/outside"
	grep -q '[.]' "$scratch/outside"
	diff "$scratch/outside" <(side outside "$scratch/owners")
	note "of $(side inside "$scratch/owners" | wc -l) clients inside $(wc -l <"$scratch/moved") move," \
		"of $(wc -l <"$scratch/outside") outside none"
}

# Both families, one change upon the other.
overrides_come() {
	local prefix

	cp "$scratch/owners" "$scratch/plain"
	for prefix in "${prefixes[@]}"; do
		changed override add "$prefix" s3
	done
	equal "owners inside" "$(side inside "$scratch/owners" | awk '{ print $2 }' | sort -u)" s3
	only_inside "$scratch/plain"
	committed
}

overrides_go() {
	local prefix

	for prefix in "${prefixes[@]}"; do
		changed override del "$prefix"
	done
	only_inside "$scratch/plain"
	committed
	diff "$scratch/plain" "$scratch/owners"
}
