#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# profile: shares are right, functions have their callers and their names, and what forbids sampling
# is said. TEST_ALL=1: a hundred runs of known shares.
. "$(dirname "$0")/tap.sh"
tools=$(dirname "$program")/tests/tools
sources=$PWD/tests/tools
[ -x "$tools/shares" ] || { echo "not ok 1 - $tools/shares is not built"; exit 69; }
cd "$scratch" || exit 70

# The functions of the programs callers.c are called NAME_of_CALLER: each line says by how many
# samples a caller was right, missing, or another.
callers() { # FILE
  "$tools/stack_callers" "$1" | awk '$1 != "leaf" && $3 ~ /_of_/ {
      wanted = $3
      sub(/.*_of_/, "", wanted)
      kind = index($2, wanted) == 1 ? "right" : $2 == "[unknown]" ? "missing" : "wrong"
      print kind, $1, $2, $3
    }'
}
sum() { awk -v kind="$1" '$1 == kind { n += $2 } END { print n + 0 }' edges; }
# Every function of the program was seen.
all_seen() {
  local name
  for name in leaf_of_plain plain_of_main leaf_of_greedy greedy_of_main host_of_main work_of_handler \
    interrupted_of_main work_of_forked forked_of_start program_of_main work_of_short_thread; do
    grep -q " $name\$" edges || return 1
  done
}

run profile -- true
if [ "$status" -eq 69 ]; then
  check "without the right to sample, one line says so" '[ "$(wc -l <err)" -eq 1 ]' 'err "tailproof profile: "'
  echo "# left out: everything else, as this machine does not let programs be sampled"
  finish
fi
check "a program that does nothing" 'exits 0' 'out "samples in"' 'quiet_err'

# --- shares ---

# Pieces of a small part of the time between samples, of about that time, and of many times as much: the
# intervals of all functions hold at once, in 99 of 100 runs.
runs=1 seconds=0.4
[ -z "${TEST_ALL:-}" ] || runs=30 seconds=1
for rounds in 500000 10000000; do
  missed=0
  for ((seed = 1; seed <= runs; seed++)); do
    for _ in 1 2 3 4 5 6; do # again where the program's own clock is wrong
      run profile --rate 999 --json --full -- "$tools/shares" $seconds $seed $rounds
      "$sources/share_truth.py" err out >>wrong
      held=$?
      [ $held -eq 99 ] || break
    done
    missed=$((missed + (held != 0)))
  done
  last="$missed of $runs runs have a share outside of its interval, pieces of $rounds rounds"
  check "all shares of a run are within their intervals, pieces of $rounds rounds" 'exits 0' '[ "$missed" -le $((runs / 100)) ]' 'json_lines' \
    'json ".[0] | .kind == \"sampling\" and .rate == 999 and .samples > 200 and .lost == 0 and .reached > 900"'
  [ -z "${TEST_ALL:-}" ] || echo "# $last"
done
sed 's/^/# /' wrong

