#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Wrong bodies fail a goal of the generated contracts: with TEST_ALL thirteen of each protocol, evenly spread; else they are
# counted (t-prove.sh has one).
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/tap.sh
program=${BUILD:-build}/tailproof
tests/generate/mutants.py --program "$program" --list >"$scratch/out" 2>&1
report $? "wrong bodies of every protocol"
[ "$(wc -l <"$scratch/out")" -ge 200 ]
report $? "at least 200 of them"
if [ -n "${TEST_ALL:-}" ]; then
  for spec in specs/*.tp specs/performal/*.tp; do
    grep -qxF "$(basename "$spec")" tests/generate/no_c.txt && continue
    check "${spec#specs/}: all are caught" tests/generate/mutants.py --program "$program" --sample 13 "$spec"
    tail -n 1 "$scratch/out" | sed 's/^/# /'
  done
fi
finish
