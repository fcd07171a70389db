#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Percentiles against the same numbers computed here: every combination of tiny samples is enumerated
# by jq, and the program must be above the truth, by no more than its grid. And what it says about
# data it cannot use.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/primary_backup.tp

column() { # file, values...
  local file=$1
  shift
  { echo latency_ns; printf '%s\n' "$@"; } >"$file"
}

# --- constants: the sum is exact up to the grid --------------------------------------------------
mkdir constant
column constant/PrimaryRequest.csv 1000
column constant/BackupRequest.csv 20000
column constant/PrimaryAck.csv 300
column constant/d.csv 4000000
column constant/Queuing.csv 50
sum=$((1000 + 20000 + 300 + 2 * 4000000 + 2 * 50))
run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --json -p 0.1,50,99.999
check "constants add up, rounded up by less than 7/1024" 'exits 0' 'quiet_err' 'json_lines' \
  "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber] | length == 3 and all(. >= $sum and . <= $sum * (1 + 7 / 1024))'"
check "the percentiles come in the order asked for" \
  'json "[.[] | select(.kind == \"percentile\") | .p] == [\"0.1\", \"50\", \"99.999\"]"'
check "the bound's verdict comes with them" 'json ".[0] | .kind == \"bound\" and .verdict == \"proved\" and .name == \"reply\""'
check "the ledger names model, solver, distributions and every file" \
  'json "[.[] | select(.kind == \"assumption\")] | ([.[].source] | unique) == [\"data\", \"dist\", \"model\", \"solver\"] and
     ([.[].text] | join(\" \") as \$all | all(\"PrimaryRequest\", \"BackupRequest\", \"PrimaryAck\", \"d\", \"Queuing\";
       . as \$name | \$all | contains(\"constant/\" + \$name + \".csv\")) and (\$all | contains(\"independent\")))"'
for n in 1 3 100; do
  run percentiles "$protocol" --bound reply --set n=$n --data constant --confidence 0 --json -p 50
  check "a maximum of $n equal chains is one chain" 'exits 0' \
    "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= $sum and . <= $sum * (1 + 7 / 1024)'"
done
column constant/Grant.csv 1000
column constant/Accept.csv 200
run percentiles "$specs/lock.tp" --bound full_circle --set n=7 --set hops=0 --data constant --confidence 0 --json -p 50
check "seven hops" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= 28008400 and . <= 28008400 * (1 + 7 / 1024)"'

# --- tiny samples: the exact law by enumeration --------------------------------------------------
mkdir tiny
column tiny/PrimaryRequest.csv 100 700
column tiny/BackupRequest.csv 30 31 2000
column tiny/PrimaryAck.csv 5
column tiny/d.csv 0 900
column tiny/Queuing.csv 0 0 13
# all outcomes of one backup's chain, then of the maximum of two: every combination is equally likely
cat >truth.jq <<'END'
def chain: [(0, 900) as $d | (0, 0, 13) as $q | (30, 31, 2000) as $b | (0, 900) as $e | (0, 0, 13) as $r | $d + $q + $b + $e + $r + 5];
def two: [(chain | sort) as $c | ($c | length) as $m | range($m) as $i | {v: $c[$i], w: (2 * $i + 1)}];
# the weights of the maximum of two draws: the i-th smallest of m is the maximum in 2 i + 1 of m * m cases
[two[] as $x | (100, 700) | {v: (. + $x.v), w: $x.w}] | sort_by(.v) | (map(.w) | add) as $total |
reduce .[] as $x ({sum: 0, list: []}; .sum += $x.w | .list += [{v: $x.v, c: .sum}]) | .list as $list |
[$ps[] as $p | first($list[] | select(.c * 100 >= $p * $total)) | .v]
END
# none at a step of the law: probabilities are rounded up, so a quarter is there a little more
ps=1,10,24.9,25.1,50,60,75,90,95,99,99.9
truth=$(jq -nc --argjson ps "[$ps]" -f truth.jq)
run percentiles "$protocol" --bound reply --set n=2 --data tiny --confidence 0 --json -p $ps
given=$(jq -sc '[.[] | select(.kind == "percentile") | .upper_ns | tonumber]' out)
last="$last
truth $truth
given $given"
check "two backups: never below the truth" 'exits 0' '[ "$(jq -n "$given | length")" -eq 11 ]' \
  '[ "$(jq -nc "[$given, $truth] | transpose | all(.[0] >= .[1])")" = true ]'
check "two backups: above it by the grid only" \
  '[ "$(jq -nc "[$given, $truth] | transpose | all(.[0] <= .[1] * (1 + 8 / 1024) + 1)")" = true ]'

# a sum of eight draws of three values, by awk: the ring with free delays
mkdir ring
column ring/Grant.csv 1 2 4000
column ring/Accept.csv 0
column ring/d.csv 0
truth=$(awk 'BEGIN {
  split("1 2 4000", value); dist[0] = 1
  for (i = 0; i < 8; i++) {
    delete next_dist
    for (x in dist) for (k = 1; k <= 3; k++) next_dist[x + value[k]] += dist[x]
    delete dist
    for (x in next_dist) dist[x] = next_dist[x]
  }
  count = split("10 50 90 99 99.9", ps)
  for (p = 1; p <= count; p++) {
    best = -1
    for (x in dist) {
      below = 0
      for (y in dist) if (y + 0 <= x + 0) below += dist[y]
      if (below * 100 >= ps[p] * 6561 && (best < 0 || x + 0 < best)) best = x + 0
    }
    printf "%s%d", p == 1 ? "[" : ",", best
  }
  print "]"
}')
run percentiles "$specs/lock.tp" --bound full_circle --set n=8 --set hops=0 --data ring --confidence 0 --json -p 10,50,90,99,99.9
given=$(jq -sc '[.[] | select(.kind == "percentile") | .upper_ns | tonumber]' out)
last="$last
truth $truth
given $given"
check "eight hops: never below the truth" 'exits 0' '[ "$(jq -n "$given | length")" -eq 5 ]' \
  '[ "$(jq -nc "[$given, $truth] | transpose | all(.[0] >= .[1])")" = true ]'
check "eight hops: above it by the grid only" \
  '[ "$(jq -nc "[$given, $truth] | transpose | all(.[0] <= .[1] * (1 + 10 / 1024) + 1)")" = true ]'

# --- answers at their time limit ------------------------------------------------------------------
# 5 % of X take 5 ms sharp: none of them is late for a limit of 5 ms, which is no point of the grid.
mkdir sharp
{ echo latency_us; yes 1000 | head -n 950; yes 5000 | head -n 50; } | tee sharp/X.csv >sharp/Y.csv
alone=("$specs/lock.tp" --bound full_circle --set n=1 --set hops=0 --data sharp --law Grant=0ns --law Accept=0ns)
at_most() { # law of d, confidence, the most that p99.9 may be
  run percentiles "${alone[@]}" --law "d=$1" --confidence "$2" --json -p 99.9 --exchangeable
  check "no answer is late: $1, at confidence $2" 'exits 0' \
    "json '[.[] | select(.kind == \"percentile\")][0].upper_ns | tonumber <= $3'"
}
at_most 'retry(X, 5ms, 3)' 0 5005000
at_most 'timeout(X, 5ms, 1s)' 0 5005000
at_most 'retry(X + 1ms, 6ms, 3)' 0 6006000
at_most 'retry(1/2 * X, 2.5ms, 3)' 0 2503000
at_most 'retry(max(X, Y), 5ms, 3, 1ms)' 0 5005000
at_most 'retry(mix(0.5 X, 0.5 min(X, Y)), 5ms, 3)' 0 5005000
at_most 'retry(cap(X + Y, 5ms), 5ms, 2)' 0 5005000
at_most 'retry(X, 5ms, 9)' 0.99 10010000 # one in a thousand is late twice at most
run percentiles "${alone[@]}" --law 'd=retry(X, 4.999999ms, 2, wait)' \
  --confidence 0 --json -p 99
check "and all of them are for a limit just below" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\")][0].lower_ns | tonumber >= 5990000"'

# --- long latencies, and ones without an end ------------------------------------------------------
# Half of the observations take some seconds, half take hours: 9037 s .. 27500 s.
mkdir hours timeouts eons
for name in Grant Accept; do
  { echo latency_ns; yes 0 | head -n 1000; } | tee hours/$name.csv timeouts/$name.csv >eons/$name.csv
done
{ echo latency_s; seq 500; seq 9037 37 27500; } | shuffled 1 >hours/d.csv
{ echo latency_us; yes 100 | head -n 800; yes inf | head -n 200; } | shuffled 2 >timeouts/d.csv
{ echo latency_ns; yes 100 | head -n 500; yes 5000000000000000000 | head -n 500; } | shuffled 3 >eons/d.csv
hop=("$specs/lock.tp" --bound full_circle --set n=1 --set hops=0 -p 90)
p90() { # the least and the most it may be
  jq -se --argjson least "$1" --argjson most "$2" \
    '[.[] | select(.kind == "percentile")][0].upper_ns | tonumber | . >= $least and . <= $most' out >/dev/null
}
for how in "--confidence 0" "--confidence 0.9" "--confidence 0.9 --law Grant=1ms" "--confidence 0.9 --tail gpd" "--confidence 0 --grid log"; do
  run percentiles "${hop[@]}" --data hours $how --json
  check "hours are within the grid: $how" 'exits 0' 'p90 23000e9 26000e9'
done
run percentiles "${hop[@]}" --data hours --confidence 0.9 --save hours.law
run compare hours.law hours/d.csv --json -p 90
check "hours are compared" 'json "[.[] | select(.kind == \"compared\")][0] | [.a_upper_ns, .b_upper_ns | tonumber > 23e12] | all"'
run percentiles "${hop[@]}" --data timeouts
check "timeouts are the reason where they are it, not the number of samples" 'exits 0' \
  'out "p90: infinite with any number of samples"' 'said "200 of the 1000 observations in timeouts/d.csv are only known"' \
  '! grep -q "samples of each component" out'
run percentiles "${hop[@]}" --data timeouts -p 50,99.99 --json
check "in JSON as well; no number of samples is asked for" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\")] | .[0].upper_ns == \"100000\" and .[1].endless == \"beyond\" and (.[1] | has(\"samples_needed\") | not)"'
run percentiles "${hop[@]}" --data timeouts --confidence 0 --slo 'p90<1s'
check "an objective says so too" 'exits 2' 'out "More samples cannot change this: 200 of the 1000"' '! grep -q "tailproof plan" out'
for how in "--confidence 0" "--confidence 0.9 --dependence unknown"; do
  run percentiles "${hop[@]}" --data eons $how
  check "beyond the grid's end: its end is the reason, $how" 'exits 0' \
    'out "p90: infinite with any number of samples"' 'said "4611686018.427 s, where the grid ends"'
done
run percentiles "${hop[@]}" --data eons --confidence 0.9
check "matched draws need no grid" 'exits 0' 'out "  p90  5000000000.000 s  5000000000.000 s"'

# --- confidence ----------------------------------------------------------------------------------
run percentiles "$protocol" --bound reply --set n=2 --data constant --json -p 50,99.9
check "too few samples: infinite, and how many it would take" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\")] | length == 2 and all(.upper_ns == \"infinite\" and (.samples_needed | tonumber) > 1) and
     (.[0].samples_needed | tonumber) < (.[1].samples_needed | tonumber)"'
run percentiles "$protocol" --bound reply --set n=2 --data constant -p 50
check "the same in words" 'exits 0' 'grep -qE "^  p50 .* infinite$" out' 'grep -qE "p50 takes [0-9]+ independent samples of each" out'
needed=$(sed -nE 's/.*takes ([0-9]+) independent samples.*/\1/p' out)
mkdir enough
for name in PrimaryRequest BackupRequest PrimaryAck d Queuing; do
  { echo latency_ns; yes 1000 | head -n "${needed:-1}"; } >enough/$name.csv
done
run percentiles "$protocol" --bound reply --set n=2 --data enough --json -p 50
check "with that many samples it is finite" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\")][0].upper_ns != \"infinite\""' 'json "[.[] | select(.kind == \"assumption\") | .text] | any(test(\"confidence 0.99\"))"'
for level in 1 1.5 -0.1 most ''; do
  run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence "$level"
  check "confidence \"$level\"" 'exits 64' 'quiet_out' 'err "--confidence"'
done

# --- bare names ----------------------------------------------------------------------------------
run percentiles "$protocol" --bound reply_uniform --set n=2 --data constant --confidence 0
check "a bare name is no distribution: says why and what to do" 'exits 64' 'err "without saying which occurrence"' 'err "--fresh"' '! out "p50"'
run percentiles "$protocol" --bound reply_uniform --set n=2 --data constant --confidence 0 --fresh --json -p 50
check "--fresh draws it anew" 'exits 0' \
  "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= $sum and . <= $sum * (1 + 7 / 1024)'"
check "--fresh says in the ledger that no proof covers it" \
  'json "[.[] | select(.kind == \"assumption\" and .source == \"dist\") | .text] | any(test(\"fresh.*no proof covers\"))"'
run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --json
check "no such line without it" '! out "no proof covers"'

# --- the command line and the parameters ---------------------------------------------------------
for p in '' abc 0 100 -1 50,,90 50, ,50 99.9.9 '50 90' 1e5 50%; do
  run percentiles "$protocol" --bound reply --set n=2 --data constant -p "$p"
  check "-p \"$p\"" 'exits 64' 'quiet_out' 'err "unusable percentile"' '[ "$(wc -l <err)" -eq 1 ]'
done
run percentiles "$protocol" --set n=2 --data constant
check "several bounds and none named: their names" 'exits 64' 'err "reply, reply_uniform"'
run percentiles "$protocol" --bound rply --set n=2 --data constant
check "a bound that is not there" 'exits 64' 'err "no bound is called \"rply\""'
run percentiles "$protocol" --bound reply --data constant
check "a parameter that is missing" 'exits 64' 'err "--set n="'
run percentiles "$protocol" --bound reply --set n=0 --data constant
check "a parameter outside its range" '[ "$status" -ge 64 ]' 'err "n >= 1"'
for value in x 2.5 99999999999999999999; do
  run percentiles "$protocol" --bound reply --set n=$value --data constant
  check "--set n=$value" 'exits 64' 'err "give a whole number"'
done
run percentiles "$protocol" --bound reply --set m=2 --data constant
check "a parameter that is not there" 'exits 64' 'err "no parameter \"m\""'

# --- times among the parameters ------------------------------------------------------------------
cat >watch.tp <<'END'
protocol watch
param Patience : time <= 1 s
param Spare    : time
role watcher
external client
component Alarm
delay d
message Warn : watcher -> client
state watcher { warned : bool = false }
action watcher.Warn on timer Patience cost Alarm {
  when not warned
  warned := true
  send Warn
}
invariant early: not warned implies time(watcher) <= 0
bound warn: delivered Warn within Patience + Alarm + d(Warn)
bound twice: delivered Warn within 2*max(Patience, 1 ms) + Alarm + d
bound spare: delivered Warn within Patience + Spare + Alarm + d
END
column constant/Alarm.csv 500
for value in 300ms 300000us '300 ms' 0.3s 300000000ns; do
  run percentiles watch.tp --bound warn --set Patience="$value" --data constant --confidence 0 --json -p 50
  check "a time is given as $value" 'exits 0' \
    "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= 304000500 and . <= 304000500 * (1 + 4 / 1024)'"
done
run percentiles watch.tp --bound warn --set Patience=300ms --set Spare=2s --data constant --confidence 0 -p 50
check "the ledger says with which times" 'exits 0' 'out "the running system'"'"'s Patience is 300ms (given with --set)"' '! out "Spare is"' \
  'out "300 ms + Alarm + d(Warn)"'
for fresh in '' --fresh; do
  run percentiles watch.tp --bound twice --data nowhere $fresh
  check "a time that is missing is named, and never drawn ($fresh)" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "--set Patience=..."' \
    'err "300ms"' '! err "Spare"'
done
for value in 300 ms 3x -1ms 1..2ms 1/2ms 1e3ms 'ms 300' '300ms '; do
  run percentiles watch.tp --bound warn --set Patience="$value" --data constant
  check "--set Patience=$value" 'exits 64' 'quiet_out' 'err "give a time with its unit"'
done
run bound watch.tp --bound warn --set Patience=2s
check "a time outside its range" 'exits 64' 'err "Patience <= 1 s"'
run bound watch.tp --bound twice --set Patience=2ms
check "bound: a time that is given becomes a number" 'exits 0' 'out "    = 4 ms + Alarm + d" || out "    = 2*max(2 ms, 1 ms) + Alarm + d"'
run bound watch.tp --bound warn --set Spare=1s
check "bound: a time that is not stays a name" 'exits 0' 'out "    = Patience + Alarm + d(Warn)"'

# --- bounds of every form: a number or one clear message -----------------------------------------
refused() { # words; then as for run
  local words=$1
  shift
  run "$@"
  check "refused: $*" '[ "$status" -eq 2 ] || [ "$status" -ge 64 ]' '! out "p50"' '[ "$(wc -l <err)" -eq 1 ]' 'err "$words"'
}
mkdir quorum
for name in Append Sync Own Check Persist Count Queuing bus d; do
  column "quorum/$name.csv" 1000
done
run percentiles "$specs/raft.tp" --bound commit --set f=2 --data quorum --confidence 0 --json -p 50
check "order statistics have percentiles" 'exits 0' 'json "[.[] | select(.kind == \"percentile\")][0] | .lower_ns == \"9000\" and .upper_ns == \"9000\""'
run bound "$specs/raft.tp" --bound commit --set f=2
check "bound: kth" 'exits 0' 'out "kth(2, d(AppendEntries(0))"'
sed '/^bound warn:/s/within.*/within ?/' watch.tp >ask.tp
refused 'asks for one (within ?)' percentiles ask.tp --bound warn --set Patience=1ms --data constant
run bound ask.tp --bound warn --set Patience=1ms
check "bound: within ? has nothing to instantiate" 'exits 2' 'out "warn: unknown: no expression"' '! out "  = "'
cat >steps.tp <<'END'
protocol steps
role worker
external client
repeated Work
timeout T0
delay d
message Begun : worker -> client
message Ended : worker -> client
state worker { stage : int = 0 }
action worker.One on timeout T0 cost Work { when stage == 0 stage := 1 send Begun }
action worker.Two cost Work { when stage == 1 stage := 2 send Ended }
invariant start: stage == 0 implies time(worker) <= 0
invariant begun: sent Begun iff stage >= 1
invariant ended: sent Ended iff stage >= 2
phase one {
  invariant here: stage == 0 or (stage == 1 and time(worker) <= T0 + Work)
  invariant gone: sent Begun implies time(Begun) <= T0 + Work + d(Begun)
  end sent Begun within T0 + Work
}
phase two {
  start stage == 1 and time(worker) <= began
  invariant rest: stage >= 1 and (stage == 1 implies time(worker) <= began)
  invariant last: sent Ended implies time(Ended) <= began + Work + d(Ended)
  end delivered Ended within Work + d(Ended)
}
bound whole: delivered Ended within T0 + 2*Work + d(Ended) by phases
END
column constant/Work.csv 700
column constant/T0.csv 90000
run bound steps.tp --set x=1
check "bound: a name that is no parameter" 'exits 64' 'err "no parameter \"x\""'
refused 'without saying which occurrence' percentiles steps.tp --data constant --confidence 0
run percentiles steps.tp --data constant --confidence 0 --fresh --json -p 50
check "by phases, time-outs and repeated components under --fresh" 'exits 0' \
  "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= 4091400 and . <= 4091400 * (1 + 5 / 1024)'"

sed '/^bound reply:/,/^$/s/+ d(Ack(b))//' "$protocol" >short.tp
run percentiles short.tp --bound reply --set n=2 --data constant --confidence 0
check "a refuted bound gives no percentiles" 'exits 1' 'out "reply: refuted"' 'err "no percentiles"' '! out "p50"'

# --- files ---------------------------------------------------------------------------------------
run percentiles "$protocol" --bound reply --set n=2 --data nowhere
check "no such folder" 'exits 66' 'err "nowhere"'
cp -r constant missing
mv missing/BackupRequest.csv missing/BackupReqest.csv
run percentiles "$protocol" --bound reply --set n=2 --data missing
check "a file that is missing: what was tried, what is near" 'exits 66' 'err "BackupRequest.0"' 'err ".csv, .hgrm, .hlog, .tph"' \
  'err "is BackupReqest.csv meant to be"'
cp -r constant twice
cp twice/d.csv twice/d.hgrm
run percentiles "$protocol" --bound reply --set n=2 --data twice
check "two files for one component" 'exits 65' 'err "both d.csv and d.hgrm"'
cp -r constant specific
column specific/d.Ack.1.csv 9000000
gzip specific/d.Ack.1.csv
run percentiles "$protocol" --bound reply --set n=2 --data specific --confidence 0 --json -p 50
check "the most specific file wins, compressed or not" 'exits 0' \
  "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= $sum + 5000000 and . <= ($sum + 5000000) * (1 + 7 / 1024)'"
cp -r constant round
{ echo rtt_us; echo 8000; } >round/d.csv
run percentiles "$protocol" --bound reply --set n=2 --data round --confidence 0 --json -p 50
check "a round trip counts half, units convert, and the ledger says so" 'exits 0' \
  "json '[.[] | select(.kind == \"percentile\") | .upper_ns | tonumber][0] | . >= $sum and . <= $sum * (1 + 7 / 1024)'" \
  'json "[.[] | select(.kind == \"assumption\" and .source == \"data\") | .text] | any(test(\"round trip\"))"'
cp -r round step && rm step/d.csv && column step/d.csv 10
for name in rtt_us 'RTT ms' rtt; do
  cp -r step wrong && for file in wrong/*.csv; do [ "$file" = wrong/d.csv ] || { echo "$name"; echo 8000; } >"$file"; done
  run percentiles "$protocol" --bound reply --set n=2 --data wrong --confidence 0 -p 50
  check "a step has no round trips: $name" 'exits 65' 'err "wrong/PrimaryRequest.csv:1:1: found"'
  rm -r wrong
  { echo "$name"; echo 8000; } >seen.csv
  run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 -p 50 --unit observed=us --observed seen.csv
  check "what was seen end to end is no half of it: $name" 'exits 65' 'err "seen.csv:1:1: found"'
done
cp -r constant gone
column gone/d.csv 10 timeout
run percentiles "$protocol" --bound reply --set n=1 --data gone --confidence 0 --json -p 10,90
check "what never ended is infinite" 'exits 0' 'json "[.[] | select(.kind == \"percentile\") | .upper_ns][1] == \"infinite\""' \
  'json "[.[] | select(.kind == \"percentile\") | .upper_ns][0] != \"infinite\""'

bad() { # line:column, words, content of d.csv
  rm -rf bad
  cp -r constant bad
  # shellcheck disable=SC2059
  printf "$3" >bad/d.csv
  run percentiles "$protocol" --bound reply --set n=2 --data bad --confidence 0
  place=bad/d.csv:$1: words=$2
  check "bad data: ${3//$'\n'/\\n}" 'exits 65' 'quiet_out' 'err "$place"' 'err "$words"' '[ "$(wc -l <err)" -eq 1 ]'
}
bad 3:1 '"abc"' 'latency_ns\n10\nabc\n'
bad 3:1 'a negative time' 'latency_ns\n10\n-5\n'
bad 4:1 '"NaN"' 'latency_ns\n10\n20\nNaN\n'
bad 2:1 'above 2^63-1 ns' 'latency_ns\n99999999999999999999999\n'
bad 2:1 'above 2^63-1 ns' 'latency_s\n9223372037\n'
bad 2:1 'above 2^63-1 ns' 'latency_ns\n1e400\n'
bad 2:1 'no rows' 'latency_ns\n'
bad 1:1 'empty' ''
bad 1:1 'a header is expected' '10\n20\n'
bad 1:1 'names no unit' 'latency\n10\n'
bad 2:1 '2 columns' 'latency_ns\n10,20\n'
bad 2:1 'quote' 'latency_ns\n"1\n'
bad 2:1 '"0x10"' 'latency_ns\n0x10\n'
bad 2:3 '"x"' 'id,latency_ns\n1,x\n'

# --- observations --------------------------------------------------------------------------------
observe() {
  column observed.csv "${@:1}"
  run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --observed observed.csv --json -p 50,99
}
observe 1 $sum $((sum - 1)) 0
check "observed and dominated: 0" 'exits 0' 'json "[.[] | select(.kind == \"percentile\")] | all(.dominates)"' \
  'json "[.[] | select(.kind == \"comparison\")] | length == 1 and .[0].dominates and .[0].observations == 4"'
observe 1 2 3 $((2 * sum))
check "observed above the bound: 1, and from where" 'exits 1' \
  'json "[.[] | select(.kind == \"percentile\") | .dominates] == [true, false]"' \
  'json "[.[] | select(.kind == \"comparison\")][0] | (.dominates | not) and .first_percentile == \"100.00\""'
observe 1 $((2 * sum)) $((2 * sum)) $((3 * sum))
check "the first percentile that is not dominated is named" 'exits 1' \
  "json '[.[] | select(.kind == \"comparison\")][0] | .first_percentile == \"50.00\" and .observed_ns == \"$((2 * sum))\"'"
run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --observed observed.csv -p 25,50
check "the same in words" 'exits 1' 'grep -qE "p25 .* dominated$" out' 'grep -qE "p50 .* NOT DOMINATED$" out' 'out "NOT DOMINATED: "'
observe 1 2 3 $((2 * sum))
run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --observed observed.csv -p 50
check "the curve is compared, not only the percentiles asked for" 'exits 1' 'grep -qE "p50 .* dominated$" out'
run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --observed nowhere.csv
check "no file of observations" 'exits 66' 'err "nowhere.csv"'
column observed.csv 1 x
run percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 --observed observed.csv
check "bad observations" 'exits 65' 'err "observed.csv:3:1:"'

"$program" percentiles "$protocol" --bound reply --set n=2 --data constant --confidence 0 >/dev/full 2>err
status=$?
last='percentiles >/dev/full'
check "full disk" 'exits 70' 'err "could not be written"'

# --- bound ---------------------------------------------------------------------------------------
run bound "$protocol" --bound reply --set n=2
check "bound: instantiated" 'exits 0' \
  'out "= PrimaryRequest + max(d(Request(0)) + Queuing(Request(0)) + BackupRequest[0] + d(Ack(0)) + Queuing(Ack(0)) + PrimaryAck[0], d(Request(1))"'
run bound "$specs/lock.tp" --bound full_circle --set n=2 --set hops=0 --json
check "bound: as JSON" 'exits 0' 'json_lines' \
  'json ".[-1] == {kind: \"instance\", bound: \"full_circle\", occurrences: 6, expression: \"Grant[0] + d(Transfer(1)) + Accept[0] + Grant[1] + d(Transfer(2)) + Accept[1]\"}"'
run bound --json --set n=12 --set hops=0 "$specs/lock.tp" --bound full_circle
check "JSON has all of a long bound, text the ends of it" 'json ".[-1].expression | (contains(\"...\") | not) and ([scan(\"Grant\")] | length == 12)"'
run bound --set n=12 --set hops=0 "$specs/lock.tp" --bound full_circle
check "text has its ends" 'out " + ... + "'
run bound short.tp --bound reply --set n=2
check "bound: refuted is not instantiated" 'exits 1' 'out "reply: refuted"' '! out "  = "'

finish
