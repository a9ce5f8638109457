#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode broadcast: of the servers that see a packet,
# the one with the socket keeps it.
mode=broadcast
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

devices='"eth0"'
main_verbs
