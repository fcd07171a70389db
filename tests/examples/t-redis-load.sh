#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the example that loads a Redis server comes to its end: each run has its bucket, bound, observation and simulation, and
# the bound is proved. No number here depends on how fast anything is.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
export BUILD
mkdir -p "$scratch/build"
cp "$tailproof" "$scratch/build/tailproof"
result $? "a program of its own, so that a run that was kept stays"

loads=(10)
[ -z "${TEST_ALL:-}" ] || loads=()
BUILD=$(realpath "$scratch/build") examples/redis_load/run.sh 1 1000000 "${loads[@]}" >"$scratch/log" 2>&1
result $? "it ends well"
rows=$((4 * (${#loads[@]} == 0 ? 3 : 1)))
awk -v rows=$rows '$1 ~ /%$/ { n++; bad += $3 < 1 || $5 < 1 || $7 <= 0 || $8 <= 0
    for (i = 9; i <= 15; i += 2) bad += $i != "infinite" && $i <= 0 }
  END { exit n != rows || bad }' "$scratch/log"
result $? "a row for each load, kind of gaps and percentile"
run=$scratch/build/examples/redis_load/run
good=0
for name in "$run"/*-bound.json; do
  of=${name%-bound.json}
  due=$(($(wc -l <"$of-due.csv") - 1))
  burst=$(jq -r 'select(.kind == "token_bucket") | .burst' "$of-bucket.json")
  every=$(jq -r 'select(.kind == "token_bucket") | .every_ns' "$of-bucket.json")
  # The recorded arrivals keep to the bucket: by its definition, not by the program's algorithm.
  awk -v t="$every" -v b="$burst" 'NR > 1 { at = $1 * 1e9; tat = tat > at ? tat : at; if (tat - at > (b - 1) * t + 1) bad = 1; tat += t }
    END { exit bad }' "$of-due.csv" || good=1
  jq -se --argjson due "$due" 'map(select(.kind == "load"))[0].good == $due' "$of.json" >/dev/null || good=1
  jq -se 'map(select(.kind == "bound"))[0].verdict == "proved"' "$name" >/dev/null || good=1
  # What a command took is what was ahead of it and its own service: Lindley's recursion, in whole nanoseconds.
  awk -F, 'NR > 1 { b = (b > $1 ? b - $1 : 0) + $2; bad += b != $4 || $1 < 0 || $2 < 0 } END { exit NR < 2 || bad }' "$of-ahead.csv" || good=1
  jq -se 'map(select(.kind == "comparison"))[0].requests_above == 0' "$of-most.json" >/dev/null || good=1
done
result $good "arrivals keep to their bucket, every command was answered, the bounds are proved"

for arguments in "0" "1 1x" "1 1000 thirty" "1 999999999"; do
  # shellcheck disable=SC2086
  examples/redis_load/run.sh $arguments >"$scratch/log" 2>&1
  [ $? -eq 64 ] && [ "$(wc -l <"$scratch/log")" -eq 1 ] && grep -q 'is no whole number' "$scratch/log"
  result $? "run.sh $arguments is refused"
done
finish
