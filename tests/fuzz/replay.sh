#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every kept input of every fuzz target: those of a target in one process, and where that fails one process each, so that a
# crash names its input.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
count=0
said=$(mktemp)
trap 'rm -f "$said"' EXIT
for source in tests/fuzz/*.c; do
  name=$(basename "$source" .c)
  inputs=("tests/fuzz/corpus/$name"/*)
  if [ ! -x "$BUILD/tests/fuzz/$name" ] || [ ! -e "${inputs[0]}" ]; then
    count=$((count + 1))
    echo "not ok $count - $name: the target is built and has a corpus"
    continue
  fi
  (ulimit -t 600 && exec timeout 2h "$BUILD/tests/fuzz/$name" "${inputs[@]}") >"$said" 2>&1
  all=$?
  for input in "${inputs[@]}"; do
    count=$((count + 1))
    if [ $all -eq 0 ]; then
      echo "ok $count - $name ${input##*/}"
      continue
    fi
    (ulimit -t 60 && exec timeout 2h "$BUILD/tests/fuzz/$name" "$input") >"$said" 2>&1
    status=$?
    if [ $status -eq 0 ]; then
      echo "ok $count - $name ${input##*/}"
    else
      echo "not ok $count - $name $(basename "$input"): status $status"
      tail -n 20 "$said" | sed 's/^/# /'
    fi
  done
done
echo "1..$count"
