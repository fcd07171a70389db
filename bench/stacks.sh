#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Rows of profiles that were taken elsewhere, for bench/run.sh: a fleet's are merged, and samples of perf are folded.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }

# Elapsed and processor seconds and kB of the quickest of five runs.
quickest() {
  for _ in 1 2 3 4 5; do
    /usr/bin/time -a -o "$scratch/times" -f '%e %U %S %M' "$@" >"$scratch/out"
  done
  sort -g "$scratch/times" | awk 'NR == 1 { print $1, $2 + $3, $4 }'
  rm "$scratch/times"
}

# Each of a hundred files is read ten times: 7.4 GB of text. They are read from memory, as no disk is measured.
python3 bench/fleet.py "$scratch/fleet" 100 10000
files=()
for _ in 1 2 3 4 5 6 7 8 9 10; do files+=("$scratch"/fleet/*.folded); done
read -r wall processor memory <<<"$(quickest "$BUILD"/tailproof merge --out "$scratch/merged" "${files[@]}")"
row "merge of 1000 profiles of 10 000 folded stacks, on $(nproc) processors" "$wall s" "<= 2 s"
row "  processor time" "$processor s" "reported"
row "  memory" "$(awk -v kb="$memory" 'BEGIN { printf "%.0f MB", kb / 1024 }')" "<= 500 MB"
rm -r "$scratch/fleet"

python3 bench/fleet.py --perf "$scratch/perf.txt" 200000
frames=$(grep -c '^	' "$scratch/perf.txt")
read -r _ processor _ <<<"$(quickest "$BUILD"/tailproof profile show "$scratch/perf.txt" --format folded)"
row "text of perf script, folded: million frames a second" "$(awk -v f="$frames" -v s="$processor" 'BEGIN { printf "%.1f", f / s / 1e6 }')" ">= 5"
