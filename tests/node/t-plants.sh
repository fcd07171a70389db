#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: causes of slow requests are planted in servers on Node.js, recorded under load, and found. A busy machine makes
# other requests slow, too: so by default one plant only has to be among what is said, in one recording of three. With
# TEST_ALL all plants are judged, and what is blamed where nothing was planted.
set -u
cd "$(dirname "$0")/../.." || exit 70
BUILD=${BUILD:-build}
. tests/tap.sh

if [ -n "${TEST_ALL:-}" ]; then
  for part in "" "--only= --nulls=20"; do
    # shellcheck disable=SC2086
    tests/node/plants.py $part >"$scratch/out" 2>"$scratch/err"
    status=$?
    grep '^#' "$scratch/out"
    [ "$status" -eq 0 ] && grep -q '^ok ' "$scratch/out"
    report $? "$(sed -nE 's/^(not )?ok [0-9]+ - //p' "$scratch/out")"
  done
  finish
  exit 0
fi

found=1 whole=1
for _ in 1 2 3; do
  rm -rf "$scratch/kept"
  tests/node/plants.py --only files-loop --seconds 5 --keep "$scratch/kept" >"$scratch/out" 2>"$scratch/err" || break
  "$BUILD/tailproof" tail --json --above p90 "$scratch/kept/files-loop/store" >"$scratch/log"
  jq -se '[.[] | select(.kind == "route_part" and .route == "GET /page" and .phase == "in the queue" and ((.name // "") | test("held by .*GET /report")) and .difference_ns > 0)] | length > 0' \
    "$scratch/log" >/dev/null
  found=$?
  jq -se '[.[] | select(.kind == "loops")][0] | .requests > 100 and .complete >= 0.99 * .requests' "$scratch/log" >/dev/null
  whole=$?
  [ "$found$whole" = 00 ] && break
done
report $found "a planted loop is part of what slow requests waited for"
report $whole "the chains of what was answered are complete"
finish
