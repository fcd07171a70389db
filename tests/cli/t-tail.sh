#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Why slow requests are slow: of a made-up shop whose faults are known, as text and as JSON; what cannot be told; and mistakes.
. "$(dirname "$0")/tap.sh"

shop=$PWD/examples/slow_shop
cd "$scratch" || exit 1

awk -f "$shop/requests.awk" >made.csv
last="awk -f requests.awk"
check "the example is what its program makes" 'cmp -s made.csv "$shop/requests.csv"'

run tail made.csv --above p93 --json
check "both faults are named, and nothing else" 'exits 0' 'quiet_err' 'json_lines' \
  'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"db_read\", \"price_query\"]"' \
  'json "[.[] | select(.kind == \"cause\" and .name == \"db_read\")][0] | .necessary.count >= 40 and .necessary.of == 70"'
check "the causes add up to the latency" \
  'json "([.[] | select(.kind == \"cause\") | .difference_ns] | add) - [.[] | select(.kind == \"tail\")][0].difference_ns | fabs <= 5"'
check "two groups of slow requests" 'json "[.[] | select(.kind == \"group\")][:2] | map(.causes) == [[\"db_read\"], [\"price_query\"]]"'
check "the host and the version" 'json "[.[] | select(.kind == \"tag\") | .key + \"=\" + .value] == [\"db_host=db-3\", \"version=v2\"]"'
check "what nothing waits for is said" 'json "any(.[]; .kind == \"assumption\" and (.text | startswith(\"nothing waits for audit_write\")))"'

run tail made.csv --above p93
check "the same in words" 'exits 0' 'said "70 of 1000 requests are slow"' 'out "db_read "' '! out "cart_get "' 'out "db_host=db-3"' \
  'said "2 of 4 causes are significant"' 'said "--call-graph FILE states it"'
run tail made.csv --above p93 --full
check "all causes with --full" 'exits 0' 'out "cart_get "' 'out "not significant"'
run tail made.csv --above 63.513ms --json
check "a time is as good as a percentile" 'exits 0' 'json "[.[] | select(.kind == \"tail\")][0].slow == 70"'
gzip -k made.csv
run tail made.csv.gz --above p93
check "compressed" 'exits 0' 'said "70 of 1000 requests are slow"'
printf 'cart_get;db_read\n# nothing else\n' >calls
run tail made.csv --above p93 --call-graph calls --json
check "with the calls told" 'exits 0' 'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"db_read\", \"price_query\"]"' \
  'json "any(.[]; .kind == \"assumption\" and .text == \"calls says which call contains which\")"'

run tail made.csv --slow version=v2 --json
check "a label that slows some down" 'exits 0' 'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"price_query\"]"' \
  'json "all(.[]; .kind != \"tag\" or .key != \"version\")"'
run tail made.csv --slow db_host=db-1 --against db_host=db-2
check "hosts that are alike: cannot tell" 'exits 2' 'said "CANNOT TELL: the requests with that label are not slower"' 'said "with db_host=db-2"'
run tail made.csv --above p99 --json
check "too few: cannot tell" 'exits 2' 'json "[.[] | select(.kind == \"tail\")][0] | .verdict == \"too few requests\" and .significant == 0"'
run tail made.csv --above p99
check "and what would do" 'exits 2' 'said "10 are slow and 990 are not"' 'said "For p99 it takes 2000 requests. These do for --above p98."'
run tail made.csv --above p98
check "as was said" 'exits 0'
run tail made.csv --above 10s
check "nothing is slow" 'exits 65' 'err "made.csv: none of the 1000 requests is slow"' 'quiet_out'

# 600 requests of db and cache, in their order: db gets slower and slower in the second half, or in waves, or in the last 30.
drifting() {
  awk -v kind="$1" 'BEGIN { srand(4); print "latency_us,db_us,cache_us,phase,half"
    for (i = 0; i < 600; i++) {
      more = kind == "ramp" && i > 300 ? (i - 300) * 60 : kind == "wave" ? 8000 * (1 + sin(i / 15)) : kind == "incident" && i > 570 ? 20000 : 0
      db = 5000 - 3000 * log(1 - rand()) + more; cache = 500 - 300 * log(1 - rand()); own = 1000 - 500 * log(1 - rand())
      printf "%d,%d,%d,%s,%s\n", own + db + cache, db, cache, i < 300 ? "before" : "after", rand() < .5 ? "one" : "other" } }'
}
drifting ramp >ramp.csv
run tail ramp.csv --slow phase=after --against phase=before --json
check "what drifts is named" 'exits 0' 'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"db\"]"' \
  'json "any(.[]; .kind == \"assumption\" and (.text | test(\"^slow requests come at another time than those they are held against\")))"'
drifting wave >wave.csv
run tail wave.csv --above p90 --json
check "also of the slowest" 'exits 0' 'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"db\"]"' \
  'json "any(.[]; .kind == \"assumption\" and (.text | test(\"^slow requests and the others are compared within blocks of time\")))"'
