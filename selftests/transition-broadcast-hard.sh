#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode broadcast, under harder conditions.
mode=broadcast
# shellcheck source=conditions.sh
. "$(dirname "$(readlink -f "$0")")/conditions.sh"

plan 11
devices='"eth0"'
transition_bed
begin
try "a server's health returns" server_returns
conditions
finish
