#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Plans for measuring more: the budget is kept, minimums are too, and with the samples that a plan
# asks for the percentile is what it predicted.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/lock.tp
LIMIT=300

mkdir data
seed=0
make_data() { # file, number of samples: the same shares for every number
  awk -v n="$2" 'BEGIN { print "latency_ns"; for (i = 0; i < n; i++) print 1000 + (i * 7919) % 499 }' | shuffled $((seed = seed % 9 + 1)) >"$1"
}
# Two hops, each with draws of its own from every file: 1999 observations are enough for 999 values of the bound, of
# which the largest is no limit of p99.9 (4603 are), while 459 do for p99.
for name in Grant Accept d; do make_data data/$name.csv 2000; done
plan() {
  run plan "$protocol" --bound full_circle --set n=2 --set hops=0 --data data "$@"
}
then_of() { jq -sr --arg c "$1" '[.[] | select(.kind == "planned" and .component == $c)][0].then' out; }
plan -p 99.9 --budget 60s --rate Grant=1000/s --rate d=1000 --rate Accept=1000/s --json
check "a plan that makes a percentile finite" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"plan\")][0] | .now_ns == \"infinite\" and .then_ns != \"infinite\" and .reached and .seconds <= 60"' \
  'json "[.[] | select(.kind == \"planned\")] | length == 3 and all((.then | tonumber) >= (.samples | tonumber)) and (map(.seconds) | add) <= 60"'
predicted=$(jq -sr '[.[] | select(.kind == "plan")][0].then_ns' out)
mkdir more
for name in Grant Accept d; do make_data more/$name.csv "$(then_of $name)"; done
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data more -p 99.9 --json
given=$(jq -sr '[.[] | select(.kind == "percentile")][0].upper_ns' out)
last="$last
predicted $predicted, measured $given"
check "with these samples it is what was predicted" 'exits 0' '[ "$given" != infinite ]' '[ "$given" -le $((predicted + predicted / 25)) ]' \
  '[ "$given" -ge $((predicted - predicted / 50)) ]'
plan -p 99.9 --budget 60s --rate Grant=1000/s --rate d=1000/s --rate Accept=1000/s
check "the same in words" 'exits 0' 'out "p99.9 at most: now infinite"' 'grep -qE "^  d +2000 +[0-9]+ +[0-9.]+ +[0-9.]+ s$" out' 'out "A prediction"'
plan -p 99.99 --budget 2s --json
check "out of reach: 2, and what it would take" 'exits 2' 'json "[.[] | select(.kind == \"plan\")][0] | (.reached | not) and .needed_seconds > 2"'
plan -p 99 --budget 600s --minimum 2100 --rate Grant=1000/s --rate d=1000/s --rate Accept=1000/s --json
check "every component has its minimum" 'exits 0' 'json "[.[] | select(.kind == \"planned\")] | all((.then | tonumber) >= 2100)"'
plan -p 99 --budget 1s --minimum 1000000
check "a minimum that costs more than there is" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
plan -p 90 --budget 6000s --factor 1.000001 --rate Grant=100/s --rate d=100/s --rate Accept=100/s --json
check "with a factor no more than that takes" 'exits 0' 'json "[.[] | select(.kind == \"plan\")][0] | .reached and .seconds < 6000"'

refused() { # words; options
  local words=$1
  shift
  run plan "$protocol" --bound full_circle --set n=2 --set hops=0 "$@"
  check "refused: $*" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "$words"'
}
refused 'name the folder' -p 99 --budget 1s
refused 'give the time there is' --data data -p 99
refused 'give the time there is' --data data -p 99 --budget 600
refused 'give the time there is' --data data -p 99 --budget 0s
refused 'one percentile' --data data --budget 600s
refused 'one percentile' --data data --budget 600s -p 99,99.9
refused 'unusable percentile' --data data --budget 600s -p 100
refused 'observations a second' --data data --budget 600s -p 99 --rate d=fast
refused 'observations a second' --data data --budget 600s -p 99 --rate d=0/s
refused 'no measured component' --data data --budget 600s -p 99 --rate e=1/s
refused 'a number above 1' --data data --budget 600s -p 99 --factor 1
refused 'a whole number' --data data --budget 600s -p 99 --minimum many
refused 'whole truth' --data data --budget 600s -p 99 --confidence 0

# --- recorded requests -------------------------------------------------------------------------------------------------

# Two kinds: GET takes about 8 ms with a small spread, POST ten times as long.
awk -v n=200 -f "$OLDPWD/examples/shop/traces.awk" >get.json
awk -v n=50 -v busy=1 -f "$OLDPWD/examples/shop/traces.awk" | sed 's/"GET"/"POST"/; s/"traceID":"/&p/g' >post.json
traces() { run plan --traces get.json --traces post.json "$@"; }
traces --budget 10s --json
check "which requests to run how often" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"run\")] | map(.recorded) == [200, 50] and all(.then >= .recorded and .error_then_ns <= .error_ns)"' \
  'json "[.[] | select(.kind == \"run\")] | (map((.then - .recorded) * .mean_ns) | add) <= 10e9 and .[1].then > 400"' \
  'json "[.[] | select(.kind == \"runs\")][0] | .seconds <= 10 and .seconds > 9.9"'
traces --budget 10s -p 90
check "for a percentile, in words" 'exits 0' 'out "web/POST"' 'said "The error is the standard error of the p90."'
traces --budget 10s --minimum 400
check "each has its minimum" 'exits 0' '[ "$(awk "/web\/GET/ { print \$3 }" out)" -ge 400 ]'
traces --budget 1s --minimum 400
check "no time for the minimum" 'exits 64' 'err "more than the budget"'
traces
check "no budget" 'exits 64' 'err "--budget is missing"'
traces --budget 10s --data data
check "no protocol, no data" 'exits 64' 'err "--data says nothing of recorded requests (--traces); leave it out"'
awk -v n=3 -f "$OLDPWD/examples/shop/traces.awk" >three.json
run plan --traces three.json --budget 1s
check "too few to know a spread" 'exits 0' 'said "was recorded 3 times, which says little of its spread"'


# --- runs --------------------------------------------------------------------------------------------
for r in 1 2 3 4 5; do
  awk -v r=$r 'BEGIN { srand(r); level = 1 + r % 3 / 10; print "latency_ms"; for (i = 0; i < 500; i++) printf "%.4f\n", level * (1 + rand()) }' >run$r.csv
done
run plan --data run1.csv --run run2.csv --run run3.csv --run run4.csv --run run5.csv -p 50 --json
check "how many runs halve the interval" 'exits 0' 'json ".[0].runs == 5 and .[0].then_runs > 5 and .[0].then_runs < 30"' \
  'json "(.[0].upper_ns | tonumber) - (.[0].lower_ns | tonumber) >= 2 * ((.[0].then_upper_ns | tonumber) - (.[0].then_lower_ns | tonumber))"'
run plan --data run1.csv --run run2.csv --run run3.csv --run run4.csv --run run5.csv --slo 'p50<3ms'
check "these do" 'exits 0' 'said "To decide p50<3ms these runs do."'
run plan --data run1.csv -p 50
check "one run does not tell" 'exits 64' 'err "give at least one further run with --run FILE"'
finish
