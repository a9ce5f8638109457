#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# calls.sh [--seed N] [--effort N]: calls that are nearly right, and text that is no number: nothing
# is taken that must not be, and what is refused changes nothing. One namespace, no traffic.
#
# The module's verdict on each request is compared with that of the same code on the host's side.
# calls.py and knobs.py speak KTAP themselves; both print the seed, by which they can be repeated.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

module_load
namespace only other
at only "$selftests/calls.py" "$@"
