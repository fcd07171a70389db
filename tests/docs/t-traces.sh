#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The way from a folder of traces to a proved bound: its commands are run, and must print what the page shows.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
tests/docs/console.py docs/traces.md | grep -v '^1\.\.'
n=$(grep -c '^\$ ' docs/traces.md)
if scripts/waterfall.sh "$BUILD/tailproof" | diff docs/waterfall.svg - >/dev/null; then
  echo "ok $((n + 1)) - docs/waterfall.svg"
else
  echo "not ok $((n + 1)) - docs/waterfall.svg: scripts/waterfall.sh $BUILD/tailproof >docs/waterfall.svg, then look at it"
fi
echo "1..$((n + 1))"
