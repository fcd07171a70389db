#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The recorded rings of others, where they are present: every configuration gives an answer, and the
# answer is never silence about an observation above the bound.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
scripts/performal.sh "$BUILD/tailproof" "$scratch" 0 >"$scratch/table" 2>"$scratch/errors"
status=$?
if [ $status -eq 2 ] && grep -q SKIP "$scratch/table"; then
  cat "$scratch/table"
  echo "ok 1 - no recorded rings to run on # SKIP"
  echo 1..1
  exit 0
fi
check() { if [ "$2" = "$3" ]; then echo "ok $1 - $4"; else echo "not ok $1 - $4: expected $3, got $2"; fi; }
check 1 $status 0 "the recorded rings run"
check 2 "$(grep -c ' us ' "$scratch/table")" 20 "all 20 configurations have an answer"
# awk counts on its own: an observed p99 above a bound's must never be called dominated
check 3 "$(awk '/ us / && (($7 > $8 && $10 == "none") || ($7 > $9 && $11 == "none"))' "$scratch/table" | wc -l)" 0 \
  "no observed p99 above a bound is called dominated"
check 4 "$(awk '/ us / && ($8 > $9 || $5 > $6)' "$scratch/table" | wc -l)" 0 "any joint law is never below independence"
ledger=$(jq -r 'select(.kind == "assumption") | .text' "$scratch/10_0/out")
check 5 "$(grep -c 'round trip' <<<"$ledger")" 1 "half a round trip is in the ledger"
check 6 "$(sed -n '/^```$/,/^```$/p' docs/recorded_rings.md | grep ' us ' | diff - <(grep ' us ' "$scratch/table") | wc -l)" 0 \
  "the table of docs/recorded_rings.md is what it prints"
echo 1..6
cat "$scratch/errors" >&2
