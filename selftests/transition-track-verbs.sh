#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode router and method track: the verbs that
# transition-track.sh leaves out.
mode=router
method=track
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

other_verbs
