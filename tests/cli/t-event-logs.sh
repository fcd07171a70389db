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
check "a log without requests says what to do" 'exits 65' 'err "node.http among the categories"'
finish
