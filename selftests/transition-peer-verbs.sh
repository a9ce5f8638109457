#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode peer: the verbs that
# transition-peer.sh leaves out.
mode=peer
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

other_verbs
