#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cppcheck and the formatter have nothing to say of the sources, and would have if there were something.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tool() { # its target, and a variable of the Makefile
  make -s BUILD="${BUILD:-build}" "$@" >"$scratch/out" 2>&1
}

tool lint-sources
report $? "cppcheck has nothing to say"
tool lint-format
report $? "the formatter would change nothing"

printf 'int first(void);\nint first(void) {\n  int many[2] = {0};\n  return many[2];\n}\n' >"$scratch/bad.c"
! tool lint-sources BUILD="$scratch" LINTED="$scratch/bad.c" && grep -q arrayIndexOutOfBounds "$scratch/out"
report $? "an index beyond the end is found"
printf 'int   second(void);\n' >"$scratch/bad.c"
cp .clang-format "$scratch"
! tool lint-format FORMATTED="$scratch/bad.c" && grep -q clang-format-violations "$scratch/out"
report $? "a line with the wrong spaces is found"
finish
