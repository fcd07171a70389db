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

# verdicts are kept in files of their own, and so are obligations
answers() { grep -l -E ', (all bounds|bound [a-z]+) of ' "$folder"/* 2>/dev/null; }
memories() { grep -l ', obligations of protocol ' "$folder"/* 2>/dev/null; }
kept() { answers | wc -l; }
reused() { json 'map(select(.kind == "bound")) | length != 0 and all(.reused)'; }
proved_anew() { json 'map(select(.kind == "bound")) | length != 0 and all(.reused | not)'; }
# what is said, without what tells that it was said before
without_reuse() { sed -E 's/"(obligations_)?(reused|asked)":(true|false|[0-9]+),?//g; s/ \((asked|[0-9]+ of) [^()]*\)//' "$1"; }
same_as() { diff <(without_reuse "$1") <(without_reuse "$scratch/out"); }

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
fresh() { rm -rf "$folder" && run verify "$scratch/p.tp" && file=$(answers); }
fresh
cp "$file" "$scratch/good"
bad=0 last_byte=$(($(stat -c %s "$scratch/good") - 1)) every=97
[ -z "${TEST_ALL:-}" ] || every=23
for at in $(seq 0 $every $last_byte) $last_byte; do
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
for file in $(answers); do [ "$file" = "$right" ] || cp "$file" "$right"; done
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

# --- obligations -------------------------------------------------------------------------------
cat >"$scratch/steps.tp" <<'END'
protocol steps
role a
role b
external client
component A
component B
component C[int]
delay d
message M : a -> b
message Done : b -> client
state a { started : bool = false  left : int = 0 }
state b { seen : bool = false }
action a.Go cost A { when not started  started := true  send M }
action b.OnM on M cost B { seen := true  send Done }
action a.Tidy cost C[left] { when started and left < 2  left := left + 1 }
invariant fresh: not started implies time(a) <= 0 and left == 0
invariant least: left >= 0
invariant most: left <= 3
invariant numbered: forall k in int. charged C[k] implies k < left
invariant there: sent M implies time(M) <= A + d(M)
bound done: delivered Done within A + d(M) + B + d(Done) + Queuing(M)
queueing Queuing
END
asked() { json 'map(select(.kind == "bound")) | map(.obligations_asked) | add'; }
numbers() { jq -r 'select(.kind == "bound") | "\(.verdict) \(.obligations_asked) \(.obligations_reused) \(.obligations)"' "$scratch/out"; }
change() { sed "$1" "$scratch/steps.tp" >"$scratch/now.tp" && ! cmp -s "$scratch/steps.tp" "$scratch/now.tp" && run verify "$scratch/now.tp" --json "${@:2}" && read -r verdict asked reused all < <(numbers); }
learn() { rm -rf "$folder" && run verify "$scratch/steps.tp" --json && read -r verdict all_asked none all < <(numbers) && file=$(memories); }
learn
check 'the first time the solver is asked about all' 'exits 0' '[ "$verdict" = proved ] && [ "$all_asked" -gt 5 ] && [ "$none" = 0 ]'
change 's/^protocol steps$/& # steps/'
check 'after a changed comment about none' 'exits 0' '[ "$asked" = 0 ] && [ "$reused" = "$all_asked" ]' 'json "map(select(.kind == \"bound\"))[0].reused | not"'
run verify "$scratch/now.tp" --json
check 'a verdict that is reused has all of them reused' 'json "map(select(.kind == \"bound\"))[0] | .reused and .obligations_reused == .obligations and .obligations_asked == 0"'
learn
change 's/left := left + 1/left := left + 0 + 1/'
check 'a formula that says the same is another at most in its own action' '[ "$verdict" = proved ] && [ "$asked" -le 2 ]'
learn
change 's/left := left + 1/left := left + 2/'
check 'after a changed action, what it keeps is proved again, and nothing else' '[ "$verdict" = proved ]' '[ "$asked" -gt 0 ] && [ "$asked" -lt $((all_asked / 2)) ]' \
  '[ $((asked + reused)) = "$all_asked" ]' \
  'json "map(select(.kind == \"assumption\" and .source == \"solver\"))[0].text | test(\"[(]$reused of $all obligations reused: .* --no-cache\")"'
some=$asked
change 's/left := left + 1/left := left + 2/' --no-cache
check '--no-cache proves all' '[ "$asked" = "$all_asked" ] && [ "$reused" = 0 ]'
learn
change 's/left < 2/left < 5/'
check 'an action that breaks an invariant is found out' '[ "$verdict" = unknown ]' 'exits 2' '[ "$reused" -gt 0 ]'
change 's/left < 2/left < 5/' --timeout 3
check 'as often as it is asked' '[ "$verdict" = unknown ]' 'exits 2'
change 's/ + B + d/ + d/'
check 'so is a bound that is false' '[ "$verdict" = refuted ]' 'exits 1'
change '/^assume/d; s/^component A/param size : int\nassume size >= 1\n&/'
check 'with another assumption every obligation is another' '[ "$verdict" = proved ]' '[ "$asked" = "$all_asked" ]'
learn
change 's/left < 2/left < 1/'
check 'with another guard so are those that may use the invariants made of it' '[ "$verdict" = proved ]' '[ "$asked" -gt 0 ] && [ "$reused" -gt 0 ]'
learn
change 's/invariant least: left >= 0/invariant least: left >= 0 - 1/'
check 'with another invariant those that may use it' '[ "$verdict" = proved ]' '[ "$asked" -gt 0 ]'
learn
change 's/left : int = 0/left : int = 1/; s/and left == 0/and left >= 0/'
check 'the first state counts, too' '[ "$verdict" = proved ] && [ "$asked" -gt 0 ]'
learn
sed 's/left < 2/left < 5/' "$scratch/steps.tp" >"$scratch/now.tp"
run verify "$scratch/now.tp" --json --seed 3
check 'of another seed nothing is reused' 'json "map(select(.kind == \"bound\"))[0].obligations_reused == 0"'

# what is planted: neither damage nor the obligations of another protocol are believed
sealed() { { printf 'tailproof kept answer 1 %s\n' "$(sha256sum <"$1" | cut -d' ' -f1)" && cat "$1"; } >"$file"; }
tail -n +2 "$file" >"$scratch/body"
learn
sealed "$scratch/body"
change 's/^protocol steps$/& # steps/'
check 'a file that is sealed again is as good' '[ "$asked" = 0 ]'
for plant in truncated swapped junk upper; do
  learn
  tail -n +2 "$file" >"$scratch/body"
  case $plant in
  truncated) head -c -20 "$file" >"$scratch/cut" && cp "$scratch/cut" "$file" ;;
  swapped) sed -i '3s/^./x/' "$file" ;;
  junk) { head -1 "$scratch/body" && sed 1d "$scratch/body" | sed 's/^/ /; s/$/ zz/'; } >"$scratch/junk" && sealed "$scratch/junk" ;;
  upper) { head -1 "$scratch/body" && sed 1d "$scratch/body" | tr a-f A-F; } >"$scratch/junk" && sealed "$scratch/junk" ;;
  esac
  change 's/left < 2/left < 5/'
  check "$plant: nothing of it is believed" 'exits 2' 'quiet_err' '[ "$verdict" = unknown ] && [ "$reused" = 0 ]'
done
learn
cp "$file" "$scratch/of-steps"
sed 's/^protocol steps/protocol other/; s/left < 2/left < 5/' "$scratch/steps.tp" >"$scratch/other.tp"
run verify "$scratch/other.tp" --json
for file in $(memories); do cmp -s "$file" "$scratch/of-steps" || cp "$scratch/of-steps" "$file"; done
echo '# again' >>"$scratch/other.tp"
run verify "$scratch/other.tp" --json
check 'nor what was kept for another protocol' 'exits 2' 'json "map(select(.kind == \"bound\"))[0].obligations_reused == 0"'
rm -rf "$folder"
for ((i = 0; i < 8; i++)); do sed "s/left < 2/left < $((1 + i % 3)) + $i - $i/" "$scratch/steps.tp" | "$program" verify - --json >"$scratch/out.$i" 2>&1 & done
wait
check 'processes at once with changed files say the same' \
  '[ "$(cat "$scratch"/out.[0-7] | jq -r "select(.kind == \"bound\") | .verdict" | sort | uniq -c | awk "{ print \$1 \$2 }")" = 8proved ]' '[ "$(memories | wc -l)" = 1 ]'
for ((i = 0; i < 4100; i++)); do printf '%064x\n' "$i"; done >"$scratch/many"
learn
{ tail -n +2 "$file" && cat "$scratch/many"; } | head -c 260000 | sed '$d' >"$scratch/full" && sealed "$scratch/full"
change 's/left := left + 1/left := left + 2/'
check 'a full memory stays within its size, and keeps what was used last' '[ "$asked" = "$some" ]' \
  '[ "$(stat -c %s "$(memories)")" -le $((257 * 1024)) ]'
learn
change 's/left := left + 1/left := left + 2/'
change 's/left := left + 1/left := left + 2/; s/^protocol steps$/& # again/'
check 'what was proved last is kept as well' '[ "$asked" = 0 ]'

# --- many at once ------------------------------------------------------------------------------
rm -rf "$folder"
for ((i = 0; i < 12; i++)); do "$program" verify "$scratch/both.tp" --json >"$scratch/out.$i" 2>&1 & done
wait
check 'processes at once say the same' \
  '[ "$(cat "$scratch"/out.[0-9]* | jq -r "select(.kind == \"bound\") | .name + .verdict" | sort | uniq -c | awk "{ print \$1 }" | sort -u)" = 12 ]' \
  '[ "$(kept)" -eq 1 ]'
# as many as there may be, all older
for ((i = 0; i < 600; i++)); do printf -v name %064x "$i" && echo old >"$folder/$name"; done
touch -d '2 days ago' "$folder"/0000*
run verify "$scratch/p.tp"
check 'there are not too many: the ones not used for longest go' '[ "$(ls "$folder" | wc -l)" -le 512 ]'
run verify "$scratch/p.tp" --json
check 'and the one just made stays' 'reused'
finish