run tail wave.csv --slow half=one --against half=other
check "what both sides share is none" 'exits 2' 'said "CANNOT TELL: the requests with that label are not slower than the others"'
drifting incident >incident.csv
run tail incident.csv --slow phase=after --against phase=before
check "one incident may be anywhere" 'exits 2' 'said "come in few stretches of time, which chance may put on either side"' 'said "--above p90"' '! said "More requests"'
run tail incident.csv --above p90 --json
check "and is explained as was said" 'exits 0' 'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"db\"]"'

run tail
check "no file" 'exits 64'
run tail missing.csv
check "a missing file" 'exits 66' 'err "missing.csv: cannot be opened"'
run tail made.csv --above p100
check "no percentile" 'exits 64' 'err "--above p100: give a percentile above 0 and below 100"'
run tail made.csv --above 20
check "a time without a unit" 'exits 64' 'err "--above 20: give a percentile (p99) or a time with its unit (250ms)"'
run tail made.csv --above p90 --slow version=v2
check "two ways to say what is slow" 'exits 64' 'err "give one of them"'
run tail made.csv --against version=v2
check "held against nothing" 'exits 64' 'err "give --slow, too"'
run tail made.csv --slow colour=red
check "a label that is not there" 'exits 65' 'err "no column is called colour"'
run tail made.csv --unit hours
check "a unit that is none" 'exits 64' 'err "--unit hours: give ns, us, ms or s"'
run tail made.csv --confidence 0
check "no confidence" 'exits 64' 'err "give a level such as 0.95"'
printf 'Latency,a\n1,2\n' >bare.csv
run tail bare.csv
check "columns without a unit" 'exits 65' 'err "bare.csv:1:1: found \"Latency\", a column of times without a unit"'
printf 'cart_get;nothing\n' >calls
run tail made.csv --call-graph calls
check "a call that is not there" 'exits 65' 'err "calls:1: \"nothing\" is no column of calls"'
run tail made.csv bare.csv
check "two tables" 'exits 64' 'err "give one table, or any number of traces"'

# 60 traces: main calls one and two together; two takes 30 ms more in every second request, three in one of 20.
jq -n '{data: [range(60) as $i | ($i * 1000000) as $t | (5000 + $i * 37 % 900) as $one | (4000 + $i * 53 % 700 + (if $i % 2 == 1 then 30000 else 0 end)) as $two |
  {traceID: "t\($i)", processes: {p: {serviceName: "shop", tags: []}}, spans: [
    {traceID: "t\($i)", spanID: "m\($i)", operationName: "main", references: [], startTime: $t, duration: ([$one, $two] | max + 300), processID: "p", logs: [],
     tags: [{key: "shard", type: "string", value: (if $i % 2 == 1 then "b" else "a" end)}]},
    {traceID: "t\($i)", spanID: "o\($i)", operationName: "one", references: [{refType: "CHILD_OF", traceID: "t\($i)", spanID: "m\($i)"}], startTime: ($t + 100), duration: $one, processID: "p", tags: [], logs: []},
    {traceID: "t\($i)", spanID: "w\($i)", operationName: "two", references: [{refType: "CHILD_OF", traceID: "t\($i)", spanID: "m\($i)"}], startTime: ($t + 100), duration: $two, processID: "p", tags: [], logs: []}]}]}' >traces.json
run tail traces.json --above p50 --json
check "traces: the call that made the path" 'exits 0' 'json "[.[] | select(.kind == \"cause\" and .significant) | .name] == [\"shop/two\"]"' \
  'json "[.[] | select(.kind == \"cause\" and .name == \"shop/two\")][0] | .necessary.count == 30 and .necessary.of == 30 and .sufficient.count == 30"' \
  'json "[.[] | select(.kind == \"tag\") | .key + \"=\" + .value] == [\"shop: shard=b\"]"'
check "what was parallel takes its place" 'json "[.[] | select(.kind == \"cause\" and .name == \"shop/one\")][0].difference_ns < -4000000"'
run tail traces.json --slow shard=b --json
check "traces by a tag" 'exits 0' 'json "[.[] | select(.kind == \"tail\")][0] | .slow == 30 and .rest == 30"'
run tail traces.json --request t3
check "one of them against the others" 'exits 0' 'said "Request t3 takes 34.459 ms; the 59 others"' 'grep -qE "^  shop/two +34\.159 ms +0 ns +34\.159 ms$" out'
run tail traces.json --request nobody
check "no such request" 'exits 65' 'err "--request nobody: no trace has that id"'
run tail traces.json --call-graph calls
check "traces know who calls whom" 'exits 64' 'err "--latency, --call-graph and --tag are of tables"'
for option in --route=x --skip=9h --skip=nonsense --percentiles=1; do
  run tail traces.json $option
  check "traces do not use ${option%%=*}" 'exits 64' "err '${option%%=*} says nothing of traces and tables; leave it out'" '[ "$(wc -l <err)" -eq 1 ]'
done
printf 'latency_ms,a_ms,v\n1,1,x\n2,1,y\n' >two.csv
run tail two.csv --skip 1s
check "nor do tables" 'exits 64' 'err "--skip says nothing of traces and tables"'
run tail two.csv --latency latency_ms --tag zz
check "a column that is not there" 'exits 64' 'err "--tag zz: two.csv has no such column"'
finish
