#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The module of a server is replaced under live connections in mode broadcast.
mode=broadcast
# shellcheck source=reload.sh
. "$(dirname "$(readlink -f "$0")")/reload.sh"

plan 3
devices='"eth0"'
transition_bed
begin
replacements
finish
