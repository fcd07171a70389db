#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# No option passes unheard: each is given to each kind of input of its command (traces, summaries, tables, event logs,
# folders, profiles, ...), and is used or refused.
. "$(dirname "$0")/tap.sh"

export ROOT=$PWD
(cd "$scratch" && python3 "$ROOT/tests/cli/unused.py" "$program") >"$scratch/heard" 2>"$scratch/err"
status=$? last="each option, with each kind of input"
cp "$scratch/heard" "$scratch/out"
check "every option is used or refused" 'exits 0' 'quiet_out'
check "hundreds were tried" '[ "$(sed -n "s/^tried //p" "$scratch/err")" -ge 220 ]'
finish
