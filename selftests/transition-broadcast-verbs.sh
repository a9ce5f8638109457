#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode broadcast: the verbs that
# transition-broadcast.sh leaves out.
mode=broadcast
# shellcheck source=verbs.sh
. "$(dirname "$(readlink -f "$0")")/verbs.sh"

devices='"eth0"'
other_verbs
