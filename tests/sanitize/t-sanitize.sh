#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Everything that reads foreign input, and every unit test, again under the address and
# undefined-behaviour sanitizers, with the costly checks (base/invariant.h) and the contracts of proved
# functions (proofs/requires.py); without TEST_ALL, the fuzzers' corpora and the unit tests of what
# reads protocols, files and packets, of checks, and of what a proof or a percentile rests on (SANITIZE_LATER: not those
# that take long and read nothing), one half of them. What none of these is linked with is not compiled then
# (SPARED); a program that comes to need it does not link. Prints TAP: one line a program.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - already sanitized"; echo 1..1; exit 0; }
here=${BUILD:-build}/sanitize
# The build before this had the warnings. Which half of the unit tests depends on what they are: the same of one tree on each day.
targets="SPARE=1 WARNINGS= TURN=$(($(cat tests/unit/*/*.c | cksum | cut -d ' ' -f 1) % 2)) sanitize-sample"
# Without TEST_ALL not what takes longest to compile and the address sanitizer mostly sees, too: null, misaligned and
# overflowing pointers, sizes of objects.
checks="address,signed-integer-overflow,shift,integer-divide-by-zero,bounds,float-cast-overflow,bool,enum,unreachable,return,vla-bound"
[ -z "${TEST_ALL:-}" ] || { targets="all tests" checks="address,undefined"; }
mkdir -p "$here" && rm -rf "$here/tests/unit"
# shellcheck disable=SC2086
if ! make -s -j"$(nproc)" BUILD="$here" CFLAGS="-O0 -g1" CHECKS=1 \
  SANITIZE="-fsanitize=$checks -fno-sanitize-recover=all" $targets >"$here.log" 2>&1; then
  tail -n 5 "$here.log"
  echo "not ok 1 - the sanitized build"
  exit 1
fi
echo "ok 1 - the sanitized build"
leg() { # what to run; its result goes to a file, since several run at a time
  local name out
  name=${1#"$here"/}
  out=$here/legs/$(tr / _ <<<"$name")
  if timeout 2h env BUILD="$here" SANITIZED=1 CMOCKA_MESSAGE_OUTPUT=TAP "$1" >"$out.out" 2>&1 &&
    ! grep -E '^ *not ok' "$out.out" | grep -qvE '^ *not ok [0-9]+ # SKIP'; then
    echo "ok - $name" >"$out.tap"
  else
    { tail -n 25 "$out.out" | sed 's/^/# /; s/not ok/not-ok/'; echo "not ok - $name"; } >"$out.tap"
  fi
}
export -f leg
export here
rm -rf "$here/legs"
mkdir -p "$here/legs"
list() {
  # The inference of the large specs takes minutes here; the cases named infer_* stand for it.
  echo tests/fuzz/replay.sh
  [ -z "${TEST_ALL:-}" ] || for test in tests/cases/run.sh tests/cli/t-*.sh; do
    [ "$test" = tests/cli/t-infer.sh ] || echo "$test"
  done
  for test in "$here"/tests/unit/*/t-*; do
    [ -x "$test" ] && [[ $test != *.d ]] && echo "$test"
  done
}
list | xargs -d '\n' -P "$(nproc)" -I{} bash -c 'leg "$1"' _ {}
cat "$here"/legs/*.tap
echo "1..$(($(list | wc -l) + 1))"
[ "$(cat "$here"/legs/*.tap | grep -cE '^(not )?ok')" -eq "$(list | wc -l)" ]
