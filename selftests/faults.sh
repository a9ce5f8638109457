#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Allocations that fail, in the sanitised kernel: see faults.py, which speaks KTAP itself. One
# namespace, no traffic. Of the kernel's words faults.py reads each; what shortage of memory makes
# it say is no complaint, and goes.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

mount -t tracefs tracefs /sys/kernel/tracing
dmesg --console-level 1
namespace only
rc=0
at only "$selftests/faults.py" || rc=$?
((rc > 1)) || dmesg --clear
dmesg --console-level 5
exit "$rc"
