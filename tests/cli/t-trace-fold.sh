#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# trace fold, merge and summary: traces on several machines are the sum of their parts.
. "$(dirname "$0")/tap.sh"
cluster=$PWD/examples/cluster
cd "$scratch" || exit 70
"$cluster/shards.sh" traces 4 400
fold() { "$program" trace fold "$@" >/dev/null 2>>"$scratch/noise"; }
merge() { "$program" trace merge "$@" >/dev/null 2>>"$scratch/noise"; }
for keep in 50 1000000; do
  for i in 0 1 2 3; do fold traces/shard-$i.json --keep $keep --out $i.fold; done
  run trace fold traces/shard-{3,1,0,2}.json --keep $keep --out all.fold
  check "all at once, keeping $keep" 'exits 0' 'quiet_err' 'out "all.fold: 1600 requests in 1 flow, from 4 shards"'
  same=0
  for order in '3 2 1 0' '2 0 3 1'; do
    read -r a b c d <<<"$order"
    merge $a.fold $b.fold $c.fold $d.fold --out flat.fold
    merge $a.fold $b.fold --out ab.fold && merge ab.fold $c.fold --out abc.fold && merge abc.fold $d.fold --out left.fold
    merge $c.fold $d.fold --out cd.fold && merge $b.fold cd.fold --out bcd.fold && merge $a.fold bcd.fold --out right.fold
    merge ab.fold cd.fold --out tree.fold && merge tree.fold --out alone.fold
    for sum in flat left right tree alone; do cmp -s all.fold $sum.fold && same=$((same + 1)); done
  done
  check "in every order and grouping, keeping $keep" '[ "$same" -eq 10 ]'
done
fold traces --out folder.fold
check "a folder is its files" 'cmp <(grep -v "^shard\|^end\|^keep" folder.fold) <(grep -v "^shard\|^end\|^keep" all.fold)'

run trace fold traces/shard-0.json traces/shard-1.json traces/shard-0.json --out wrong.fold
check "a shard twice" 'exits 65' 'err "traces/shard-0.json: holds the same bytes as traces/shard-0.json, which is counted already"' '[ ! -e wrong.fold ]'
run trace fold traces traces/shard-0.json --skip-known --keep 1000000 --out skipped.fold
check "a shard twice, passed over" 'exits 0' 'out "1600 requests" ' 'out "1 shard was counted already"' 'cmp skipped.fold <(fold traces --keep 1000000 --out x.fold; cat x.fold)'
run trace merge all.fold 2.fold --out wrong.fold
check "a sum and a part of it" 'exits 65' 'err "2.fold: each of its shards is counted already (traces/shard-2.json); leave it out, or pass --skip-known"' '[ ! -e wrong.fold ]'
run trace merge all.fold 2.fold 3.fold --skip-known --out skipped.fold
check "passed over" 'exits 0' 'cmp skipped.fold all.fold' 'out "2 shards were counted already"'
merge 0.fold 1.fold --out 01.fold && merge 1.fold 2.fold --out 12.fold
run trace merge 01.fold 12.fold --skip-known --out wrong.fold
check "sums that overlap" 'exits 65' 'err "12.fold: one of its shards is counted already (traces/shard-1.json); it cannot be taken out of a sum"' '[ ! -e wrong.fold ]'

size=$(wc -c <all.fold)
cut=0
for part in 1 2 3 4 5 6 7 8 9; do
  head -c $((size * part / 10)) all.fold >cut.fold
  run trace merge 0.fold cut.fold --out wrong.fold
  exits 65 && err "cut.fold: line " && [ ! -e wrong.fold ] && [ "$(wc -l <"$scratch/err")" -eq 1 ] && cut=$((cut + 1))
done
check "a summary that was cut" '[ "$cut" -eq 9 ]'
sed 's/^flow 1600/flow 1601/' all.fold >changed.fold
run trace summary changed.fold
check "a summary that was changed" 'exits 65' 'err "changed.fold: line "'
cp all.fold kept.fold
head -c 5000 traces/shard-1.json >broken.json
run trace fold traces/shard-0.json broken.json --out kept.fold
check "a broken shard leaves the older summary" 'exits 65' 'err "broken.json:"' 'cmp kept.fold all.fold'
"$program" trace fold traces --out killed.fold >/dev/null 2>&1 &
sleep 0.01
kill -KILL $! 2>/dev/null
wait $! 2>/dev/null
check "killed: no half summary" '[ ! -e killed.fold ] || cmp killed.fold folder.fold'

# One request of 200 refutes that price waits for cart; few are kept, none of which does.
fold traces --keep 20 --out few.fold
run trace summary few.fold --json
check "what one shard refutes is refuted" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"order\" and .before == \"cart/get\" and .after == \"price/price\")] | length == 1 and .[0].verdict == \"refuted\" and .[0].refuted > 0 and .[0].held + .[0].refuted == 1600"' \
  'json "[.[] | select(.kind == \"flow\")] | length == 1 and .[0].requests == 1600 and .[0].kept == 20"' \
  'json "[.[] | select(.kind == \"part\") | .share] | add | . > 0.999999 and . < 1.000001"'
p99() { jq -s '[.[] | select(.kind == "latency_percentile" and .p == "99")][0].ns' "$1"; }
"$program" trace summary all.fold --json >whole.jsonl
check "percentiles are of all requests, not of the kept ones" \
  '[ $(($(p99 "$scratch/out") * 1000)) -le $(($(p99 whole.jsonl) * 1001)) ]' '[ "$(p99 "$scratch/out")" -ge "$(p99 whole.jsonl)" ]'
