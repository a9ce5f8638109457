#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode peer: whoever gets a packet that it has no
# socket for passes it on, from the newest owner to the oldest.
mode=peer
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

main_verbs
