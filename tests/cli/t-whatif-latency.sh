#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What percentiles recorded requests would have if something were different: each kind of change, intervals, orders
# that are undecided, and mistakes.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1

# web works 2 ms, calls cart and sql at once, waits for both and works 1 ms (examples/shop/traces.awk).
example=$OLDPWD/examples/shop/traces.awk
make_traces() { # number of requests, chance of a busy one
  awk -v n="$1" -v busy="${2:-0}" -f "$example"
}
make_traces 2000 >traces.json
printf 'latency_ms\n4\n' >four.csv
printf 'latency_ms\n9\n' >nine.csv
latency() { run whatif latency traces.json "$@"; }
p50() { jq -sr '[.[] | select(.kind == "predicted" and .p == "50")][0].'"$1" out; }

latency --json
check "no change: every percentile is the recorded one" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"predicted\")] | length == 4 and all(.recorded == .replayed)"' \
  'json "[.[] | select(.kind == \"latency\")][0] | .requests == 2000 and .flows == 1"'
recorded=$(p50 recorded.ns)

latency --change 'web: *2' --json
check "work that takes twice as long" 'exits 0' '[ "$(p50 replayed.ns)" -eq $((recorded + 3000000)) ]' \
  'json "[.[] | select(.kind == \"change\")][0].calls == 2000"'
cp out first
run trace whatif traces.json --change 'web: *2' --json
check "trace whatif is the same question" 'exits 0' 'quiet_err' 'cmp -s out first'
latency --change 'web/GET: + 3 ms' --json
check "a request that comes from farther away" 'exits 0' '[ "$(p50 replayed.ns)" -eq $((recorded + 3000000)) ]'
latency --change 'sql = nine.csv' --change 'cart/*: *0' --json
check "a call measured elsewhere" 'exits 0' '[ "$(p50 replayed.ns)" = 12000000 ]' '[ "$(p50 independent.most_ns)" -ge 12000000 ]' \
  '[ "$(p50 independent.most_ns)" -le 12100000 ]'
latency --change 'sql = mix(0.75 four, 0.25 nine)' --change 'cart = four.csv' -p 50,90 --json
check "a cache: hits and misses" 'exits 0' '[ "$(p50 replayed.ns)" = 7000000 ]' \
  'json "[.[] | select(.kind == \"predicted\" and .p == \"90\")][0].replayed.ns == \"12000000\""'
latency --change 'load=3' --change 'sql@4 = four.csv' --change 'sql@9 = nine.csv' --change 'cart: *0' --json
check "a load" 'exits 0' '[ "$(p50 replayed.ns)" = 7000000 ]'
latency --change 'load=3' --change 'sql@4 = four.csv' --change 'sql@9 = nine.csv' --change 'cart: *0' --change fail=1/2 --json
check "a replica fails" 'exits 0' '[ "$(p50 replayed.ns)" = 12000000 ]'
latency --change 'load=8' --change 'sql@4 = four.csv' --change 'sql@9 = nine.csv' --change 'cart: *0' --change 'shards=4 skew=0.5,0.5,0,0'
check "shards" 'exits 0' 'out "7.000 ms"' 'out "sql/query with 4 calls at once takes as long as measured with 4"'
printf 'percent,factor\n40,2\n' >busy.csv
latency --change 'cpu web=40% busy.csv' --json
check "a busy processor" 'exits 0' '[ "$(p50 replayed.ns)" -eq $((recorded + 3000000)) ]'
latency --change 'limit sql=1' --json
check "a limit that is met by no call" 'exits 0' '[ "$(p50 replayed.ns)" -eq "$recorded" ]' \
  'json "[.[] | select(.kind == \"change\")][0] | .waited == 0 and .most == 1"' \
  'json "[.[] | select(.kind == \"latency\")][0].no_law == \"calls of all requests share servers\""'
latency --change 'limit web=1' --change 'sql = nine.csv'
check "requests that wait for a server" 'exits 0' 'out "of 2000 calls wait, for"' 'out "There is no law to compare the replay with"'

latency --change 'sql: *0.5'
check "the answer in words" 'exits 0' 'out "2000 requests of 1 flow."' 'out "sql: *0.5   (2000 calls)"' 'out "recorded"' 'out "at 99 %"' \
  'out "law, independent"' 'out "law, any dependence"' 'out "This rests on"'
latency --change 'sql: *0.5' --json
check "the interval has the value, and any dependence the law of independent activities" 'exits 0' \
  'json "[.[] | select(.kind == \"predicted\" and .p != \"99.9\")] | length == 3 and
    all((.replayed | (.lower_ns | tonumber) <= (.ns | tonumber) and (.ns | tonumber) <= (.upper_ns | tonumber)) and
        (.any.least_ns | tonumber) <= (.independent.least_ns | tonumber) and (.independent.most_ns | tonumber) <= (.any.most_ns | tonumber) and
        (.law_differs | not))"'
