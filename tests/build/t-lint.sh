#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# cppcheck and the formatter have nothing to say of the sources, and would have if there were something. Of files that
# are as they were when `make lint-remember` was run last (scripts/linted), with all that they include, nothing is asked
# again; with TEST_ALL of all of them.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

tool() { # its target, and a variable of the Makefile
  make -s BUILD="${BUILD:-build}" "$@" >"$scratch/out" 2>&1
}

if [ -n "${TEST_ALL:-}" ]; then
  tool lint-sources
  report $? "cppcheck has nothing to say"
  tool lint-format
  report $? "the formatter would change nothing"
else
  tool lint-changed
  report $? "neither tool has anything to say of what has changed"
  echo "# $(head -n 1 "$scratch/out") since make lint-remember (make test-all looks at all)"
fi

printf 'int first(void);\nint first(void) {\n  int many[2] = {0};\n  return many[2];\n}\n' >"$scratch/bad.c"
! tool lint-sources BUILD="$scratch" LINTED="$scratch/bad.c" && grep -q arrayIndexOutOfBounds "$scratch/out"
report $? "an index beyond the end is found"
! tool lint-changed BUILD="$scratch" LINT_SOURCES="$scratch/bad.c" FORMATTED= && grep -q arrayIndexOutOfBounds "$scratch/out"
report $? "also in a file that is new"
printf 'int   second(void);\n' >"$scratch/bad.c"
cp .clang-format "$scratch"
! tool lint-format FORMATTED="$scratch/bad.c" && grep -q clang-format-violations "$scratch/out"
report $? "a line with the wrong spaces is found"
! tool lint-changed LINT_SOURCES= FORMATTED="$scratch/bad.c" && grep -q clang-format-violations "$scratch/out"
report $? "also in a file that is new"

# What is remembered: a file has changed when one that it includes has, directly or not, or the rules have.
linted=$PWD/scripts/linted.py
mkdir -p "$scratch/tree/part" && cd "$scratch/tree" || exit 70
echo '#include "part/direct.h"' >part/user.c
echo '  #  include "indirect.h"' >part/direct.h
echo 'int x;' | tee part/indirect.h >part/other.c
echo part/user.c part/other.c >files
changed() { "$linted" changed list "${1:-rules}" files | paste -sd ' '; }
[ "$(changed)" = "part/other.c part/user.c" ]
report $? "without a list all files have changed"
"$linted" write list rules files && [ -z "$(changed)" ]
report $? "none has, once they are remembered"
echo 'int y;' >>part/indirect.h
[ "$(changed)" = part/user.c ]
report $? "with a file included by one that is included"
"$linted" write list rules files
[ "$(changed others)" = "part/other.c part/user.c" ]
report $? "with other rules all have"
echo 'int y;' >>part/other.c
[ "$(changed)" = part/other.c ]
report $? "a file that is changed itself"
finish
