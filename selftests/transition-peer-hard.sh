#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Changes under live connections in mode peer, under harder conditions.
mode=peer
# shellcheck source=conditions.sh
. "$(dirname "$(readlink -f "$0")")/conditions.sh"

plan 11
transition_bed
begin
try "a server's health returns" server_returns
conditions
finish
