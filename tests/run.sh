#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the tests and adds up: run.sh [--all] [PATTERN...]. With patterns, those whose path has one of them in it.
# --all: everything; otherwise the tests that take long take a sample (TEST_ALL is 1 for them, or not there). Each test
# prints TAP ("ok N", "not ok N"); one that crashes, hangs (for hours: a busy machine fails nothing) or prints
# nothing counts as failed. Ends with the ten that took most processor time, and "N passed, N failed".
set -u
cd "$(dirname "$0")/.." || exit 1
# A run that is interrupted leaves no process behind.
[ -n "${TAILPROOF_GUARD:-}" ] || exec scripts/guard.sh tests/run.sh "$@"
export BUILD=${BUILD:-build}
export CMOCKA_MESSAGE_OUTPUT=TAP
# What `make deps` installs comes first. A manager of versions (pyenv, nvm) takes ten times as long to start a program as
# Debian does, thousands of times, and its python lacks the modules that Debian has packages for.
export PATH=/usr/bin:/bin:$PATH
# Pages of 2 MiB for what provers allocate: a third less of the system's time, which they spend on pages.
export GLIBC_TUNABLES=glibc.malloc.hugetlb=1
unset MAKEFLAGS MFLAGS # of a make that may have started this: those that tests start are no part of it
if [ "${1:-}" = --all ]; then
  TEST_ALL=1
  shift
fi
all=${TEST_ALL:-}
unset TEST_ALL # programs ask whether it is there
[ -z "$all" ] || export TEST_ALL=1
patterns=("$@")
results=$BUILD/tests/results
rm -rf "$results"
mkdir -p "$results"

# Files of tests are in memory where that has room for them: to make and remove them on a disk takes three times as long.
# Those of a run that was killed are removed by the next one. Other users, as whom some tests run programs, may pass through.
for left in /dev/shm/tailproof-tests-*; do [ ! -d "$left" ] || kill -0 "${left##*-}" 2>/dev/null || rm -rf "$left"; done
if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail -k /dev/shm 2>/dev/null | tail -n 1)" -gt 4000000 ] 2>/dev/null; then
  export TMPDIR=/dev/shm/tailproof-tests-$$
  mkdir -m 711 "$TMPDIR" && trap 'rm -rf "$TMPDIR"' EXIT || unset TMPDIR
fi

# What takes longest comes first, so that no processor waits for it in the end.
candidates() {
  printf '%s\n' tests/build/t-interrupted.sh tests/sanitize/t-*.sh
  [ -n "${SANITIZED:-}" ] || printf '%s\n' tests/proofs/t-*.sh
  [ -z "$all" ] || [ -n "${SANITIZED:-}" ] || printf '%s\n' tests/package/t-*.sh
  printf '%s\n' tests/cli/t-certify.sh tests/cases/run.sh tests/simulator/t-*.sh tests/examples/t-*.sh tests/node/t-*.sh tests/generate/t-*.sh "$BUILD"/tests/property/* \
    "$BUILD"/tests/unit/solver/t-* tests/cli/t-*.sh tests/field/t-*.sh tests/data/t-*.sh tests/docs/t-*.sh tests/fuzz/replay.sh \
    tests/build/t-*.sh "$BUILD"/tests/unit/*/t-*
}

is_wanted() {
  [[ -f $1 && -x $1 && $1 != *.d ]] || return 1
  [ ${#patterns[@]} -ne 0 ] || return 0
  local pattern
  for pattern in "${patterns[@]}"; do [[ $1 == *"$pattern"* ]] && return 0; done
  return 1
}

list() {
  local test
  candidates | awk '!seen[$0]++' | while read -r test; do is_wanted "$test" && echo "$test"; done
}

# In its own shell: `times` knows what its children have used. Each keeps proofs in a folder of its own, so that none
# rests on another's. Tests of the prover have none (t-verify.sh, tests/cases).
run_one() {
  local test=$1 name out status used
  name=$(echo "$test" | tr '/ ' '__')
  out=$results/$name
  TEST_CACHE=$(mktemp -d) && export TEST_CACHE
  XDG_CACHE_HOME=$TEST_CACHE timeout 4h "$test" >"$out.tap" 2>"$out.err" </dev/null
  status=$?
  times >"$out.times"
  rm -rf "$TEST_CACHE"
  used=$(awk 'NR == 2 { gsub("s", ""); for (i = 1; i <= 2; i++) { split($i, t, "m"); sum += 60 * t[1] + t[2] } printf "%.1f", sum }' "$out.times")
  local passed failed
  passed=$(grep -cE '^ *ok ' "$out.tap")
  failed=$(grep -E '^ *not ok ' "$out.tap" | grep -vcE '^ *not ok [0-9]+ # SKIP') # as cmocka says that one was left out
  if [ "$failed" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$passed" -eq 0 ]; }; then
    failed=1
    echo "not ok - $test ended with status $status" >>"$out.tap"
  fi
  echo "$passed $failed $used $test" >"$out.count"
  if [ "$failed" -ne 0 ]; then
    echo "FAILED $test ($failed of $((passed + failed)))"
    grep -hE -A 12 '^ *not ok ' "$out.tap" | head -60
    tail -n 20 "$out.err"
  else
    echo "passed $test ($passed, $used s)"
  fi
  grep -hE '^(# ?(skip|SKIP)|not ok [0-9]+ # SKIP)' "$out.tap"
  return 0
}
export -f run_one
export results

# Two more at once than there are processors: many wait for services that they start.
list | xargs -r -d '\n' -P $(($(nproc) + 2)) -I{} bash -c 'run_one "$1"' _ {}
passed=0 failed=0
for count in "$results"/*.count; do
  [ -f "$count" ] || { echo "no test is called like that: ${patterns[*]}" >&2; exit 64; }
  read -r p f _ <"$count"
  passed=$((passed + p))
  failed=$((failed + f))
done
echo "seconds of processor time:"
cat "$results"/*.count | sort -k3,3 -n -r | awk 'NR <= 10 { printf "%8.1f  %s\n", $3, $4 } { sum += $3 } END { printf "%8.1f  all\n", sum }'
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
