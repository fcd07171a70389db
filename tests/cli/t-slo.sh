#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Objectives: met, broken, not decidable, and what would change that; chances above a time; what each
# component contributes. The laws are constants or of two values, so that the answers are known.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/lock.tp

column() { # file, values...
  local file=$1
  shift
  { echo latency_ns; printf '%s\n' "$@"; } >"$file"
}

# Two hops: Grant 1 us, or 9 us once in ten; the delay 2 us, Accept nothing. 6 us with 0.81, 14 us
# with 0.18, 22 us with 0.01.
mkdir data
column data/Grant.csv 1000 1000 1000 1000 1000 1000 1000 1000 1000 9000
column data/Accept.csv 0
column data/d.csv 2000
ring() {
  apart --assume independent "$@"
}
apart() { # nobody says that they are independent
  run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --confidence 0 "$@"
}
state() { # of the only objective
  jq -sr '[.[] | select(.kind == "slo")][0].state' out
}
for slo in 'p80<6.1us' 'p80<6.1µs' 'p80<6.1 μs' 'p80<=6.1us' 'p80 < 6.1 us' 'p98<=14100ns' 'p99.9<1s'; do
  ring --slo "$slo" --json
  check "met: $slo" 'exits 0' '[ "$(state)" = met ]' 'json "[.[] | select(.kind == \"slo\")][0] | has(\"improvements\") | not"'
done
for slo in 'p80<5.9us' 'p98<=13.9us' 'p99.9<21us' 'p50<1ns'; do
  ring --slo "$slo" --json
  check "broken: $slo" 'exits 1' '[ "$(state)" = broken ]'
done
ring --slo 'p80<6us' --grid linear --json
check "< is not <=: at the limit it is broken" 'exits 1' '[ "$(state)" = broken ]'
ring --slo 'p80<=6us' --grid linear --json
check "<= is met there" 'exits 0' '[ "$(state)" = met ]'
# 990 of 1000 observations are at most 990 us, so p99 is 990 us and no more.
mkdir ranks
column ranks/Grant.csv 0
column ranks/Accept.csv 0
column ranks/d.csv $(seq 1000 1000 1000000)
run percentiles "$protocol" --bound full_circle --set n=1 --set hops=0 --data ranks --confidence 0 \
  --grid linear --slo 'p99<=990us' --slo 'p99.9<=999us' --slo 'p90<900.001us' --json
check "a percentile at a rank is that observation" 'exits 0' \
  'json "[.[] | select(.kind == \"slo\") | .state] == [\"met\", \"met\", \"met\"]"'
ring --slo 'p80<7us' --slo 'p98<7us'
check "several: each is said, the worst decides" 'exits 1' 'out "p80<7us: met: p80 is at most 6.000 us"' 'out "p98<7us: BROKEN: p98 is at least 14.000 us"' \
  'out "More samples cannot change this"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --slo 'p90<15us' --json
check "ten samples cannot tell, and how many could" 'exits 2' '[ "$(state)" = undecided ]' \
  'json "[.[] | select(.kind == \"slo\")][0] | (.samples_needed | tonumber) > 10 and (.reason | test(\"at most infinite\"))"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --slo 'p90<15us'
check "the same in words" 'exits 2' 'out "p90<15us: NOT DECIDABLE with these samples: p90 is at least"' 'out "tailproof plan -p 90"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --slo 'p90<1ns'
check "few samples, but hopeless" 'exits 3' 'said "too few (below 64)"'
ring --slo 'p90<11us' --dependence both --json
check "each assumption on dependence is judged; the worse counts" '[ "$status" -ne 0 ]' \
  'json "[.[] | select(.kind == \"slo\")] | length == 2 and .[0].dependence == \"independent\" and .[1].dependence == \"unknown\""'

