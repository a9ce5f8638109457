#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The life cycle under fire: random steps, each checked against a model, and what ends while
# something else is going on; see fire.py, which speaks KTAP itself. From the environment come
# FIRE_STEPS (300), FIRE_SEED (1997) and FIRE_PATIENCE (60), the seconds that anything may take.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

"$selftests/fire.py"
