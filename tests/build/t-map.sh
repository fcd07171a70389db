#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The map of the tree: ARCHITECTURE.md is what scripts/map.py prints, and every rule that it checks is seen to fail.
cd "$(dirname "$0")/../.." || exit 1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
count=0

report() { # status, name, [explanation]
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    [ -z "${3:-}" ] || sed 's/^/# /' <<<"$3"
  fi
}

# What the check of the copy must complain of, and what breaks the rule.
complains() {
  said=$("$tree/scripts/map.py" --check 2>&1)
  status=$?
  [ $status -eq 1 ] && grep -qF -- "$1" <<<"$said"
  report $? "$2" "exit $status, without \"$1\": $said"
}

# Every eighth rule, all of them with TEST_ALL.
turn=0
is_tried() {
  turn=$((turn + 1))
  [ -n "${TEST_ALL:-}" ] || [ $((turn % 8)) -eq 1 ]
}

# A file of the copy, lines to put behind it (a new file has no others), then as above.
plant() {
  is_tried || return 0
  [ ! -e "$tree/$1" ] || cp "$tree/$1" "$scratch/kept"
  printf '%b' "$2" >>"$tree/$1"
  complains "$3" "$4"
  rm "$tree/$1"
  [ ! -e "$scratch/kept" ] || mv "$scratch/kept" "$tree/$1"
}

# A file of the copy, what sed does to it, then as above.
change() {
  is_tried || return 0
  cp "$tree/$1" "$scratch/kept"
  sed -i "$2" "$tree/$1"
  complains "$3" "$4"
  mv "$scratch/kept" "$tree/$1"
}

said=$(scripts/map.py --check 2>&1)
report $? "the tree keeps to its rules, and ARCHITECTURE.md is up to date" "$said"

mkdir "$tree"
cp -r ARCHITECTURE.md scripts base lang solver generate steps dist measure trace cli tests examples bench docs specs proofs "$tree"
said=$("$tree/scripts/map.py" --check 2>&1)
report $? "a copy of the tree passes" "$said"

licence='/* SPDX-License-Identifier: GPL-3.0-or-later'
words=$(printf 'word %.0s' {1..30})
new=planted # no file has that name
for place in base/$new.h dist/survival/$new.c lang/$new.y; do
  plant $place "$licence */\n" "$place:1: no head comment" "$place has no head comment"
done
plant base/$new.h "$licence\n *\n * $words.\n */\n" "base/$new.h:3: the first sentence" "a first sentence is long"

lines=$(printf '\\n%.0s' {1..500})
statements=$(printf '  x++;\\n%.0s' {1..58})
for place in solver/verify.c tests/unit/base/t-text.c examples/redis/redis.c bench/sum.c; do
  plant $place "$lines" "$place: " "$place has more than 500 lines"
  plant $place "static int planted(int a,\n                   int x) {\n$statements}\n" "planted has 61 lines" \
    "$place has a function of more than 60 lines"
done

plant base/memory.h '#include "base/status.h"\n' "a chain of 9 includes, more than 8" "a chain of includes is long"
plant base/text.h '#include "lang/ast.h"\n' "folders in a circle: base -> lang -> base" "two folders are in a circle"

for place in base/text.h solver/smt/z3.c; do
  plant $place 'struct survival {\n  int x;\n};\n' "the tag survival is also defined in" "$place has the tag of a header"
done

for place in cli/question/plan/plan.c measure/throughput/experiment/journal.c; do
  for header in cli/command/option.h cli/present/ledger.h; do
    plant $place "#include \"$header\"\n" "$place: a question may not include $header" "$place includes $header"
  done
  for call in 'printf("x");' 'puts("x");' 'fputs("x", stdout);' 'fprintf(stderr, "x");' 'fputc(1, stderr);'; do
    plant $place "static void planted(void) {\n  $call\n}\n" "a question prints nothing: ${call%%(*}" "$place says $call"
  done
done

change base/text.h 's/A growable string\./Some string./' "the part tree is not what" "a head comment has changed"
change scripts/arrows.txt 's/^solver\/tell: /&dist /' "the part arrows is not what" "an arrow has changed"
change scripts/map.txt '/^solver\/smt:/d' "no line for solver/smt" "a folder has no line"
change scripts/map.txt 's/^solver\/smt:/solver\/gone:/' "no folder solver/gone" "a line has no folder"
change ARCHITECTURE.md '/end of tree/d' "no part tree" "the page has no place for the files"

numbers='/numbers: scripts/,/end of numbers/d' # they change with every edit
said=$("$tree/scripts/map.py" --write 2>&1) &&
  diff <(sed "$numbers" ARCHITECTURE.md) <(sed "$numbers" "$tree/ARCHITECTURE.md") >/dev/null
report $? "writing a page that is up to date changes its numbers at most" "$said"

echo "1..$count"
