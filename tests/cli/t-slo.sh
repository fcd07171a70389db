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
check "several: each is said, the worst decides" 'exits 1' 'out "p80<7us: met: p80 is at most 6.0"' 'out "p98<7us: BROKEN: p98 is at least 13.9" || out "p98<7us: BROKEN: p98 is at least 14.0"' \
  'out "More samples cannot change this"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --slo 'p90<15us' --json
check "ten samples cannot tell, and how many could" 'exits 2' '[ "$(state)" = undecided ]' \
  'json "[.[] | select(.kind == \"slo\")][0] | (.samples_needed | tonumber) > 10 and (.reason | test(\"at most infinite\"))"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --slo 'p90<15us'
check "the same in words" 'exits 2' 'out "p90<15us: NOT DECIDABLE with these samples: p90 is at least"' 'out "tailproof plan -p 90"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --slo 'p90<1ns'
check "few samples, but hopeless" 'exits 1 || exits 2'
ring --slo 'p90<11us' --dependence both --json
check "each assumption on dependence is judged; the worse counts" '[ "$status" -ne 0 ]' \
  'json "[.[] | select(.kind == \"slo\")] | length == 2 and .[0].dependence == \"independent\" and .[1].dependence == \"unknown\""'

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
run percentiles long.tp --bound full_circle --set n=2 --set hops=0 --data long --law d=0ns --confidence 0 --slo 'p98<=14us' --contributions 98
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
for bad in 0 100 50,90 x ''; do
  ring --contributions "$bad"
  check "--contributions \"$bad\"" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
done
for bad in '' p99 99.9 '99.9<5us' 'p99.9<5' 'p<5us' 'p101<5us' 'p99.9>5us' 'p99.9<0us' 'p99.9<<5us' 'p99.9=5us' 'p99.9<5us,p50<1us'; do
  ring --slo "$bad"
  check "--slo \"$bad\"" 'exits 64' 'quiet_out' 'err "unusable objective"' '[ "$(wc -l <err)" -eq 1 ]'
done

finish
