#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Percentiles under assumptions on dependence, on both grids, with caps, written laws and bands of a
# chosen kind: against numbers worked out by hand from laws of two values.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/lock.tp

column() { # file, values...
  local file=$1
  shift
  { echo latency_ns; printf '%s\n' "$@"; } >"$file"
}

upper() { # of percentile $1, under dependence $2 (default independent)
  jq -sr --arg p "$1" --arg d "${2:-independent}" \
    '[.[] | select(.kind == "percentile" and .p == $p and .dependence == $d)][0].upper_ns' out
}
lower() {
  jq -sr --arg p "$1" --arg d "${2:-independent}" \
    '[.[] | select(.kind == "percentile" and .p == $p and .dependence == $d)][0].lower_ns' out
}
near() { # value, wanted: at it or above by less than 1 %
  [ "$1" != infinite ] && [ "$1" -ge "$2" ] && [ "$1" -le $(($2 + $2 / 100 + 1)) ]
}
near_below() {
  [ "$1" != infinite ] && [ "$1" -le "$2" ] && [ "$1" -ge $(($2 - $2 / 100 - 1)) ]
}

# Two hops of Grant + Accept, the delay being nothing: Grant is 1000 or, once in ten, 9000.
mkdir data
column data/Grant.csv 1000 1000 1000 1000 1000 1000 1000 1000 1000 9000
column data/Accept.csv 0
column data/d.csv 0
ring() {
  run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --confidence 0 --json "$@"
}
# independent: 2000 with 0.81, 10000 with 0.18, 18000 with 0.01
ring -p 80,98,99.5
check "independent: both ends of every percentile" 'exits 0' 'near "$(upper 80)" 2000' 'near_below "$(lower 80)" 2000' \
  'near "$(upper 98)" 10000' 'near_below "$(lower 98)" 10000' 'near "$(upper 99.5)" 18000' 'near_below "$(lower 99.5)" 18000'
# any joint law: both slow together with up to 0.1, one of them with up to 0.2
ring -p 79,81,89,91 --dependence unknown
check "unknown: no joint law is above, and one attains it" 'exits 0' \
  'near "$(upper 79 unknown)" 2000' 'near "$(upper 81 unknown)" 10000' 'near "$(upper 91 unknown)" 18000'
check "unknown: the lower end" '[ "$(lower 89 unknown)" -le 2000 ]'
ring -p 99.5 --dependence both
check "both: one line for each" 'exits 0' 'json "[.[] | select(.kind == \"percentile\") | .dependence] == [\"independent\", \"unknown\"]"' \
  'near "$(upper 99.5)" 18000' 'near "$(upper 99.5 unknown)" 18000'
check "independence is listed as an assumption" 'json "[.[] | select(.kind == \"assumption\") | .text] | any(test(\"independence: the 6 draws\"))"'
ring -p 95 --together Grant
check "together: a component" 'exits 0' 'near "$(upper 95)" 18000' 'out "all occurrences of Grant may depend on each other in any way"'
ring -p 95
check "alone they do not" 'near "$(upper 95)" 10000'
ring -p 95 --together 'Grant[0],Grant[1]'
check "together: occurrences" 'exits 0' 'near "$(upper 95)" 18000'
ring -p 95 --together-each Grant
check "together-each: by index they are alone" 'exits 0' 'near "$(upper 95)" 10000'
ring -p 95 --together 'Grant[0],Accept[0]' --together 'Accept[0],Grant[1]'
check "groups that overlap are one" 'exits 0' 'near "$(upper 95)" 18000'
# a hop whose receiver shares its slowness: Grant[0] with Accept[0]
column data/Accept.csv 0 0 0 0 0 0 0 0 0 5000
ring -p 98 --together-each Grant,Accept
pairs=$(upper 98)
ring -p 98
apart=$(upper 98)
ring -p 98 --dependence unknown
any=$(upper 98 unknown)
last="apart $apart pairs $pairs any $any"
check "groups lie between independence and none of it" '[ "$apart" -le "$pairs" ]' '[ "$pairs" -le "$any" ]' '[ "$apart" -lt "$any" ]'
column data/Accept.csv 0
for name in Grunt 'Grant[7]' 'Grant,' ''; do
  ring --together "$name"
  check "together: \"$name\"" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "--together"' 'err "Grant, d, Accept"'
done
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --confidence 0 -p 80,99.5 --dependence both
check "side by side, in 100 columns" 'exits 0' 'out "any dependence"' '! sed -n "/at least/,/rests on/p" out | grep -qE ".{101}"' \
  '[ "$(grep -c "^  p" out)" -eq 2 ]'
column observed.csv 2000 2000 2000 2000 2000 2000 2000 18000 18000 18000
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --confidence 0 -p 50,80 --dependence both --observed observed.csv
check "an observation that only dependence explains" 'exits 1' 'grep -qE "^  p50 .* dominated$" out' 'out "NOT DOMINATED, if independent,"'