# --- what rests on independence ------------------------------------------------------------------
# Independent, 22 us come with 0.01; for any joint law with up to 0.1 or never, as both grants may be
# slow together or in turn; 14 us and more come with at least 0.1 in any case.
basis() { jq -sr '[.[] | select(.kind == "slo")][0].basis' out; }
stands() { # exit code, state, basis, options...
  local code=$1 wanted="$2 by $3"
  shift 3
  apart --json "$@"
  check "$wanted: $*" "exits $code" '[ "$(state) by $(basis)" = "$wanted" ]'
}
stands 3 'met if independent' bound --slo 'p98<=14.1us'
stands 0 met assumption --slo 'p98<=14.1us' --assume independent
stands 0 met 'any dependence' --slo 'p98<=22.1us'
stands 0 met bound --slo 'p98<=22.1us' --dependence unknown
stands 2 undecided bound --slo 'p98<=14.1us' --dependence unknown
stands 3 'broken if independent' bound --slo 'p99.9<21us'
stands 1 broken assumption --slo 'p99.9<21us' --assume independent
stands 1 broken 'any dependence' --slo 'p98<13us'
stands 1 broken bound --slo 'p98<13us' --dependence unknown
apart --slo 'p98<=14.1us' --slo 'p98<=22.1us'
check "the same in words, and what would confirm it" 'exits 3' 'out "p98<=14.1us: met if independent: p98 is at most 14.000 us."' \
  'said "Components measured apart are taken as independent, which nothing here confirms."' 'said "(--joint)"' 'said "(--observed)"' \
  'said "(--assume independent)"' 'out "p98 is at most 14.000 us if independent, and at most 22.000 us for any dependence."'
apart --slo 'p98<=14.1us' --slo 'p98<13us'
check "broken outweighs what holds on a condition" 'exits 1'
apart --slo 'p98<=14.1us' --slo 'p98<=22.1us' --slo 'p98<13us' --dependence both
check "side by side: a condition is said once, and no verdict that holds without one has it" 'exits 1' \
  'out "p98<=14.1us: met if independent: p98"' 'out "p98<=14.1us: NOT DECIDABLE with these samples for any dependence:"' \
  '[ "$(grep -cE "p98<=22.1us: met( for any dependence)?:" out)" -eq 2 ]' \
  '[ "$(grep -cE "p98<13us: BROKEN( for any dependence)?:" out)" -eq 2 ]'
ring --assume nothing
check "--assume nothing" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "independent"'

# Grant and Accept take 0.1 us to 2 ms each, evenly. Of their sum p99 is 3.717 ms if they are
# independent (4 ms - 2 ms * sqrt(2 * 0.01)), and 3.96 ms if both take as long.
evenly() { { echo latency_ns; seq 100 100 2000000; } | shuffled "$1"; }
mkdir shared free joined
evenly 1 | tee shared/Grant.csv shared/Accept.csv joined/Grant.0.csv joined/Accept.0.csv >free/Grant.csv
evenly 2 >free/Accept.csv
summed() { # more; files
  local more=$1
  shift
  paste -d, "$@" | awk -F, -v more="$more" 'NR == 1 { print "latency_ns"; next } { print $1 + $2 + more }'
}
hop() { run percentiles "$protocol" --bound full_circle --set n=1 --set hops=0 --law d=0ns "$@"; }
stalls='Grant and Accept (rank correlation 1.00)'
hop --data shared --slo 'p99<3.9ms'
check "files whose rows go together: not met, though it would be if independent" 'exits 2' \
  'out "at most 3.7"' 'out "if independent, which they are not."' 'out "Measure the components of each request together (--joint)"' \
  'out "NOT INDEPENDENT, as the warning below says."' 'said "warning: not independent: $stalls, row by row;"' '[ "$(grep -c "not independent:" out)" -eq 1 ]' 'said "give them with --joint"' 'quiet_err'
check "and what their rows taken together give" 'said "With their rows taken together the bound has in these samples p50 2.000 ms, p90 3.600 ms, p99 3.960 ms, p99.9 3.996 ms."'
hop --data free --slo 'p99<3.9ms'
check "files whose rows do not: nothing is said of them" 'exits 3' 'quiet_err' '! out "NOT INDEPENDENT"'
hop --data free --slo 'p99<3.9ms' --slo 'p99.99<3.99ms'
check "what cannot be told outweighs a condition" 'exits 2' 'out "p99<3.9ms: met if independent"' 'out "p99.99<3.99ms: NOT DECIDABLE"'
hop --data shared --slo 'p99<4.1ms'
check "a limit that holds for any dependence is met all the same" 'exits 0' 'out "p99<4.1ms: met:"' 'out "for any dependence"'
hop --joint joined --slo 'p99<3.9ms'
check "taken together, the limit is broken" 'exits 1' 'out "p99<3.9ms: BROKEN: p99 is at least 3.9"' '! out "NOT INDEPENDENT"'

