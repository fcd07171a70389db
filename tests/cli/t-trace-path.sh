#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `trace path` on traces of a program whose waits are known (examples/traces), in text and JSON.
. "$(dirname "$0")/tap.sh"
shop=$PWD/examples/traces/shop.json.gz
make=$PWD/examples/traces/make.py
cd "$scratch" || exit 1

check "the example is what its program makes" '"$make" | cmp - <(zcat "$shop")'
zcat "$shop" >all.json
{ echo '{"data":['; sed -n 2p all.json | sed 's/,$//'; echo ']}'; } >one.json
id=$(jq -r '.data[0].traceID' one.json)

run trace path "$shop" --json
check "60 requests" 'exits 0' 'quiet_err' json_lines 'json "map(select(.kind == \"paths\"))[0].requests == 60"'
check "the parts add up to the latency" \
  'json "(map(select(.kind == \"part\").ns | tonumber) | add) == (map(select(.kind == \"paths\"))[0].latency_ns | tonumber)"' \
  'json "(map(select(.kind == \"step\").ns) | add) == (map(select(.kind == \"request\"))[0].latency_ns)"' \
  'json "map(select(.kind == \"step\") | .from_ns) as \$from | map(select(.kind == \"step\") | .from_ns + .ns) as \$to | \$from[1:] == \$to[:-1]"'
verdict() { echo "map(select(.kind == \\\"order\\\" and .before == \\\"$1\\\" and .after == \\\"$2\\\"))[0].verdict"; }
check "pay waits for both, the request for pay" \
  "json \"$(verdict cart/get pay/charge) == \\\"supported\\\" and $(verdict price/quote pay/charge) == \\\"supported\\\" and $(verdict pay/charge web/checkout) == \\\"supported\\\"\""
check "nobody waits for audit" "json \"$(verdict audit/log web/checkout) == \\\"refuted\\\"\"" \
  'json "map(select(.kind == \"part\" and .service == \"audit\"))[0].ns == \"0\""'
check "cart has slack where price took longer" \
  'json "map(select(.kind == \"slack\" and .whose == \"cart/get\"))[0].slack_ns > 0 and map(select(.kind == \"slack\" and .whose == \"pay/charge\"))[0].slack_ns == 0"'

run trace path "$shop"
check "in words" 'exits 0' 'out "The slowest request, 5eed"' 'out "pay/charge"' 'said "until it calls price/quote"' \
  '! out "undecided"' 'out "All 60 requests"' 'out "nobody waited for 60 spans"'
run trace path all.json --request "$id" --top 1
check "a request by its id; the longest step alone" 'exits 0' 'out "Request $id took"' 'said "and 4 shorter steps"'

run trace path <(zcat "$shop")
check "a pipe" 'exits 0' 'out "All 60 requests"'

run trace path one.json
check "one request alone: the rival is named, and what would decide" 'exits 0' 'out "undecided: rival"' \
  'said "Does pay/charge wait for"' 'said "more would decide it."' '! out "All "'
run trace path one.json --full
check "--full: all that is undecided, all assumptions" 'exits 0' '! out "--full lists"' 'said "a common cause"'
run trace path one.json --format json
check "and in JSON" 'exits 0' 'json "map(select(.kind == \"step\" and has(\"rival_span\"))) | length == 1"'