latency --change 'sql = mix(0.5 four, 0.5 nine)' --seed 1 --json
cp out first
latency --change 'sql = mix(0.5 four, 0.5 nine)' --seed 1 --json
check "a seed determines what is drawn" 'exits 0' 'cmp -s out first'

make_traces 3000 0.3 >busy.json
run whatif latency busy.json --change 'web: *1.5' --change 'cart: *2' -p 50,99 --dependence independent
check "calls that are slow in the same requests: what differs, and whom to trust" 'exits 0' \
  'said "but cart/get and sql/query are slow in the same requests"' '! out "any dependence"'

# Against a shop that was really changed, whose requests are others.
awk -v n=3000 -v busy=0.3 -v seed=77 -v sql=0.5 -f "$example" >changed.json
run whatif latency busy.json --change 'sql: *0.5' --observed changed.json -p 50,90,99 --json
check "a prediction against what came of it: p50 and p90 within 5 %, p99 within 8 %" 'exits 0' \
  'json "[.[] | select(.kind == \"predicted\")] | all(.missed | not) and all((.error | fabs) < (if .p == \"99\" then 0.08 else 0.05 end))"' \
  'json "[.[] | select(.kind == \"latency\")][0] | .largest_difference < 0.05 and .median_difference <= .largest_difference"'
run whatif latency busy.json --change 'sql: *0.9' --observed changed.json -p 50,90,99
check "a wrong prediction: 1" 'exits 1' 'out "not as predicted"' 'out "prediction is off by"'

# Requests of several kinds.
make_traces 40 | sed 's/"GET"/"POST"/; s/"traceID":"/&p/g' >post.json
run whatif latency traces.json post.json --root 'web/P*' --json
check "requests with one root alone" 'exits 0' 'json "[.[] | select(.kind == \"latency\")][0].requests == 40"'
run whatif latency traces.json post.json --root cart
check "a root that none has" 'exits 64' 'err "--root cart: the root of no request is called so; there are web/GET 2000, web/POST 40"'

make_traces 30 >few.json
run whatif latency few.json --change 'sql: *0.5'
check "few requests: no upper limit, and how many it takes" 'exits 0' 'out "infinite"' 'out "An upper limit of p90 takes 51 independent requests"'

# One request: of third only the times say that it waits for first and second.
cat >one.json <<'END'
{"data":[{"traceID":"1","spans":[
 {"traceID":"1","spanID":"m","operationName":"main","references":[],"startTime":0,"duration":7000,"processID":"p"},
 {"traceID":"1","spanID":"a","operationName":"first","references":[{"refType":"CHILD_OF","traceID":"1","spanID":"m"}],"startTime":0,"duration":2000,"processID":"p"},
 {"traceID":"1","spanID":"b","operationName":"second","references":[{"refType":"CHILD_OF","traceID":"1","spanID":"m"}],"startTime":0,"duration":3000,"processID":"p"},
 {"traceID":"1","spanID":"c","operationName":"third","references":[{"refType":"CHILD_OF","traceID":"1","spanID":"m"}],"startTime":3000,"duration":4000,"processID":"p"}],
 "processes":{"p":{"serviceName":"app"}}}]}
END
run whatif latency one.json --change 'app/second: *0' -p 50
check "what the traces leave open makes two numbers" 'exits 0' 'out " or 7.000 ms"' 'said "Two numbers stand where the traces leave open"' \
  'said "app/third waits for app/second, or not: about"'
run whatif latency one.json --change 'app/second: *0' -p 50 --json
check "the same for programs" 'exits 0' 'json_lines' 'json "[.[] | select(.kind == \"undecided\")] | length >= 1"' \
  'json "[.[] | select(.kind == \"predicted\")][0] | .replayed.ns != .replayed_if_free.ns"'
run whatif latency one.json -p 50
check "but not without a change" 'exits 0' '! said "Two numbers"' 'out "7.000 ms"'

latency --change 'sqk/query: *0.5'
check "a change of nothing that is recorded" 'exits 64' 'err "no recorded call is called \"sqk/query\"; nearest: sql/query"'
latency --change 'query: *0.5'
check "an operation without its service" 'exits 64' 'err "no recorded call is called \"query\"; nearest: sql/query"'
latency --change 'sql: 0.5'
check "no change at all: the place" 'exits 64' "err \"--change 'sql: 0.5', column 9: expected a change\""
latency --change 'sql = none.csv'
check "a file that is not there" 'exits 66' 'err "none.csv"'
run whatif latency --change 'sql: *2'
check "no traces" 'exits 64' 'err "name files or folders of traces"'
latency -p 100
check "no percentage" 'exits 64' 'err "unusable percentile"'

latency --change 'sql: *0.5' --data /nonexistent
check "a folder that no change needs" 'exits 64' 'err "--data /nonexistent: no change names a file of it; leave it out"'
latency --change 'sql: *0.5' --unit x=ms
check "a unit of no file" 'exits 64' 'err "--unit x=ms: no change names such a file"'
finish