# --- objectives and what was observed ------------------------------------------------------------
summed 0 free/Grant.csv free/Accept.csv >apart.csv
summed 0 shared/Grant.csv shared/Accept.csv >together.csv
summed 1000000 shared/Grant.csv shared/Accept.csv >slow.csv
hop --data free --slo 'p99<3.9ms' --observed apart.csv --json
check "an observation that keeps the objective confirms it" 'exits 0' '[ "$(state) by $(basis)" = "met by observation" ]'
hop --data free --slo 'p99<3.9ms' --observed apart.csv
check "the same in words" 'exits 0' 'out "p99 is at most 3.7"' 'out "if independent, and the system was observed to have at most 3.7"'
hop --data free --slo 'p99<3.9ms' --observed together.csv --json
check "one that breaks it: broken, though met if independent" 'exits 1' '[ "$(state) by $(basis)" = "broken by observation" ]'
hop --data free --slo 'p99<4.1ms' --observed slow.csv
check "one that breaks it: broken, though met for any dependence" 'exits 1' \
  'out "p99<4.1ms: BROKEN: the system was observed to have a p99 of at least 4.9"' '! out "It would be met if one component"'
(head -n 1 apart.csv && sed 1d apart.csv | sort -n) >sorted.csv
hop --data free --slo 'p99<3.9ms' --observed sorted.csv --json
check "one that drifts confirms nothing" 'exits 2' '[ "$(state)" = "met if independent" ]'
hop --data free --slo 'p99<3.9ms' --observed sorted.csv --exchangeable --json
check "unless its order means nothing" 'exits 0' '[ "$(state) by $(basis)" = "met by observation" ]'
head -n 301 apart.csv >few.csv
hop --data free --slo 'p99<3.9ms' --observed few.csv --json
check "300 observations are too few for p99: 459 are needed" 'exits 2' '[ "$(state)" = "met if independent" ]'

# --- observations of components that drift decide nothing -----------------------------------------
mkdir drift
cp free/Accept.csv drift
{ echo latency_ns; seq 100 100 2000000; } >drift/Grant.csv
for slo in 'p99<3.9ms' 'p99<9ms' 'p99<1us'; do
  hop --data drift --slo "$slo" --assume independent
  check "$slo is not decided" 'exits 2' 'said "but observations drift or depend on each other for too long"' \
    'out "A longer run decides it, or --exchangeable if the order means nothing."' \
    'said "warning: the observations in drift/Grant.csv are not independent"'  'quiet_err'
done
hop --data drift --slo 'p99<3.9ms' --assume independent --exchangeable
check "if their order means nothing it is" 'exits 0' 'out "p99<3.9ms: met: p99 is at most 3.7"'

# --- what would have to improve ------------------------------------------------------------------
improvement() { # of component $1: by, factor
  jq -sr --arg c "$1" '[.[] | select(.kind == "slo")][0].improvements[] | select(.component == $c) | "\(.by) \(.factor)"' out
}
ring --slo 'p98<=10us' --json --grid linear
grant=$(improvement Grant)
d=$(improvement d)
last="$last
Grant: $grant, d: $d, Accept: $(improvement Accept)"
# p98 is Grant's slow and fast draw and two delays: 10 g + 4 <= 10 at g = 0.6; without delays 10 us is just met
check "a component's factor is the one that meets it" 'exits 1' 'awk "{ exit !(\$1 == \"factor\" && \$2 > 0.59 && \$2 <= 0.6) }" <<<"$grant"' \
  'awk "{ exit !(\$1 == \"factor\" && \$2 < 0.01) }" <<<"$d"' '[ -z "$(improvement Accept)" ]'
ring --slo 'p98<=12us' --json --grid linear
check "half the delay, or four fifths of Grant" 'exits 1' 'awk "{ exit !(\$1 == \"factor\" && \$2 > 0.49 && \$2 <= 0.5) }" <<<"$(improvement d)"' \
  'awk "{ exit !(\$1 == \"factor\" && \$2 > 0.79 && \$2 <= 0.8) }" <<<"$(improvement Grant)"'
ring --slo 'p98<=12us'
check "the same in words" 'exits 1' 'out "It would be met if one component alone changed:"' '! grep -qE "^ +Accept " out' \
  'grep -qE "^ +d +at most (49|50)\.[0-9] % of its latencies" out'
