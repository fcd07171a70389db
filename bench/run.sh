#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The table of speed and size targets. Ratios compare two things in one run; nothing here fails.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# wall seconds and peak MB of a command, by GNU time
measure() {
  /usr/bin/time -o "$scratch/time" -f '%e %M' "$@" >/dev/null 2>&1 || true
  awk 'END { printf "%.2f s, %.0f MB", $1, $2 / 1024 }' "$scratch/time"
}

row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }

row what measured target
row "verify specs/*.tp" "$(measure "$BUILD/tailproof" verify specs/*.tp)" "< 3 s, < 300 MB"
"$BUILD/tailproof" verify --json specs/*.tp | jq -s '[.[] | select(.kind == "bound") | .seconds * 1000 / .obligations] | sort | .[length / 2 | floor]' >"$scratch/median"
row "an obligation, ms: mean per bound, median of those" "$(printf '%.1f' "$(cat "$scratch/median")")" "<= 10"
if scripts/performal.sh "$BUILD/tailproof" "$scratch/rings" 0 >"$scratch/table"; then
  row "percentiles, ring of 10, all round trips" \
    "$(measure "$BUILD/tailproof" percentiles specs/lock.tp --bound full_circle --set n=10 --data "$scratch/rings/10_0")" "< 2 s, < 300 MB"
  row "recorded rings dominated, of 20 (samples taken as the truth)" "$(grep -c ' dominated$' "$scratch/table")" "reported"
  scripts/performal.sh "$BUILD/tailproof" "$scratch/rings" 0.99 >"$scratch/table99"
  row "recorded rings dominated, of 20 (99 % confidence)" "$(grep -c ' dominated$' "$scratch/table99")" "reported"
  cat "$scratch/table" "$scratch/table99"
else
  cat "$scratch/table"
fi
"$BUILD"/bench/sum