# Six queries through a pool of two; and a read that goes on with the first of two answers, 40 times.
spans() { # REQUEST, then NAME START END for each call of main
  local request=$1 list number=0
  shift
  list="{\"traceID\":\"$request\",\"spanID\":\"m\",\"operationName\":\"main\",\"startTime\":0,\"duration\":$1,\"processID\":\"p\"}"
  shift
  while [ $# -gt 0 ]; do
    number=$((number + 1))
    list="$list,{\"traceID\":\"$request\",\"spanID\":\"s$number\",\"operationName\":\"$1\",\"startTime\":$2,\"duration\":$(($3 - $2)),\"processID\":\"p\",\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"$request\",\"spanID\":\"m\"}]}"
    shift 3
  done
  echo "{\"traceID\":\"$request\",\"processes\":{\"p\":{\"serviceName\":\"db\"}},\"spans\":[$list]}"
}
echo "{\"data\":[$(spans 1 3010 a 10 1000 b 11 1004 c 1006 1500 d 1009 2600 e 1509 3000 f 2605 2800)]}" >pool.json
run trace path pool.json
check "a pool of two is suspected" 'exits 0' 'said "no more than 2 ever ran at once, and so many 4 times: a limit of 2 is suspected. One request cannot"'
{
  for ((i = 0; i < 40; i++)); do
    primary=$((40 + i * 37 % 90)) replica=$((45 + i * 53 % 60))
    first=$((primary < replica ? primary : replica))
    spans $i $((first + 30 + i % 7)) primary 2 $primary replica 32 $replica render $((first + 1)) $((first + 25 + i % 5))
  done | paste -sd, | sed 's/^/{"data":[/; s/$/]}/'
} >hedged.json
run trace path hedged.json
check "the first of two answers" 'exits 0' 'said "after the first of db/primary, db/replica"' '! said "undecided: rival db"'

{
  for ((i = 0; i < 9; i++)); do
    if [ $((i % 3)) -eq 0 ]; then spans $i 100 get 10 50 disk 60 90; else spans $i 60 get 10 50; fi
  done | paste -sd, | sed 's/^/{"data":[/; s/$/]}/'
} >cached.json
run trace path cached.json
check "two ways to make calls, and in what they differ" 'exits 0' 'said "make their calls in 2 ways"' \
  'said "3 33.3 % 7.4 .. 70.1 % 3 db/main, 1 db/disk more"'
run trace path cached.json --json
check "the same in JSON" 'json "map(select(.kind == \"flow\")) | .[0].differences == [] and .[1].differences == [{service: \"db\", operation: \"disk\", more: 1}]"'

run trace path all.json --request 5eed
check "no such request: 64" 'exits 64' quiet_out 'err "no request of these traces has the id \"5eed\""'
run trace path
check "no traces: 64" 'exits 64' quiet_out
run trace path nothing.json
check "no such file: 66" 'exits 66' quiet_out 'err "nothing.json: "'
# what a file exporter writes, and rotates: a line for each span, in five files of any order, some compressed, the last being written
jq -c '.data[] | .traceID as $t | .processes as $p | .spans[] | {resourceSpans: [{resource: {attributes: [{key: "service.name", value: {stringValue: $p[.processID].serviceName}}]},
  scopeSpans: [{spans: [{traceId: $t, spanId: .spanID, parentSpanId: (.references[0].spanID // ""), name: .operationName,
    startTimeUnixNano: "\(.startTime)000", endTimeUnixNano: "\(.startTime + .duration)000"}]}]}]}' all.json >lines.json
mkdir rotated again
split -n l/5 -d lines.json rotated/traces-2026-01-0 --additional-suffix=.json
cp rotated/* again
gzip again/traces-2026-01-001.json
zstd -q --rm again/traces-2026-01-002.json
mv again/traces-2026-01-000.json again/zz.json
run trace path lines.json
cp out whole
run trace path rotated
check "files of an exporter, as one" 'exits 0' 'cmp -s out whole'
run trace path again
check "their order and compression do not matter" 'exits 0' 'cmp -s out whole'
truncate -s -20 again/traces-2026-01-004.json
run trace path again --full
check "a line that is being written is left out, and said" 'exits 0' 'said "1 files end within an event, a document or a message; what is incomplete"'

# the same as a table
{
  echo trace,id,up,at,took,who,what
  jq -r '.data[] | .traceID as $t | .processes as $p | .spans[] | [$t, .spanID, .references[0].spanID // "", .startTime, .duration, $p[.processID].serviceName, .operationName] | @csv' all.json
} >all.csv
columns=trace=trace,span=id,parent=up,start:us=at,duration:us=took,service=who,name=what
run trace path all.csv --columns $columns
check "a table whose columns are given" 'exits 0' 'cmp -s out whole'
run trace path all.csv
check "without them: 65, and what to say" 'exits 65' quiet_out 'err "all.csv: "' 'err "--columns trace=KEY"'
run trace path all.json --columns $columns
check "columns that nothing needs: 64" 'exits 64' quiet_out 'err "leave it out"'
run trace fold all.csv --columns $columns --out all.fold
check "folded by columns" 'exits 0'
run tail all.csv --columns $columns --above p80
check "tail of it" 'exits 2' 'out "pay/charge"'
head -c 3000 all.json >cut.json
run trace path cut.json
check "a file that ends early: 65, and where" 'exits 65' quiet_out 'err "cut.json:"'
finish