ring --slo 'p98<=1ns'
check "where none alone will do" 'exits 1' 'out "Not even without any one component would it be met"'
mkdir few
cp data/*.csv few
for name in Accept d; do { echo latency_ns; yes 2000 | head -n 20000; } >few/$name.csv; done
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data few --slo 'p90<30us' --json
check "where only more samples help" 'exits 2' '[ "$(improvement Grant)" = "samples null" ]' '[ "$(improvement d)" = "never null" ]'

# --- columns are as wide as their names; what takes no time is no candidate -----------------------
mkdir long
column long/Grant.csv 1000 9000
column long/AcknowledgedByEveryReplica.csv 2000
ring --data long --law d=0ns --law 'Accept=AcknowledgedByEveryReplica' --slo 'p98<=1us' --json
check "a law of 0 is no candidate" 'exits 1' '[ "$(jq -sr "[.[] | select(.kind == \"slo\")][0].improvements | map(.component) | join(\" \")" out)" = "Accept Grant" ]'
sed 's/\<Accept\>/AcknowledgedByEveryReplica/g' "$protocol" >long.tp
run percentiles long.tp --bound full_circle --set n=2 --set hops=0 --data long --law d=0ns --confidence 0 --slo 'p98<=14us' --assume independent \
  --contributions 98
check "improvements and contributions stand in columns" 'exits 1' \
  '[ "$(grep -E "of its latencies|this one alone$" out | sed -E "s/(at most|not by).*//" | awk "{ print length }" | sort -u | wc -l)" -eq 1 ]' \
  '[ "$(grep -E "^    (Grant|Ack[A-Za-z]*) .*us   \(-" out | sed "s/ us .*//" | awk "{ print length }" | sort -u | wc -l)" -eq 1 ]' \
  '! out "(-0 ns)"' '! grep -qE "^ +d  " out'
run plan long.tp --bound full_circle --set n=2 --set hops=0 --data long --law d=0ns -p 50 --budget 60s
check "so does a plan" '[ "$(grep -E "^  (Grant|Ack[A-Za-z]*) " out | awk "{ print length }" | sort -u | wc -l)" -eq 1 ]' \
  '[ "$(grep -cE "^  (Grant|Ack[A-Za-z]*) " out)" -eq 2 ]'
for name in Grant AcknowledgedByEveryReplica; do column long/$name.csv 0; done
run percentiles long.tp --bound full_circle --set n=2 --set hops=0 --data long --law d=0ns --confidence 0 --contributions 98
check "where nothing takes any time" 'exits 0' 'out "No component takes any time"'

# --- chances -------------------------------------------------------------------------------------
ring --above 7us --above 20us --above 1h --json
check "a unit that is none" 'exits 64' 'err "--above 20ms"' 'quiet_out'
ring --above 7us --above 20us --above 100us --grid linear --json
check "chances above a time, as intervals" 'exits 0' \
  'json "[.[] | select(.kind == \"above\")] | length == 3 and (.[0] | (.lower | tonumber) <= 0.19 and (.upper | tonumber) >= 0.19 and (.upper | tonumber) < 0.1902)
     and (.[1] | (.lower | tonumber) <= 0.01 and (.upper | tonumber) >= 0.01 and (.upper | tonumber) < 0.0101) and .[2].upper == \"0\""'
ring --above 7us
check "the same in words" 'exits 0' 'grep -qE "Above 7us with probability at least 0\.(19|1899), at most 0\.19(01)?\." out'

# --- contributions -------------------------------------------------------------------------------
ring -p 50 --contributions 98 --grid linear --json
check "what each component adds to a percentile" 'exits 0' \
  'json "[.[] | select(.kind == \"contribution\")] | map({(.component): (.drop_ns | tonumber)}) | add == {Grant: 10000, d: 4000}"' \
  'json "[.[] | select(.kind == \"percentile\") | .p] == [\"50\", \"98\"]"'
ring -p 98,50 --contributions 98
check "the same in words" 'exits 0' 'out "p98 at most, if one component took no time:"' 'grep -qE "^ +Grant .*\(-(10|9)\." out' '[ "$(grep -c "^  p98 .* us" out)" -eq 1 ]'
ring -p 50 --contributions 99.9999999 --confidence 0.999999
check "of an infinite percentile one sentence" 'said "p99.9999999 at most stays infinite, whichever component took no time"' '! grep -qE "^ +(Grant|d) +infinite" out'
for bad in 0 100 50,90 x ''; do
  ring --contributions "$bad"
  check "--contributions \"$bad\"" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
done
for bad in '' p99 99.9 '99.9<5us' 'p99.9<5' 'p<5us' 'p101<5us' 'p99.9>5us' 'p99.9<0us' 'p99.9<<5us' 'p99.9=5us' 'p99.9<5us,p50<1us'; do
  ring --slo "$bad"
  check "--slo \"$bad\"" 'exits 64' 'quiet_out' 'err "unusable objective"' '[ "$(wc -l <err)" -eq 1 ]'
done

finish
