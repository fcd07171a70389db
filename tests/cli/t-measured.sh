#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# percentiles --data FILE: what was measured, without a protocol; one run or several, and what their order shows.
. "$(dirname "$0")/tap.sh"
root=$PWD
cd "$scratch" || exit 70
# lognormal about 10 ms times a level of the run: seed, rows, level
draws() {
  awk -v seed="$1" -v n="$2" -v level="$3" 'BEGIN { srand(seed); print "latency_ms"
    for (i = 0; i < n; i++) printf "%.6f\n", 10 * level * exp(0.5 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand())) }'
}
levels=(1.00 0.86 1.15 0.93 1.08 1.22 0.81 1.02)
for r in 0 1 2 3 4 5 6 7; do draws $((r + 1)) 1000 "${levels[r]}" >run$r.csv; done
further=(); for r in 1 2 3 4 5 6 7; do further+=(--run run$r.csv); done

run percentiles --data run0.csv --slo 'p99<100ms' --above 100ms
check "one run" 'exits 0' 'out "1000 observations in run0.csv."' 'said "p99<100ms: met: p99 is at most"' 'said "Limits are of this run:"' \
  'said "Above 100ms with probability at least 0, at most"'
run percentiles --data run0.csv "${further[@]}" --slo 'p99<100ms'
check "eight runs" 'exits 0' 'said "8000 observations of 8 runs, worth"' 'out "p99<100ms: met"' '! grep -q "Limits are of this run" out'
# eight levels decide less than one level does: the level of run 5 is 1.22, so p50 of that run is above 11 ms, and of a run is not
run percentiles --data run0.csv --run run1.csv --run run2.csv --slo 'p99.9<9s'
check "what a finite end takes of runs" 'exits 2' 'said "independent observations: more runs (\`tailproof plan\` with the same --data and --run says"'
run percentiles --data run5.csv --slo 'p50<11ms' --json
check "what one run says of itself" 'exits 1' 'json "[.[] | select(.kind == \"measured_slo\")][0].state == \"broken\""'
run percentiles --data run5.csv --run run0.csv --run run1.csv --run run2.csv --run run3.csv --slo 'p50<11ms' --json
check "runs do not say" 'exits 2' 'json "[.[] | select(.kind == \"evidence\")][0] | .runs == 5 and .worth < 500 and .settled"' \
  'json "[.[] | select(.kind == \"measured_slo\")][0].state == \"undecided\""'
run percentiles --data run0.csv --run run0.csv
check "a run twice" 'exits 65' 'err "run 2 is in a run before it already (file sha256="'
mkdir a
head -41 run0.csv >few.csv
run percentiles --data few.csv --slo 'p50<20ms'
check "few rows do not show whether they came in bursts" 'exits 3' 'said "p50<20ms: met if the draws are independent"' 'said "So few observations do not show"'
run percentiles --data few.csv --slo 'p50<20ms' --exchangeable
check "--exchangeable says they did not" 'exits 0' 'said "p50<20ms: met:"' 'out "asserted with --exchangeable"'
for r in 0 1 2 3 4 5 6 7; do head -41 run$r.csv >short$r.csv; done
run percentiles --data short0.csv $(printf -- '--run short%d.csv ' 1 2 3 4 5 6 7) --slo 'p50<20ms'
check "nor do they have to where there are several runs" 'exits 0' 'said "p50<20ms: met:"'
{ sed 2q run0.csv | head -1; awk 'NR > 1' run0.csv | head -400 | sort -n; } >sorted.csv
run percentiles --data sorted.csv --slo 'p50<100ms'
check "what drifts decides nothing" 'exits 2' 'out "not settled"' 'said "drift or depend on each other for too long"' 'said "further runs (--run FILE)"'
awk 'BEGIN { srand(3); print "latency_ms"
  for (i = 0; i < 600; i++) { z = 0.6 * z + 0.8 * sqrt(-2 * log(1 - rand())) * cos(6.283185307 * rand()); printf "%.6f\n", 10 * exp(0.5 * z) } }' >memory.csv
run percentiles --data memory.csv --slo 'p99<9s'
check "what a finite end takes of neighbours that depend" 'exits 2' \
  'said "To be finite it takes 459 independent observations; these 600 are worth"' 'said "times as many."'

cat >edge.prom <<'END'
# TYPE rpc_seconds histogram
rpc_seconds_bucket{le="0.01"} 50000
rpc_seconds_bucket{le="0.1"} 98000
rpc_seconds_bucket{le="0.25"} 99990
rpc_seconds_bucket{le="+Inf"} 100000
rpc_seconds_sum 4000
rpc_seconds_count 100000
# EOF
END
run percentiles --data edge.prom -p 98,99 --slo 'p99<=100ms' --slo 'p97.5<=100ms' --above 100ms
check "an objective at an edge" 'exits 3' 'said "p99<=100ms: broken if the draws are independent: p99 is above 100.000 ms."' \
  'said "p97.5<=100ms: met if the draws are independent: p97.5 is at most 100.000 ms."' 'said "The order of the observations is not known"' \
  'said "Above 100ms with probability at least 0.01898, at most 0.02106."'
