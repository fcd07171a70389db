#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything that reads foreign input, and every unit test, again under the address and
# undefined-behaviour sanitizers. Prints TAP: one line a program.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - already sanitized"; echo 1..1; exit 0; }
here=${BUILD:-build}/sanitize
if ! make -s -j"$(nproc)" BUILD="$here" CFLAGS="-O1 -g" \
  SANITIZE="-fsanitize=address,undefined -fno-sanitize-recover=all" all tests >"$here.log" 2>&1; then
  tail -n 5 "$here.log"
  echo "not ok 1 - the sanitized build"
  exit 1
fi
echo "ok 1 - the sanitized build"
n=1
leg() { # name command...
  local name=$1
  shift
  n=$((n + 1))
  if timeout 900 env BUILD="$here" SANITIZED=1 CMOCKA_MESSAGE_OUTPUT=TAP "$@" >"$here.out" 2>&1 &&
    ! grep -q '^ *not ok' "$here.out"; then
    echo "ok $n - $name"
  else
    tail -n 25 "$here.out" | sed 's/^/# /; s/not ok/not-ok/'
    echo "not ok $n - $name"
  fi
}
for test in "$here"/tests/unit/*/t-*; do
  [ -x "$test" ] && [[ $test != *.d ]] && leg "$(basename "$test")" "$test"
done
# The inference of the large specs takes minutes here; the cases named infer_* stand for it.
for test in tests/cli/t-*.sh tests/cases/run.sh tests/fuzz/replay.sh; do
  [ -f "$test" ] && [ "$test" != tests/cli/t-infer.sh ] && leg "$test" "$test"
done
echo "1..$n"
