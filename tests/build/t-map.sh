#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The map of the tree: ARCHITECTURE.md and docs/files.md are what scripts/map.py prints, and every rule that it checks is seen to fail.
# Reading the tree is what takes long, so several rules are broken at a time.
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

said=$(scripts/map.py --check 2>&1)
report $? "the tree keeps to its rules, and its pages are up to date" "$said"

mkdir "$tree"
cp -r ARCHITECTURE.md scripts base format lang solver generate steps dist measure trace show cli tests examples bench docs specs proofs "$tree"

# Rules are broken in the copy, several at a time, and the check must complain of each.
names=() complaints=() kept=()
keep() { # a file of the copy, once
  [ ! -e "$tree/$1" ] || [ -e "$scratch/kept/$1" ] || { mkdir -p "$scratch/kept/$(dirname "$1")" && cp "$tree/$1" "$scratch/kept/$1"; }
  kept+=("$1")
}
expect() { # complaint, an extended regular expression; name
  complaints+=("$1") names+=("$2")
}
# A file of the copy, lines to put behind it (a new file has no others), complaint, name.
plant() {
  keep "$1"
  printf '%b' "$2" >>"$tree/$1"
  expect "$3" "$4"
}
# A file of the copy, what sed does to it, complaint, name.
change() {
  keep "$1"
  sed -i "$2" "$tree/$1"
  expect "$3" "$4"
}
# Looks for the complaints of all that was planted, and takes it away.
judge() {
  local i file
  said=$("$tree/scripts/map.py" --check 2>&1)
  status=$?
  for i in "${!names[@]}"; do
    [ $status -eq 1 ] && grep -qE -- "${complaints[i]}" <<<"$said"
    report $? "${names[i]}" "exit $status, without \"${complaints[i]}\": $said"
  done
  for file in "${kept[@]}"; do
    if [ -e "$scratch/kept/$file" ]; then cp "$scratch/kept/$file" "$tree/$file"; else rm -f "$tree/$file"; fi
  done
  names=() complaints=() kept=()
}

licence='/* SPDX-License-Identifier: GPL-3.0-or-later'
words=$(printf 'word %.0s' {1..30})
new=planted # no file has that name
lines=$(printf '\\n%.0s' {1..500})
statements=$(printf '  x++;\\n%.0s' {1..58})

for place in base/$new.h dist/survival/$new.c lang/$new.y; do
  plant $place "$licence */\n" "^$place:1: no head comment" "$place has no head comment"
done
for place in solver/verify.c tests/unit/base/t-text.c examples/redis/redis.c bench/sum.c; do
  plant $place "$lines" "^$place: [0-9]+ lines, more than 500" "$place has more than 500 lines"
done
plant base/memory.h '#include "base/status.h"\n' "a chain of 9 includes, more than 8" "a chain of includes is long"
for place in base/text.h solver/smt/z3.c; do
  plant $place 'struct survival {\n  int x;\n};\n' "the tag survival is also defined in" "$place has the tag of a header"
  judge
done

plant base/$new.h "$licence\n *\n * $words.\n */\n" "^base/$new.h:3: the first sentence" "a first sentence is long"
for place in solver/verify.c tests/unit/base/t-text.c examples/redis/redis.c bench/sum.c; do
  plant $place "static int planted(int a,\n                   int x) {\n$statements}\n" "^$place:[0-9]+: planted has 61 lines" \
    "$place has a function of more than 60 lines"
done
plant base/text.h '#include "lang/ast.h"\n' "folders in a circle: base -> lang -> base" "two folders are in a circle"
for place in cli/question/plan/plan.c measure/throughput/experiment/journal.c; do
  for header in cli/command/option.h cli/present/plan.h; do
    plant $place "#include \"$header\"\n" "^$place: a question may not include $header" "$place includes $header"
  done
  for call in 'printf("x");' 'puts("x");' 'fputs("x", stdout);' 'fprintf(stderr, "x");' 'fputc(1, stderr);'; do
    plant $place "static void planted(void) {\n  $call\n}\n" "^$place:[0-9]+: a question prints nothing: ${call%%(*}" "$place says $call"
  done
done
change scripts/map.txt '/^solver\/smt:/d' "no line for solver/smt" "a folder has no line"
change scripts/map.txt 's/^solver\/encode:/solver\/gone:/' "no folder solver/gone" "a line has no folder"
judge

# Of the page it complains where nothing else is wrong.
change base/text.h 's/A growable string\./Some string./' "the part tree is not what" "a head comment has changed"
change scripts/arrows.txt 's/^solver\/tell: /&dist /' "the part arrows is not what" "an arrow has changed"
judge
change docs/files.md '/end of tree/d' "no part tree" "the page has no place for the files"
judge

numbers='/numbers: scripts/,/end of numbers/d' # they change with every edit
said=$("$tree/scripts/map.py" --write 2>&1) &&
  diff <(sed "$numbers" ARCHITECTURE.md) <(sed "$numbers" "$tree/ARCHITECTURE.md") >/dev/null && cmp -s docs/files.md "$tree/docs/files.md"
report $? "writing a page that is up to date changes its numbers at most" "$said"

echo "1..$count"
