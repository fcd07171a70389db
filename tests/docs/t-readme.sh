#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every console block of the README is run, and must print what the README shows but for the seconds; its picture is
# what the program draws.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
tests/docs/console.py README.md | grep -v '^1\.\.'
n=$(grep -c '^\$ ' README.md)
if scripts/tail.sh "$BUILD/tailproof" | diff docs/tail.svg - >/dev/null; then
  echo "ok $((n + 1)) - docs/tail.svg"
else
  echo "not ok $((n + 1)) - docs/tail.svg: scripts/tail.sh $BUILD/tailproof >docs/tail.svg, then look at it"
fi
echo "1..$((n + 1))"
[ "$n" -ge 6 ]
