# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Sourced: tools from crates.io, of one version each, into the kit. kit/env.sh has been read.
# shellcheck disable=SC2034 # for whoever sources this
cargo_deny=0.20.2 cargo_fuzz=0.13.2
PATH=$ONEHOP_KIT/tools/bin:$PATH

# has NAME VERSION: whether the kit has it.
has() {
	[[ -e $ONEHOP_KIT/tools/$1-$2 ]]
}

# installed NAME VERSION: it is there when this returns. Built outside of the tree, whose compiler is
# pinned for the tree's own code.
installed() {
	if ! has "$1" "$2"; then
		(
			cd "$ONEHOP_KIT" || exit
			CARGO_TARGET_DIR=$ONEHOP_KIT/target/tools \
				cargo install --locked --root "$ONEHOP_KIT/tools" --version "$2" "$1"
		)
		: >"$ONEHOP_KIT/tools/$1-$2"
	fi
}