# --- grids ---------------------------------------------------------------------------------------
ring -p 98 --grid log
check "the logarithmic grid" 'exits 0' 'near "$(upper 98)" 10000' 'json "[.[] | select(.kind == \"grid\")] | length == 1 and .[0].shape == \"log\""'
ring -p 98 --grid linear
check "the linear grid: whole nanoseconds are exact here" 'exits 0' '[ "$(upper 98)" = 10000 ]' '[ "$(lower 98)" = 10000 ]' \
  'json "[.[] | select(.kind == \"grid\")][0] | .shape == \"linear\" and .step_ns == 1 and .slack == 0"'
ring -p 98
check "auto takes the one with less rounding, and says so" '[ "$(upper 98)" = 10000 ]' 'json "[.[] | select(.kind == \"grid\")][0].shape == \"linear\""' \
  'out "the grid is linear: rounding was predicted"'
column data/Accept.csv 0 900000000000
ring -p 20
check "auto: a wide range is logarithmic" 'exits 0' 'json "[.[] | select(.kind == \"grid\")][0] | .shape == \"log\" and .slack > 0 and .slack < 0.01"'
column data/Accept.csv 0

# --- caps, written laws, bands, tails ------------------------------------------------------------
sampled() {
  run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data --json "$@"
}
sampled -p 99
check "ten samples leave it infinite" 'exits 0' '[ "$(upper 99)" = infinite ]'
sampled -p 99 --cap Grant=9us:"the watchdog kills it" --cap Accept=1us:why --cap d=1us:why
check "caps make it finite, with their reasons in the ledger" 'exits 0' 'near "$(upper 99)" 22000' \
  'out "no latency of Grant exceeds 9us: the watchdog kills it (given with --cap)"'
sampled --cap Grant=8us:why
check "a cap below the data" 'exits 65' 'quiet_out' 'err "data/Grant.csv has observations above it (1)"'
for cap in Grant=9us Grant=9us: Grant=9:why Grant=:why; do
  sampled --cap "$cap"
  check "--cap $cap" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "why nothing exceeds it"'
done
sampled --cap Grunt=9us:why
check "a cap of nothing" 'exits 64' 'err "no component of the bound is called so"'
column data/Hit.csv 1000
column data/Miss.csv 9000
rm data/Grant.csv
ring -p 80,98,99.5 --law 'Grant=mix(0.9 Hit, 0.1 Miss)'
check "a law written in terms of others" 'exits 0' 'near "$(upper 80)" 2000' 'near "$(upper 98)" 10000' 'near "$(upper 99.5)" 18000' \
  'out "the law of Grant is mix(0.9 Hit, 0.1 Miss) (given with --law)"'
ring --law 'Grant=mix(0.9 Hit, 0.2 Miss)'
check "a mistake in it" 'exits 64' 'quiet_out' 'err "--law Grant: column"' '[ "$(wc -l <err)" -eq 1 ]'
ring --law 'Grant=Hit + Nothing'
check "a file that it needs" 'exits 66' 'err "Nothing"'
column data/Grant.csv 1000
ring --law 'Grunt=Hit'
check "a law of nothing" 'exits 64' 'err "no occurrence that is called so"'
# 4000 observations, slow or fast for some ten at a time: what a time limit makes of them is as uncertain
# as they are, not as 4000 in any order would be.
mkdir stretches
awk 'BEGIN { print "latency_us"; x = 7; z = 0
  for (i = 0; i < 4000; i++) { x = (x * 16807) % 2147483647; z = 0.9 * z + x / 2147483647 - 0.5; print (z > 0.7 ? 9000 : 1000 + i % 97) } }' >stretches/X.csv
late() { # options: the least and the greatest chance to be late
  run percentiles "$protocol" --bound full_circle --set n=1 --set hops=0 --data stretches --law Grant=0ns --law Accept=0ns \
    --law 'd=timeout(X, 5ms, 0ns)' --dependence unknown --above 4900us --json "$@"
  jq -sr '[.[] | select(.kind == "above")][0] | "\(.lower) \(.upper)"' out
}
together=$(late)
apart=$(late --exchangeable)
check "chances of a law with a time limit are as uncertain as its file" \
  'awk "{ exit !(\$1 > 0 && \$1 < 0.9 * \$3 && \$2 > 1.1 * \$4) }" <<<"$together $apart"'
