#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the unit tests of a build: units.sh BUILD COUNT [NAME...]. Prints TAP, a line for each program, behind COUNT results
# that were printed before, and the plan; one line more, that there were at least 200 of them. NAMEs are left out, and said to be.
cd "$(dirname "$0")/../.." || exit 1
built=$1 count=$2
shift 2
out=$(mktemp) ran=0 failed=0
trap 'rm -f "$out"' EXIT
for test in "$built"/tests/unit/*/t-*; do
  [ -x "$test" ] && [[ $test != *.d ]] || continue
  name=${test#"$built"/tests/unit/}
  for left in "$@"; do [ "$left" != "$name" ] || { echo "# left out: $name" && continue 2; }; done
  count=$((count + 1)) ran=$((ran + 1))
  if BUILD=$built CMOCKA_MESSAGE_OUTPUT=TAP timeout 1h "$test" >"$out" 2>&1 </dev/null; then
    echo "ok $count - $name"
  else
    echo "not ok $count - $name"
    { grep -A 8 '^not ok' "$out" || tail -n 8 "$out"; } | head -40 | sed 's/not ok/not-ok/; s/^/# /'
    failed=$((failed + 1))
  fi
done
count=$((count + 1))
if [ $ran -ge 200 ]; then echo "ok $count - $ran programs"; else echo "not ok $count - $ran programs"; fi
echo "1..$count"
[ $failed -eq 0 ] && [ $ran -ge 200 ]
