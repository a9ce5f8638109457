#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in router mode, when the servers run no module: the
# dispatcher notes what begins in a transition.
mode=router
method=track
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

main_verbs