seed=0
for name in Grant Accept d; do { echo latency_ns; seq 1000 1 5999; } | shuffled $((seed += 1)) >data/$name.csv; done
# For any dependence p99 of one hop takes p99.67 of each of the three. At 0.99 / 3 the band of Dvoretzky, Kiefer and
# Wolfowitz is sqrt(ln(300) / 10000) = 0.024 wide, so it ends before that; ranks have 16 of 5000 observations beyond.
one=("$protocol" --bound full_circle --set n=1 --set hops=0 --data data --dependence unknown -p 50,99 --json)
run percentiles "${one[@]}" --band ranks
check "--band ranks: finite up there" 'exits 0' '[ "$(upper 99 unknown)" != infinite ]' 'out "(of ranks)"'
run percentiles "${one[@]}" --band dkw
check "--band dkw: not finite up there" 'exits 0' '[ "$(upper 99 unknown)" = infinite ]' '[ "$(upper 50 unknown)" != infinite ]' 'out "Dvoretzky"'
sampled -p 50,99 --band dkw
check "independent, matched draws are finite whatever the band" 'exits 0' '[ "$(upper 99)" != infinite ]' \
  'json "[.[] | select(.kind == \"percentile\")][1].upper_by == \"draws\""'
for pair in dependence=some grid=polar band=wide tail=long; do
  sampled --${pair%=*} ${pair#*=}
  check "--${pair%=*} ${pair#*=}" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err "give "'
done

# a tail that is fitted: exponential quantiles
for name in Grant Accept d; do
  awk 'BEGIN { print "latency_ns"; n = 5000; for (i = 0; i < n; i++) printf "%d\n", 1000 - 100000 * log(1 - (i + 0.5) / n) }' |
    shuffled $((seed += 1)) >data/$name.csv
done
sampled -p 50,99.99
check "without a model: infinite" '[ "$(upper 99.99)" = infinite ]' 'json "[.[] | select(.kind == \"percentile\")] | all(has(\"model_based\") | not)"'
sampled -p 50,99.99 --tail gpd
check "with one: finite and marked" 'exits 0' '[ "$(upper 99.99)" != infinite ]' \
  'json "[.[] | select(.kind == \"percentile\") | .model_based] == [false, true]"' 'out "model-based, not proved"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data -p 50,99.99 --tail gpd
check "the mark in words" 'grep -qE "^  p99.99 .* model-based$" out' '! grep -qE "^  p50 .* model-based$" out' 'out "rests on a fitted tail and is not proved"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data -p 50 --slo 'p99.99<1s' --tail gpd
check "a modelled tail decides no objective" 'exits 2' 'out "NOT DECIDABLE"'
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data -p 98.8 --slo 'p98.8<1s' --grid log --dependence unknown
reason=$(grep "p98.8<1s: met" out)
run percentiles "$protocol" --bound full_circle --set n=2 --set hops=0 --data data -p 98.8 --slo 'p98.8<1s' --grid log --dependence unknown --tail gpd --contributions 98.8
check "an objective that is met says what is proved" 'exits 0' '[ -n "$reason" ]' 'out "$reason"' 'grep -qE "^  p98.8 .* model-based$" out'
check "contributions say that tails are modelled" 'out "if one component took no time (with modelled tails, not proved):"'

# --- warnings ------------------------------------------------------------------------------------
{ echo latency_ns; seq 1000 1 5999; } >data/Grant.csv
sampled -p 50
check "a drift is warned of, on stderr and in the ledger" 'exits 0' 'err "tailproof: warning: "' 'err "data/Grant.csv"' 'out "warning: "'

# --- files ---------------------------------------------------------------------------------------
sampled -p 50,99 --save saved.law --plot picture.svg
check "the law is saved, the picture drawn" 'exits 0' '[ "$(head -n 1 saved.law)" = "tailproof-law 2" ]' 'grep -q "<svg" picture.svg'
sampled -p 50 --plot picture.doc
check "a picture of no kind" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
sampled -p 50 --save nowhere/saved.law
check "a place that cannot be written" '[ "$status" -ge 64 ]' 'err "nowhere"'

# --- the number of samples that is said to make a percentile finite does so --------------------
draws() { # how many
  mkdir -p draws
  for name in Grant Accept d; do
    { echo latency_ns; seq 1000 $((999 + $1)) | shuf --random-source="$protocol"; } >draws/$name.csv
  done
}
for dependence in independent unknown; do
  three=("$protocol" --bound full_circle --set n=3 --set hops=0 --data draws --dependence $dependence -p 50 --json)
  draws 5
  run percentiles "${three[@]}"
  needed=$(jq -r 'select(.kind == "percentile").samples_needed' out)
  draws "$needed"
  run percentiles "${three[@]}"
  check "$needed samples are enough, $dependence" 'exits 0' 'json "any(.kind == \"percentile\" and .upper_ns != \"infinite\")"'
  draws $((needed * 97 / 100))
  run percentiles "${three[@]}"
  check "3 % fewer are not, $dependence" 'exits 0' 'json "any(.kind == \"percentile\" and .upper_ns == \"infinite\")"'
done
run percentiles "${three[@]}" --law d=never
check "no number of samples makes what never ends finite" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\")] | length == 1 and all(.upper_ns == \"infinite\" and (has(\"samples_needed\") | not))"'

finish
