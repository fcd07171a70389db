# SPDX-License-Identifier: GPL-3.0-or-later
# What the tests that are scripts share; sourced: a folder of their own, and TAP, a line for each result.
# shellcheck shell=bash
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0

# STATUS NAME [FILE]: what is in the file, else in $scratch/out, tells why it is not ok.
report() {
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    head -c 4000 "${3:-$scratch/out}" 2>/dev/null | tr -d '\000' | sed 's/^/# /'
  fi
}

finish() { echo "1..$count"; }
