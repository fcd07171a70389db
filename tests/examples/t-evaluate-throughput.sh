#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: one tiny system goes all the way of `make evaluate-throughput`; one that fails is named.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
export PYTHONDONTWRITEBYTECODE=1

timeout 2h scripts/evaluate_throughput.py --quick --seconds 1 --out "$scratch/e.md" --keep "$scratch/kept" >"$scratch/log" 2>&1
result $? "a system is predicted, and made faster"
grep -qE '^3-service chain +([0-9]+\.[0-9]+|nan) ' "$scratch/e.md" && grep -qE '^   0 % +[0-9.]+ +[0-9.]+ ' "$scratch/e.md"
result $? "it has a line of errors, and its baseline"
# On a machine without a processor to spare, the command may withhold what it would predict; the
# document and the kept results say so, then.
# level % before after with-rounds single single curve low .. high error null
awk '/^  40 %.* refused$/ { found = 1 }
     /^  40 %.*\.\./ { middle = ($3 + $4) / 2; for (i = 5; i <= NF; i++) if ($i == "..") at = i
       error = 100 * ($(at - 2) - middle) / middle - $(at + 2); found = error * error < 0.001 }
     END { exit !found }' "$scratch/e.md"
result $? "the error is that of the curve against the middle of both truths"
jq -e --rawfile text "$scratch/e.md" '.[0][0].curve["40"].throughput as $value |
  if $value == null then $text | contains("refused\n") else
    $value * 10 | round / 10 | tostring as $rounded | $text | contains($rounded) end' "$scratch/kept/results.json" >"$scratch/log" 2>&1
result $? "the curve is what the command says"
rm -rf "$scratch/kept"

mkdir -p "$scratch/b/examples/services" && ln -s "$(realpath "$BUILD/examples/services/services")" "$scratch/b/examples/services/"
BUILD=$scratch/b timeout 2h scripts/evaluate_throughput.py --quick --seconds 1 --out "$scratch/f.md" >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q '^\*\*3-service chain: did not run to its end: .*run make' "$scratch/f.md"
result $? "a system that fails is named"
echo "1..$count"
