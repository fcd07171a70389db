#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Verdicts that are reused: where the same question is asked again, and nowhere else.
. "$(dirname "$0")/tap.sh"
export XDG_CACHE_HOME=$scratch/kept
folder=$XDG_CACHE_HOME/tailproof

cat >"$scratch/p.tp" <<'END'
protocol p
role a
external client
component A
component B
delay d
message Done : a -> client
state a { started : bool = false }
action a.Go cost A + B { when not started  started := true  send Done }
invariant fresh: not started implies time(a) <= 0
bound right: delivered Done within A + B + d(Done)
END
# a bound that is broken, one that holds beside it, one that no proof decides
sed 's/right: .*/wrong: delivered Done within A + d(Done)/' "$scratch/p.tp" >"$scratch/wrong.tp"
{ cat "$scratch/p.tp" && echo 'bound wrong: sent Done within A'; } >"$scratch/both.tp"
sed '/^invariant/d' "$scratch/p.tp" >"$scratch/open.tp"

kept() { ls "$folder" 2>/dev/null | wc -l; }
reused() { json 'map(select(.kind == "bound")) | length != 0 and all(.reused)'; }
proved_anew() { json 'map(select(.kind == "bound")) | length != 0 and all(.reused | not)'; }
# what is said, without what tells that it was said before
same_as() { diff <(sed -E 's/"reused":(true|false)//; s/ \(asked [^()]*\)//' "$1") <(sed -E 's/"reused":(true|false)//; s/ \(asked [^()]*\)//' "$scratch/out"); }

for name in p wrong both; do
  run verify "$scratch/$name.tp" --json
  cp "$scratch/out" "$scratch/first"
  first=$status
  check "$name: the first time it is proved" 'proved_anew'
  run verify "$scratch/$name.tp" --json
  check "$name: then it is reused, with the same answer and exit code" 'reused' 'exits $first' 'same_as "$scratch/first"' \
    'json "map(select(.kind == \"assumption\" and .source == \"solver\")) | length == 1 and (.[0].text | test(\"asked on 20.* --no-cache\"))"'
done
run verify "$scratch/wrong.tp" --no-cache
cp "$scratch/out" "$scratch/first"
run verify "$scratch/wrong.tp"
check 'a counterexample is told the same way' 'exits 1' 'out "An execution"' 'same_as "$scratch/first"'

count_before=$(kept)
run verify "$scratch/open.tp" --json
run verify "$scratch/open.tp" --json
check 'what is unknown is not kept' 'exits 2' 'proved_anew' '[ "$(kept)" -eq "$count_before" ]'

run verify "$scratch/p.tp" --json --no-cache
check '--no-cache proves again' 'exits 0' 'proved_anew'
run verify "$scratch/p.tp" --json --explain
check '--explain proves again' 'exits 0' 'proved_anew'
run verify "$scratch/p.tp" --json --timeout 9
check 'other effort proves again' 'proved_anew'
run verify "$scratch/p.tp" --json --seed 1
check 'another seed proves again' 'proved_anew'
sed 's/^protocol p$/protocol p # /' "$scratch/p.tp" >"$scratch/changed.tp"
run verify "$scratch/changed.tp" --json
check 'a changed comment proves again' 'proved_anew'
cp "$scratch/p.tp" "$scratch/renamed.tp"
run verify "$scratch/renamed.tp" --json
check 'the bytes count, not the name' 'reused'
run verify - --json
check 'nothing is read of an empty input' 'exits 65'
(cat "$scratch/p.tp") | "$program" verify - --json >"$scratch/out" 2>"$scratch/err"
status=$?
check 'of standard input, too' 'exits 0' 'reused'

run verify "$scratch/both.tp" --json --bound right
check 'verdicts on all bounds tell of one' 'exits 0' 'reused' 'json "map(select(.kind == \"bound\")) | length == 1"'
run verify "$scratch/both.tp" --json --bound right --no-cache
cp "$scratch/out" "$scratch/first"
run verify "$scratch/both.tp" --json --bound right
check 'and say what a proof of it alone says' \
  'diff <(jq -c "select(.kind == \"bound\") | [.name, .verdict, .obligations, .failed, .tightness]" "$scratch/first") \
        <(jq -c "select(.kind == \"bound\") | [.name, .verdict, .obligations, .failed, .tightness]" "$scratch/out")'

