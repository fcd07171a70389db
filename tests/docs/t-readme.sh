#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A newcomer installs the program, has `tailproof examples` make a folder, and runs every console block of the README there:
# each must print what the README shows but for the seconds. tests/package/t-debian.sh does it in a Debian that has nothing else.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
. tests/tap.sh
root="$scratch/a root"
n=$(grep -c '^\$ ' README.md)
if [ -n "${SANITIZED:-}" ]; then # such a program is not installed
  tests/docs/console.py README.md | grep -v '^1\.\.'
  count=$n
else
  check "make install" make -s install BUILD="$BUILD" DESTDIR="$root" PREFIX="/opt/my tools" LIBDIR="/opt/my tools/lib"
  prefix="$root/opt/my tools"
  INSTALLED="$prefix/bin/tailproof" tests/docs/console.py README.md |
    awk -v n=$count '/^1\.\./ { next } /^(not )?ok / { sub(/ok [0-9]+/, "ok " ++n) } 1'
  count=$((count + n))
fi
report "$(scripts/tail.sh "$BUILD/tailproof" | cmp -s docs/tail.svg -; echo $?)" \
  "docs/tail.svg; else: scripts/tail.sh $BUILD/tailproof >docs/tail.svg, then look at it"
finish
[ "$n" -ge 6 ]
