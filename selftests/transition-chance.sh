#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in router mode, when the servers run the module too
# and pass on what they have no socket for.
mode=router
method=chance
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

main_verbs
