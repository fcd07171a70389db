#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# explain: every code, alone and in the list. (That the examples are right is tests/unit/lang/t-explain.c.)
. "$(dirname "$0")/tap.sh"

codes=$(sed -nE 's/^DIAGNOSTIC\(([EW][0-9]+),.*/\1/p' lang/diagnostic.def)
check "the table has codes" '[ "$(wc -w <<<"$codes")" -ge 50 ]'
run explain
check "the list" 'exits 0' 'quiet_err' '[ "$(sed -nE "s/^([EW][0-9]+) .*/\1/p" "$scratch/out")" = "$codes" ]'
for code in $codes; do
  run explain "$code"
  check "$code" 'exits 0' 'quiet_err' 'head -n 1 "$scratch/out" | grep -q "^$code (\(error\|warning\)): "' \
    'out "Wrong:"' 'out "Right:"'
done
run explain e0203 W0501
check "several, in any case" 'exits 0' 'grep -q ^E0203 "$scratch/out"' 'grep -q ^W0501 "$scratch/out"'
run explain --json
check "as JSON" 'exits 0' 'json_lines' 'json "map(select(.kind == \"explanation\")) | map(.code) | join(\" \") == \"'"$(echo $codes)"'\""' \
  'json "map(select(.kind == \"explanation\")) | all((.title | length > 0) and (.meaning | length > 20) and .wrong != .right)"'


# words: each by itself, all in alphabetical order, and the page is made of them
words=$(sed -nE 's/^TERM\("([^"]+)",.*/\1/p' cli/present/glossary.def)
check "the table has words" '[ "$(wc -l <<<"$words")" -ge 40 ]'
check "in the order of the alphabet" '[ "$words" = "$(LC_ALL=C sort -f -u <<<"$words")" ]'
run explain
check "listed behind the codes" '[ "$(grep -vE "^[EW][0-9]+ " "$scratch/out")" = "$words" ]'
while read -r word; do
  run explain "${word^^}"
  check "$word" 'exits 0' 'quiet_err' '[ "$(head -n 1 "$scratch/out")" = "$word" ]' '[ "$(wc -w <"$scratch/out")" -ge 8 ]' \
    '[ "$(awk "{ if (length > m) m = length } END { print m }" "$scratch/out")" -le 98 ]'
done <<<"$words"
run explain --json dominated E0203
check "words and codes as JSON" 'json_lines' 'json "map(.kind) == [\"term\", \"explanation\"]"'
check "docs/glossary.md is made of the table" 'diff <(scripts/glossary.sh "$program") docs/glossary.md >&2'

run explain E9999
check "no such code" 'exits 64' 'quiet_out' 'err "no diagnostic or word \"E9999\""'

# the wrong example, checked by the program itself, names its code and so leads to the explanation
run explain --json E0203
jq -r .wrong "$scratch/out" >"$scratch/lines"
{ sed -n 's/^    //p' <<<"$("$program" explain E0203 | sed -n '/stand behind/,$p')"; cat "$scratch/lines"; } >"$scratch/wrong.tp"
run check "$scratch/wrong.tp"
check "frame and example as printed" 'exits 65' 'err "error[E0203]"'

finish
