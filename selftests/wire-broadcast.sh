#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The settings of wire.sh, at two of the servers of mode broadcast.
mode=broadcast
# shellcheck source=wire.sh
. "$(dirname "$(readlink -f "$0")")/wire.sh"
