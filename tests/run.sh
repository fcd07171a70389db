#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs every test and adds up. Each test prints TAP ("ok N", "not ok N"); one that crashes, hangs (for hours: a
# busy machine fails nothing) or prints nothing counts as failed. The last line is "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
export BUILD=${BUILD:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP
jobs=$(nproc)
results=$BUILD/tests/results
rm -rf "$results"
mkdir -p "$results"

list() {
  local binary
  for binary in "$BUILD"/tests/unit/*/t-* "$BUILD"/tests/property/*; do
    [ -f "$binary" ] && [ -x "$binary" ] && [[ $binary != *.d ]] && echo "$binary"
  done
  for binary in tests/cli/t-*.sh tests/cases/run.sh tests/examples/t-*.sh tests/simulator/t-*.sh tests/data/t-*.sh tests/docs/t-*.sh tests/sanitize/t-*.sh tests/fuzz/replay.sh tests/build/t-*.sh; do
    [ -f "$binary" ] && echo "$binary"
  done
  [ -n "${SANITIZED:-}" ] || for binary in tests/proofs/t-*.sh; do
    [ -f "$binary" ] && echo "$binary"
  done
}

run_one() {
  local test=$1 name out status begun=$SECONDS
  name=$(echo "$test" | tr '/ ' '__')
  out=$results/$name
  timeout 4h "$test" >"$out.tap" 2>"$out.err" </dev/null
  status=$?
  local passed failed
  passed=$(grep -cE '^ *ok ' "$out.tap")
  failed=$(grep -cE '^ *not ok ' "$out.tap")
  if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; }; then
    failed=1
    echo "not ok - $test ended with status $status" >>"$out.tap"
  fi
  echo "$passed $failed" >"$out.count"
  if [ "$failed" -ne 0 ]; then
    echo "FAILED $test ($failed of $((passed + failed)))"
    grep -hE -A 12 '^ *not ok ' "$out.tap" | head -60
    tail -n 20 "$out.err"
  else
    echo "passed $test ($passed, $((SECONDS - begun)) s)"
  fi
  grep -hE '^# ?(skip|SKIP)' "$out.tap"
  return 0
}
export -f run_one
export results

list | xargs -d '\n' -P "$jobs" -I{} bash -c 'run_one "$1"' _ {}
passed=0 failed=0
for count in "$results"/*.count; do
  read -r p f <"$count"
  passed=$((passed + p))
  failed=$((failed + f))
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
