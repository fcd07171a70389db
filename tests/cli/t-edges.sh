#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Objectives at the edge of a bucket: a bucket of Prometheus includes its upper edge and not its lower one, import keeps edges, and
# where a limit is within a bucket no number of samples is asked for.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
# Words of stdout, wherever its lines break.
says() { tr -s ' \n' ' ' <"$scratch/out" | grep -qF -- "$1"; }
cat >one.tp <<'END'
protocol one
role a
external c
component A
delay d
message Out : a -> c
state a { step : int = 0 }
action a.One cost A { when step == 0  step := 1  send Out }
invariant zero: step == 0 implies time(a) <= 0
bound out: sent Out within A
END
# page DIRECTORY BELOW: of 100000 requests this many took 0.1 s or less
page() {
  mkdir -p "$1" && printf '# TYPE a_seconds histogram\na_seconds_bucket{le="0.01"} 33444\na_seconds_bucket{le="0.1"} %s\na_seconds_bucket{le="0.25"} 99990\na_seconds_bucket{le="+Inf"} 100000\na_seconds_count 100000\n' \
    "$2" >"$1/A.prom"
}
page bad 98000 && page good 99700 && page near 98950

run percentiles one.tp --data bad -p 99 --slo 'p99<=100ms' --above 100ms --exchangeable
check "2 % above an edge break p99 at that edge" 'exits 1' 'out "p99<=100ms: BROKEN: p99 is above 100.000 ms."' \
  'out "Above 100ms with probability at least 0.018"' 'out "at most 0.021"'
run percentiles one.tp --data good -p 99 --slo 'p99<=100ms' --slo 'p99.7<=250ms' --exchangeable
check "0.3 % above it do not" 'exits 0' 'out "p99<=100ms: met"'
run percentiles one.tp --data near -p 99 --slo 'p99<=100ms' --exchangeable
check "1.05 % in 100000 may be 1 %: more of them would tell" 'exits 2' 'out "NOT DECIDABLE"' 'out "More samples bring the ends together."'
run percentiles one.tp --data bad -p 99 --slo 'p99<150ms' --exchangeable
check "within a bucket more samples would not tell" 'exits 2' 'out "More samples cannot change this: that percentile"' \
  'says "is in a bucket from 100.000 ms to 250.000 ms"' '! out "bring the ends together"'
run percentiles one.tp --data good -p 99 --slo 'p99<100ms' --exchangeable
check "less than an edge is within the bucket" 'exits 2' 'out "NOT DECIDABLE"'
run percentiles one.tp --data bad -p 99 --slo 'p99<100.000001ms' --exchangeable
check "a time above an edge is at least the next nanosecond" 'exits 1' 'out "BROKEN"'

# ---- objectives of others, in the form of their tools
cat >sloth.yml <<'END'
version: "prometheus/v1"
service: "api"
slos:
  - name: "availability"
    objective: 99.9
    sli: {events: {error_query: "sum(rate(a_seconds_count{code=~'5..'}[{{.window}}]))", total_query: "sum(rate(a_seconds_count[{{.window}}]))"}}
  - name: "latency"
    objective: 99
    sli:
      events:
        error_query: |
          sum(rate(a_seconds_count[{{.window}}]))
          -
          sum(rate(a_seconds_bucket{le="0.1"}[{{.window}}]))
        total_query: sum(rate(a_seconds_count[{{.window}}]))
END
run percentiles --data good/A.prom --slo-file sloth.yml --exchangeable
check "an objective of Sloth is decided at its edge" 'exits 0' 'out "p99<=0.1s: met: p99 is at most 100.000 ms."' \
  'says "sloth.yml: \"latency\" is p99<=0.1s of a_seconds{}; that what was measured are these requests; 1 of the 2 objectives of the file are not of latency, and not asked"'
run percentiles one.tp --data bad --slo-file sloth.yml --exchangeable
check "and broken there, of a bound" 'exits 1' 'out "p99<=0.1s: BROKEN: p99 is above 100.000 ms."' 'says "sloth.yml: \"latency\" is p99<=0.1s of a_seconds{}"'
sed 's/^\(version.*\|service.*\|slos\)/  &/; s/^ /   /' sloth.yml | sed '1s/.*/apiVersion: sloth.slok.dev\/v1\nkind: PrometheusServiceLevel\nspec:/; s/_query/Query/' >operator.yml
run percentiles --data good/A.prom --slo-file operator.yml --exchangeable
check "in the form of its operator" 'exits 0' 'out "p99<=0.1s: met"'
cat >pyrra.yaml <<'END'
# two of them
apiVersion: pyrra.dev/v1alpha1
kind: ServiceLevelObjective
metadata: {name: errors}
spec: {target: "99.9", window: 4w, indicator: {ratio: {errors: {metric: 'a_total{code="5"}'}, total: {metric: a_total}}}}
---
apiVersion: pyrra.dev/v1alpha1
kind: ServiceLevelObjective
metadata:
  name: latency
spec:
  target: "99.5"
  indicator:
    latency:
      success:
        metric: a_seconds_bucket{job="x",le="0.1"}
      total:
        metric: a_seconds_count{job="x"}
