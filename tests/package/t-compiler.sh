#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Another compiler: clang has no warning of the program, the examples and the tests, and what it makes passes the unit
# tests. Part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
unset MAKEFLAGS MFLAGS MAKELEVEL
command -v clang >/dev/null || { echo "not ok 1 - clang is missing (apt-get install clang)"; exit 69; }
built=$scratch/build
make_it() { make -s -j"$(nproc)" CC=clang BUILD="$built" "$@"; }
check "the program and the examples" make_it all
# shellcheck disable=SC2046
check "the unit tests" make_it $(make -s -p -n CC=clang BUILD="$built" help 2>/dev/null | sed -n 's/^UNIT := //p')
by_clang() { readelf -p .comment "$built/tailproof" | grep -q clang; }
check "by that compiler" by_clang
tests/package/units.sh "$built" "$count" && exit
exit 1
