#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Runs the replicated state machine with f = 1 and f = 2, and with its leader killed; holds the bounds
# against what was observed. What it records stays in $BUILD/examples/multi_paxos/runs.
set -eu -o pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
tailproof=$build/tailproof
program=$build/examples/multi_paxos/multi_paxos
runs=$build/examples/multi_paxos/runs
requests=${REQUESTS:-4000}
kills=${KILLS:-10}
rm -rf "$runs"
mkdir -p "$runs"

# The table of percentiles alone. Exit codes: 1, an observation is above the bound; 2, some percentile
# cannot be told; 3, the bound holds if the parts are independent.
table() {
  local code=0
  "$tailproof" percentiles "$@" -p 50,90,99 >"$runs/log" 2>"$runs/warnings" || code=$?
  [ $code -le 3 ] || { cat "$runs/log" "$runs/warnings" >&2; exit $code; }
  sed -n '/at least  /,/^$/p' "$runs/log"
  return 0
}

echo "== specs/multi_paxos.tp"
"$tailproof" verify specs/multi_paxos.tp | grep -e ': proved' -e obligations

for f in 1 2; do
  run=$runs/f$f
  echo; echo "== f = $f: $requests requests"
  "$program" --out "$run" --failures $f --requests "$requests"
  "$tailproof" import --out "$run/components" "$run/store" "$run/loop" >"$runs/log"
  "$tailproof" replay specs/multi_paxos.tp "$run/store" --bound reply --set f=$f --out "$run/components/joint.csv.gz"
  "$tailproof" import --out "$run/uniform" "$run/loop" >"$runs/log"
  echo; echo "-- reply, row by row: the bound with the (f + 1)-th fastest replica, with the parts of one request at a time"
  table specs/multi_paxos.tp --bound reply --set f=$f --data "$run/components" --observed request.reply
  echo "-- reply of independent parts"
  table specs/multi_paxos.tp --bound reply --set f=$f --data "$run/components" --joint none --observed "$run/components/reply.tph"
  echo "-- reply_max, row by row: the same with the slowest replica"
  table specs/multi_paxos.tp --bound reply_max --set f=$f --data "$run/components" --observed request.reply
  echo "-- the published form (specs/performal/ironrsl_standard.tp: reply_uniform), laws of all slots and messages"
  table specs/performal/ironrsl_standard.tp --bound reply_uniform --fresh --set f=$f --data "$run/uniform" \
    --observed "$run/components/reply.tph"
done

run=$runs/kills
echo "== the leader is killed during a request, $kills times"
"$program" --out "$run" --kills "$kills" | tail -n 2
"$tailproof" import --out "$run/uniform" "$run/store" >"$runs/log"
sets=$(sed -n 's/^set /--set /p' "$run/run.txt" | tr '\n' ' ')
echo; echo "-- the published form (specs/performal/ironrsl_leader_failure.tp: reply_published)"
# shellcheck disable=SC2086
table specs/performal/ironrsl_leader_failure.tp --bound reply_published --fresh $sets --data "$run/uniform" \
  --observed "$run/uniform/fail_over.tph"