run percentiles --data edge.prom -p 99 --slo 'p99<=200ms' --confidence 0 --above 100ms
check "within a bucket; the share above an edge is exact" 'exits 2' 'said "that percentile is in a bucket from 100.000 ms to 250.000 ms"' \
  'said "Above 100ms with probability at least 0.02, at most 0.02."'
run percentiles --data edge.prom -p 99.99 --slo 'p99.999<=250ms' --slo 'p99.99<=250ms'
check "what is above the last edge is above it" 'exits 2' \
  'said "p99.999<=250ms: broken if the draws are independent: p99.999 is above 250.000 ms."' 'said "p99.99<=250ms: NOT DECIDABLE"'
run percentiles --data edge.prom --json
check "what nobody said" 'exits 0' 'json "[.[] | select(.kind == \"evidence\")][0] | .order_known == false and .edges == \"open below\" and .kinds == [\"rpc_seconds{}\"] and (.unknown | test(\"how many failed\"))"'
{ echo latency; sed 1d run0.csv; } >bare.csv
run percentiles --data bare.csv
check "a unit is needed" 'exits 65' 'err "unit"'
run percentiles --data bare.csv --unit bare=ms
check "and taken by the file's name" 'exits 0' 'said "1000 observations in bare.csv."'
for wrong in "--data a" "--data run0.csv --bound x" "--data run0.csv --slo fast" "--data run0.csv --above soon" "--data run0.csv -p 101" \
  "--data run0.csv --format sarif" "--data run0.csv --joint run0.csv"; do
  run percentiles $wrong
  check "wrong: $wrong" 'exits 64' 'quiet_out' 'err "tailproof"'
done
run percentiles --data none.csv
check "no such file" 'exits 66' 'quiet_out'

cp "$root/specs/lock.tp" .
for r in 0 1 2 3 4 5; do mkdir run.$r; for name in Grant Accept d; do draws $((10 * r + ${#name})) 700 "${levels[r]}" >run.$r/$name.csv; done; done
run percentiles lock.tp --bound full_circle --set n=2 --data run.0 --run run.1 --run run.2 --run run.3 --run run.4 --run run.5 -p 50 --slo 'p50<1s' --full --exchangeable
check "further runs of a protocol's components" '[ "$status" -eq 0 ] || [ "$status" -eq 3 ]' 'said "the 6 runs of Grant are independent draws of one law of runs"'
run percentiles lock.tp --bound full_circle --set n=2 --data run.0 -p 50 --slo 'p50<1s'
check "one run says so" 'said "Limits are of one run"' 'said "(--run DIR)"'
# Tables of several runs: a row is a request, and how the runs differ counts, not that there are many rows.
table() { # FOLDER SEED LEVEL: the requests of a run
  mkdir -p "$1"
  for part in Grant Accept d; do draws $(($2 + ${#part})) 700 "$3" | sed 1d >"$part"; done
  paste -d, Grant Accept d d d d d d | awk -F, 'BEGIN { print "Grant.0_ms,Grant.1_ms,Accept.0_ms,Accept.1_ms,d.Transfer.1_ms,d.Transfer.2_ms,request.round_ms" }
    { print $1 "," $1 "," $2 "," $2 "," $3 "," $3 "," 2 * ($1 + $2 + $3) }' >"$1/joint.csv"
}
for r in 0 1 2 3 4 5; do table rows.$r $((100 * r)) "${levels[r]}"; done
circle="percentiles lock.tp --bound full_circle --set n=2 --observed request.round -p 50 --json"
end() { jq -r 'select(.kind == "percentile") | .upper_ns' out; }
run $circle --joint rows.0/joint.csv
check "rows of one run" 'exits 0' '[ "$(end)" -lt 70000000 ]'
more=(); for r in 1 2 3 4 5; do more+=(--run rows.$r/joint.csv); done
run $circle --joint rows.0/joint.csv "${more[@]}"
all=$(end)
check "rows of six runs differ by their runs" 'exits 0' '[ "$all" -gt 70000000 ]' \
  'said "each of the 4200 rows of rows.0/joint.csv and 5 further runs of it"' '! grep -q "Limits are of one run" out'
run $circle --data rows.0 --run rows.1 --run rows.2 --run rows.3 --run rows.4 --run rows.5
check "so do the tables of folders" 'exits 0' '[ "$(end)" = "$all" ]'
run $circle --joint rows.0/joint.csv --run rows.1/joint.csv --run rows.1/joint.csv
check "a table twice" 'exits 64' 'err "rows.1/joint.csv is in a run before it already; name each run once"'
mkdir bare; cp run.1/*.csv bare
run $circle --data rows.0 --run bare
check "a run that has no table" 'exits 66' 'err "bare has no joint.csv, as rows.0 has, of which it is to be a further run"'
cut -d, -f 1-3,5- rows.1/joint.csv >lacks.csv
run $circle --joint rows.0/joint.csv --run lacks.csv
check "a run without a column" 'exits 65' 'err "lacks.csv has no column for Accept[1]"'
run $circle --joint rows.0/joint.csv --joint rows.1/joint.csv --run rows.2/joint.csv
check "runs of several tables" 'exits 64' 'err "name one of them"'
rm run.3/d.csv
run percentiles lock.tp --bound full_circle --set n=2 --data run.0 --run run.3 -p 50
check "a run without a file" 'exits 66' 'err "run.3"'
finish
