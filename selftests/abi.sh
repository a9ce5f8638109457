#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The control interface against its specification, uapi/onehop.h: see abi.py,
# which speaks KTAP itself. One namespace, no traffic.
# shellcheck source=lib.sh
. "$(dirname "$(readlink -f "$0")")/lib.sh"

module_load
namespace only
at only "$selftests/abi.py"
