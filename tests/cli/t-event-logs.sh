#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Logs of event loops where traces are: `trace path`, `tail`, `whatif latency`, `draft`, `replay` and `trace fold` on a log
# of Node.js whose waits are known (examples/traces/node.py).
. "$(dirname "$0")/tap.sh"
make=$PWD/examples/traces/node.py
cd "$scratch" || exit 1
mkdir log
"$make" 400 >log/node_trace.1.log

run trace path log --json
check "each answered request has a chain" 'exits 0' 'quiet_err' json_lines 'json "map(select(.kind == \"paths\"))[0].requests == 400"'
check "the parts add up to the latency, and no order is a guess" \
  'json "(map(select(.kind == \"step\").ns) | add) == (map(select(.kind == \"request\"))[0].latency_ns)"' \
  'json "map(select(.kind == \"order\")) == []"'
check "two routes are two kinds, whichever of the files came last" \
  'json "map(select(.kind == \"flow\") | .requests) == [384, 16]"'
run trace path log
check "the slowest page waited while a report held the loop" 'exits 0' 'out "file wait #2"' 'said "is called wait"'
run trace path log --plot out.svg
check "a picture" 'exits 0' '[ -s out.svg ]' 'grep -q "file run" out.svg'

run tail log --above p90
check "tail" '[ $status -eq 0 ] || [ $status -eq 2 ]' 'out "requests are slow"'
run whatif latency log --change 'FSREQCALLBACK: *0.5' -p 50 --json
check "what if files came twice as fast" 'exits 0' 'json_lines'
run whatif latency log -p 50,99 --json
check "replay without a change is the recording" 'exits 0' \
  'json "map(select(.kind == \"predicted\") | .recorded == .replayed) | length == 2 and all"'

run draft log --out draft
check "draft" 'exits 0' '[ -s draft/node_http_page_id.tp ]'
run verify --infer --write draft/node_http_page_id.tp
check "what is drafted is proved" 'exits 0' 'said "reply: proved"'
run replay draft/node_http_page_id.tp --traces log
check "and the requests are runs of it" 'exits 0'

run trace fold log --out sum.fold
check "trace fold" 'exits 0' 'said "400 requests in 2 flows"'
run trace path sum.fold --json
check "a summary has the requests" 'exits 0' 'json "map(select(.kind == \"paths\"))[0].requests == 400"' \
  'json "map(select(.kind == \"order\")) == []"'

gzip -k log/node_trace.1.log
head -c 400000 log/node_trace.1.log >cut.log
run trace path cut.log --json
check "a file that ends anywhere is read; requests not answered are said" 'exits 0' \
  'out "files end within an event"' 'out "not answered when the recording ended"'
run trace path log/node_trace.1.log.gz --json
check "a compressed file" 'exits 0' 'json "map(select(.kind == \"paths\"))[0].requests == 400"'
run trace path log "$PWD/sum.fold"
check "a summary beside a log is refused" 'exits 64'
echo '{"data":[{"traceID":"1","spans":[{"traceID":"1","spanID":"2","operationName":"a","startTime":1,"duration":2}]}]}' >trace.json
run trace path log trace.json
check "a trace beside a log is refused" 'exits 65' 'err "trace.json: is traces of Jaeger and no log of an event loop, as the others are"'
sed '/http.server.request/d' log/node_trace.1.log >quiet.log
run trace path quiet.log
check "a log without requests says what to do" 'exits 65' 'err "quiet.log holds no HTTP request"' 'err "node.async_hooks,node.http,v8"'
# What Node.js writes without asynchronous operations: collections are no requests, and requests alone say nothing.
event() { printf '{"pid":7,"tid":7,"ts":%s,"ph":"%s","cat":"%s","name":"%s","dur":900%s}' "$@"; }
{
  printf '{"traceEvents":['
  for at in 1000 3000 5000; do event "$at" X v8 V8.GCScavenger '' && printf ,; done
  event 7000 B 'devtools.timeline,v8' MinorGC '' && printf ']}'
} >collections.log
for question in tail 'trace path' 'whatif latency --change gc:*0'; do
  read -ra words <<<"$question"
  run "${words[@]}" collections.log
  check "$question: collections are no requests" 'exits 65' 'err "collections.log holds no HTTP request: it is Node.js"'
done
{
  printf '{"traceEvents":['
  for at in 1000 3000 5000; do
    event "$at" b node,node.http http.server.request ",\"id\":\"$at\"" && printf ,
    event "$((at + 900))" e node,node.http http.server.request ",\"id\":\"$at\"" && printf ,
  done
  event 7000 X v8 V8.GCScavenger '' && printf ']}'
} >http.log
run tail http.log
check "requests without what they waited for" 'exits 65' 'err "nothing of what they waited for"'
# Spans that a program measured itself are spans, whatever else is in the file.
{
  printf '{"traceEvents":['
  for at in 1000 3000 5000; do event "$at" X node.perf.usertiming order '' && printf ,; done
  event 7000 X v8 V8.GCScavenger '' && printf ']}'
} >measured.json
run trace path measured.json
check "what a program measures itself is read as before" 'exits 0' 'out "7/order"'
printf 'interval, startTimestamp, endTimestamp, duration, type\n0, 1559909228676.4731, 1559909228676.922, 0.448974609375, V8.GCScavenger\n' >doctor.csv
run tail doctor.csv
check "Doctor's collections are refused by name" 'exits 65' 'err "doctor.csv holds no HTTP request: it has collections of garbage alone, of Clinic.js Doctor"'
finish