---
END
run percentiles --data good/A.prom --slo-file pyrra.yaml --slo-file sloth.yml --exchangeable
check "of Pyrra, and both" 'exits 0' 'out "p99.5<=0.1s: met"' 'out "p99<=0.1s: met"' 'says "p99.5<=0.1s of a_seconds{job=\"x\"}"'
sed 's/job="x",le/code!~"5..",le/' pyrra.yaml >errors.yaml
run percentiles --data good/A.prom --slo-file errors.yaml
check "good ones that are not those of the total are no objective of latency" 'exits 65' 'err "errors.yaml:14: the good requests have other labels than the total"'
cat >openslo.yaml <<'END'
apiVersion: openslo/v1
kind: SLI
metadata: {name: fast}
spec:
  ratioMetric:
    counter: true
    good: {metricSource: {type: Prometheus, spec: {query: 'sum(rate(a_seconds_bucket{le="0.1"}[5m]))'}}}
    total: {metricSource: {type: Prometheus, spec: {query: 'sum(rate(a_seconds_count[5m]))'}}}
---
apiVersion: openslo/v1
kind: SLO
metadata: {name: page}
spec:
  service: api
  indicatorRef: fast
  objectives:
    - target: 0.9925
    - targetPercent: 98.5
END
run percentiles --data good/A.prom --slo-file openslo.yaml --exchangeable
check "of OpenSLO, by a reference" 'exits 0' 'out "p99.25<=0.1s: met"' 'out "p98.5<=0.1s: met"'
for pair in 's/fast$/slow/:no SLI of this file' 's/0.9925/1.0/:no share above 0' 's/ratioMetric/thresholdMetric/:value over time' 's/kind: SLO/kind: [/:line 13'; do
  sed "${pair%:*}" openslo.yaml >wrong.yaml
  run percentiles --data good/A.prom --slo-file wrong.yaml
  check "refused: ${pair##*:}" 'exits 65' 'quiet_out' "err \"${pair##*:}\"" '[ "$(wc -l <err)" -eq 1 ]'
done
run percentiles --data good/A.prom --slo-file one.tp
check "no objectives" 'exits 65' 'quiet_out' 'err "one.tp"'
run percentiles --data good/A.prom --slo-file none.yaml
check "no file" 'exits 66' 'quiet_out' 'err "none.yaml"'
run percentiles --data sloth.yml
check "objectives in place of measurements" 'exits 65' 'err "--slo-file"'

run compare bad/A.prom good/A.prom --exchangeable
check "98 % and 99.7 % within 100 ms differ" 'exits 0' 'out "A is slower around 100.001 ms"' 'out "0.040 .. 1.000  faster"'
run compare good/A.prom bad/A.prom --exchangeable
check "the other way it is slower" 'exits 1' 'out "1.000 .. 25.000  slower"'

edge() { jq -se "[.[] | select(.kind == \"edge\" and .at_ns == \"100000000\")][0] | $1" out >log; }
page a 99700 && page b 99600
run compare a/A.prom b/A.prom --exchangeable --json
check "0.30 % and 0.40 % above an edge differ by an exact test, though no interval of a percentile does" 'exits 1' \
  'edge ".verdict == \"slower\" and .chance < 0.002 and .a_above == 0.003 and .b_above == 0.004"' \
  'json "[.[] | select(.kind == \"compared\") | .verdict] | all(. == \"no difference shown\")"'
run compare b/A.prom a/A.prom --exchangeable --report x.xml
check "the other way it is faster" 'exits 0' 'out "100.000 ms   0.400 %   0.300 %  faster"' 'grep -q "above 100.000 ms" x.xml'
run compare a/A.prom b/A.prom --json
check "of draws whose order nobody knows on that condition" 'exits 3' 'edge ".verdict == \"slower\""'
page b 99690
run compare a/A.prom b/A.prom --exchangeable --json
check "0.30 % and 0.31 % do not" 'exits 0' 'edge ".verdict == \"no difference shown\""'
run compare a/A.prom b/A.prom --exchangeable --json --margin 1.1
check "a margin is one of times" 'json "all(.kind != \"edge\")"'

run import --out parts bad/A.prom
check "import says that percentiles are upper edges" 'exits 0' 'out "p99 at most"'
run percentiles one.tp --data parts -p 99 --slo 'p99<=100ms' --exchangeable
check "import keeps the edge that is not included" 'exits 1' 'out "p99 is above 100.000 ms"'
rm -r parts && run import --out parts good/A.prom
run percentiles one.tp --data parts -p 99 --slo 'p99<=100ms' --exchangeable
check "and the one that is" 'exits 0' 'out "p99 is at most 100.000 ms"'
(echo latency_ms && for ((i = 0; i < 600; i++)); do echo $((i % 2 ? 100 : 50)); done) >A.csv
rm -r parts && run import --out parts A.csv
run percentiles one.tp --data parts -p 99 --slo 'p99<=100ms' --exchangeable
check "whole milliseconds stay whole" 'exits 0' 'out "p99 is at most 100.000 ms"'
finish
