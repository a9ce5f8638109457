#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# calls.sh with many times as many calls, of a seed that is new each time.
exec "$(dirname "$(readlink -f "$0")")/calls.sh" --effort 20 --seed "$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')" "$@"
