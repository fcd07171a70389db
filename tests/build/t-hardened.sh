#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is built is hardened without being asked: addresses are drawn by the system, tables of them are read-only and
# filled at the start, an overrun of the stack or of a buffer of known length ends the program.
cd "$(dirname "$0")/../.." || exit 1
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitizer watches more"; echo 1..1; exit 0; }
. tests/tap.sh
BUILD=${BUILD:-build}
has() { [ "$1" -gt 0 ]; }
for file in "$BUILD/tailproof" "$BUILD"/libtailproof-measure.so.? "$BUILD/libtailproof-node.so"; do
  name=$(basename "$file")
  readelf -Wlds "$file" >"$scratch/log" || exit 1
  check "$name: position-independent" grep -qE 'Elf file type is DYN' "$scratch/log"
  check "$name: the stack is not executable" grep -qE 'GNU_STACK .* RW +0x' "$scratch/log"
  check "$name: tables of addresses are read-only" grep -q GNU_RELRO "$scratch/log"
  check "$name: and bound at the start" grep -qE '\((FLAGS|FLAGS_1|BIND_NOW)\).*(NOW|BIND_NOW)' "$scratch/log"
  check "$name: the stack is guarded" grep -q __stack_chk_fail "$scratch/log"
done
readelf -Ws "$BUILD/tailproof" >"$scratch/log"
check "copies into buffers of known length are checked" has "$(grep -c '__[a-z]*_chk@GLIBC' "$scratch/log")"
finish