run trace summary few.fold
check "as text" 'exits 0' 'out "1600 requests:"' 'said "are of the 20 that are kept"'
run trace summary few.fold --full
check "in full" 'exits 0' 'out "does not wait"' 'out "How long the calls of flow 1 take:"'

sed 's/"shard"/"x"/; s/^ *//' traces/shard-2.json >again.json && echo >>again.json
run trace fold traces/shard-2.json again.json --out double.fold
check "requests that are in two shards" 'exits 0' 'said "of the requests that are kept 400 have the trace id of another one"'
run trace fold traces/shard-0.json
check "no file to write" 'exits 64' 'err "name the file to write with --out SUMMARY"'
run trace merge traces/shard-0.json --out wrong.fold
check "traces are no summary" 'exits 65' 'err "traces/shard-0.json: is traces of Jaeger, and holds no summary of traces"'
run trace fold missing.json --out wrong.fold
check "a missing shard" 'exits 66' 'err "missing.json"' '[ ! -e wrong.fold ]'
echo '{"data":[]}' >empty.json
fold empty.json --out empty.fold
run trace merge 0.fold empty.fold --out same.fold
check "an empty shard" 'exits 0' 'out "400 requests"'
run trace summary empty.fold
check "a summary of nothing" 'exits 65' 'err "counts no request"'

# Other questions read summaries: all requests are kept, or a sample.
for question in 'trace path' 'whatif latency --change cart:*0.5' 'tail --above p90' 'plan --budget 100s --traces'; do
  # shellcheck disable=SC2086
  "$program" $question traces >traces.txt
  # shellcheck disable=SC2086
  run $question skipped.fold
  check "$question, of a summary that keeps all" 'exits 0' 'cmp "$scratch/out" traces.txt'
done
run trace path few.fold
check "of one that keeps some" 'exits 0' 'said "of the 1600 requests of the summary 20 stand for all"'
run trace path few.fold --json
check "orders are of all requests" \
  'json "[.[] | select(.kind == \"order\" and .before == \"cart/get\" and .after == \"price/price\")] | length == 1 and .[0].verdict == \"refuted\" and .[0].refuted > 0 and .[0].held + .[0].refuted == 1600"'
run whatif latency few.fold --change 'limit cart=2'
check "queues need all requests" 'exits 65' "err \"--change 'limit cart=2': all requests wait in one queue, and the summary has 20 of 1600\""
run whatif latency skipped.fold --change 'limit cart=2'
check "and have them when all are kept" 'exits 0'
run trace path all.fold traces/shard-0.json
check "summaries and traces are not mixed" 'exits 64' 'err "summaries and traces together are not read"'
run trace path all.fold 2.fold
check "no shard twice" 'exits 65' 'err "counted already"'

# The array recipe, with a loop for the array: tasks in any order, one of them twice, one killed.
export TAILPROOF=$program
for task in 2 0 0 1; do
  SLURM_ARRAY_TASK_ID=$((task + 5)) SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 "$cluster/array.sh" traces slurm >/dev/null
done
rm slurm/shard-1.json.fold # as if the task had died before it
SLURM_ARRAY_TASK_ID=6 SLURM_ARRAY_TASK_MIN=5 SLURM_ARRAY_TASK_COUNT=3 "$cluster/array.sh" traces slurm >/dev/null
for task in 1 0; do
  OMPI_COMM_WORLD_RANK=$task OMPI_COMM_WORLD_SIZE=2 "$cluster/array.sh" traces mpi >/dev/null
done
rm slurm/shard-0.json.fold slurm/shard-2.json.fold # and two tasks of those that ran at first, alone
export SLURM_ARRAY_TASK_MIN=0 SLURM_ARRAY_TASK_MAX=2 SLURM_ARRAY_TASK_COUNT=2
check "an array with gaps says how many tasks there are" \
  '! SLURM_ARRAY_TASK_ID=2 "$cluster/array.sh" traces slurm 2>gaps && grep -q "this array has gaps" gaps'
check "no task beyond them" '! SLURM_ARRAY_TASK_ID=3 "$cluster/array.sh" traces slurm 3 2>gaps && grep -q "no task 3 of 3" gaps'
run trace merge slurm/*.fold --expect traces --out lacking.fold
check "a shard that is expected and missing" 'exits 65' '[ ! -e lacking.fold ]' 'err "2 of the 4 shards expected are not counted as they are now: traces/shard-0.json, traces/shard-2.json"'
for task in 0 2; do SLURM_ARRAY_TASK_ID=$task "$cluster/array.sh" traces slurm 3 >/dev/null; done
unset SLURM_ARRAY_TASK_MIN SLURM_ARRAY_TASK_MAX SLURM_ARRAY_TASK_COUNT
run trace merge slurm/*.fold --expect traces --out whole.fold
check "and all of them" 'exits 0' '[ -s whole.fold ]'
cp -r traces changed && echo >>changed/shard-1.json
run trace merge slurm/*.fold --expect changed --out stale.fold
check "one that has changed since" 'exits 65' 'err "1 of the 4 shards expected are not counted as they are now: changed/shard-1.json"'
merge slurm/*.fold --out slurm.fold
merge mpi/*.fold --out mpi.fold
check "the array recipe" 'cmp slurm.fold folder.fold' 'cmp mpi.fold folder.fold'
finish
