#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# fuzz.sh with a million frames, others each time.
export frames=1000000 seed=${seed:-$RANDOM$RANDOM}
exec "$(dirname "$(readlink -f "$0")")/fuzz.sh"
