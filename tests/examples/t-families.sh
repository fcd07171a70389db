#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the committed configurations are those that draw_times.py draws.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
export PYTHONDONTWRITEBYTECODE=1

examples/services/draw_times.py >"$scratch/drawn"
diff "$scratch/drawn" examples/services/configurations.inc >"$scratch/log"
result $? "configurations.inc is what draw_times.py prints"
echo "1..$count"