mkdir "$scratch/data"
for name in A B d; do { echo latency_ns && seq 1000 2000 | shuf --random-source=<(yes); } >"$scratch/data/$name.csv"; done
run percentiles "$scratch/p.tp" --data "$scratch/data" -p 50 --json
check 'percentiles reuse what verify proved' 'exits 0' 'reused'
run bound "$scratch/p.tp" --json
check 'so does bound' 'exits 0' 'reused'
run percentiles "$scratch/wrong.tp" --data "$scratch/data" -p 50 --json
check 'no percentiles of a refuted bound' 'exits 1' 'reused' 'err "no percentiles"'

# --- what is not believed ----------------------------------------------------------------------
fresh() { rm -rf "$folder" && run verify "$scratch/p.tp" && file=$(echo "$folder"/*); }
fresh
cp "$file" "$scratch/good"
bad=0
for ((at = 0; at < $(stat -c %s "$scratch/good"); at += 23)); do
  head -c "$at" "$scratch/good" >"$file"
  run verify "$scratch/p.tp" --json
  { exits 0 && proved_anew && quiet_err; } || bad=$((bad + 1))
done
check 'a file that is cut off anywhere counts as missing' '[ "$bad" -eq 0 ]'
fresh
sed -i 's/"proved": true/"proved":true /' "$file"
run verify "$scratch/p.tp" --json
check 'nor is one with a changed byte believed' 'exits 0' 'proved_anew' 'quiet_err'
fresh
right=$file
run verify "$scratch/wrong.tp"
for file in "$folder"/*; do [ "$file" = "$right" ] || cp "$file" "$right"; done
run verify "$scratch/p.tp" --json
check 'nor is the answer to another question' 'exits 0' 'proved_anew'
fresh
chmod o+w "$file"
run verify "$scratch/p.tp" --json
check 'nor one that others may write to' 'proved_anew'
fresh
mv "$file" "$scratch/elsewhere" && ln -s "$scratch/elsewhere" "$file"
run verify "$scratch/p.tp" --json
check 'nor a link' 'proved_anew'

# --- where nothing can be kept -----------------------------------------------------------------
echo >"$scratch/no-folder"
XDG_CACHE_HOME=$scratch/no-folder run verify "$scratch/p.tp" --full
check 'without a folder it works, and --full says why nothing is kept' 'exits 0' 'quiet_err' \
  'said "could not be kept for next time: $scratch/no-folder/tailproof: cannot be made"'
(unset XDG_CACHE_HOME HOME && "$program" verify "$scratch/p.tp" --full >"$scratch/out" 2>"$scratch/err")
status=$?
check 'without a home, too' 'exits 0' 'quiet_err' 'said "neither XDG_CACHE_HOME nor HOME names a folder"'
XDG_CACHE_HOME=$scratch/no-folder run verify "$scratch/p.tp"
check 'and without --full nothing is said of it' 'exits 0' '! said kept'

# --- many at once ------------------------------------------------------------------------------
rm -rf "$folder"
for ((i = 0; i < 12; i++)); do "$program" verify "$scratch/both.tp" --json >"$scratch/out.$i" 2>&1 & done
wait
check 'processes at once say the same' \
  '[ "$(cat "$scratch"/out.[0-9]* | jq -r "select(.kind == \"bound\") | .name + .verdict" | sort | uniq -c | awk "{ print \$1 }" | sort -u)" = 12 ]' \
  '[ "$(kept)" -eq 1 ]'
# as many as there may be, all older
for ((i = 0; i < 600; i++)); do printf -v name %064x "$i" && echo old >"$folder/$name" && touch -d '2 days ago' "$folder/$name"; done
run verify "$scratch/p.tp"
check 'there are not too many: the ones not used for longest go' '[ "$(kept)" -le 512 ]'
run verify "$scratch/p.tp" --json
check 'and the one just made stays' 'reused'
finish
