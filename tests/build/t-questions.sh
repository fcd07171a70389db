#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Each question has unit tests: what a header of cli/question asks with, a function NAME_ask, is called by a test in
# tests/unit/cli; of a folder that only others ask, a header is included by one. Those that have none are listed.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh

# Lines "FOLDER: what": without a unit test.
untested() { # folder of the questions, of the tests
  local folder header name asked
  for folder in "$1"/*/; do
    folder=${folder%/} asked=
    for name in $(grep -ohE '\b[a-z_]+_ask\(' "$folder"/*.h | sort -u); do
      asked=1
      grep -qE "\b${name%(}\(" "$2"/*.[ch] || echo "$folder: ${name%(}"
    done
    [ -z "$asked" ] || continue
    for header in "$folder"/*.h; do grep -qF "\"$header\"" "$2"/*.[ch] && asked=1; done
    [ -n "$asked" ] || echo "$folder: no header is included"
  done
}

untested cli/question tests/unit/cli >"$scratch/log"
[ ! -s "$scratch/log" ] && [ "$(ls -d cli/question/*/ | wc -l)" -ge 25 ]
report $? "each question has unit tests"

# One that has none is found.
mkdir -p "$scratch/question/new" "$scratch/question/parts" "$scratch/tests"
echo 'enum status new_ask(struct new_answer *answer);' >"$scratch/question/new/new.h"
echo 'void parts_add(int part);' >"$scratch/question/parts/parts.h"
untested "$scratch/question" "$scratch/tests" >"$scratch/out" 2>/dev/null
[ "$(wc -l <"$scratch/out")" -eq 2 ] && grep -q 'new: new_ask' "$scratch/out" && grep -q 'parts: no header' "$scratch/out"
report $? "one that has none is listed, and what others ask"
printf '#include "%s/question/parts/parts.h"\nassert(new_ask(&answer) == 0);\n' "$scratch" >"$scratch/tests/t-new.c"
[ -z "$(untested "$scratch/question" "$scratch/tests")" ]
report $? "and not when it is tested"
finish
