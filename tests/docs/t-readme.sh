#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every console block of the README is run, and must print what the README shows but for the seconds.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
export NO_COLOR=1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk -v dir="$scratch" '
  /^```console$/ { n++; inside = 1; next }
  /^```$/ { inside = 0; next }
  inside && /^\$ / { print substr($0, 3) >(dir "/" n ".command"); next }
  inside { print >(dir "/" n ".expected") }' README.md
same() { sed -E 's/[0-9]+\.[0-9]+ s/N s/; s/[ \t]+$//' "$1"; }
n=0
for command in "$scratch"/*.command; do
  [ -f "$command" ] || continue
  n=$((n + 1))
  expected=${command%.command}.expected
  sed "s#build/#$BUILD/#g" "$command" | bash >"$scratch/got" 2>/dev/null
  sed -i "s#$BUILD/#build/#g" "$scratch/got"
  if diff <(same "$expected") <(same "$scratch/got") >"$scratch/diff"; then
    echo "ok $n - $(cat "$command")"
  else
    sed 's/^/# /' "$scratch/diff"
    echo "not ok $n - $(cat "$command")"
  fi
done
echo "1..$n"
[ $n -ge 6 ]
