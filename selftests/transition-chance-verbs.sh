#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode router and method chance: the verbs that
# transition-chance.sh leaves out.
mode=router
method=chance
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

other_verbs
