#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests that last until their messages are consumed: below the producer, in the same trace, and in another.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
LIMIT=120

# OpenTelemetry's JSON, a span a line. The request ends 1 ms after its message is sent, and the consumer 5 to 30 ms later.
# `how`: below (the producer is the parent), link (of another trace), own (a link within the trace), batch (the consumer of
# each second request takes two messages), circle (two consumers link each other), lost (the producer is not recorded).
messages() { # how, how many
  awk -v how="$1" -v n="$2" '
    function some(m) { x = x * 16807 % 2147483647; return 1 + x % m }
    function link(trace, id) { return sprintf("{\"traceId\":\"%032x\",\"spanId\":\"%016x\"}", trace, id) }
    function span(trace, id, parent, service, name, kind, from, to, links) {
      printf "{\"resourceSpans\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"%s\"}}]},\"scopeSpans\":[{\"spans\":[{", service
      printf "\"traceId\":\"%032x\",\"spanId\":\"%016x\",\"parentSpanId\":\"%s\",\"name\":\"%s\",\"kind\":%d,\"links\":[%s],", trace, id, (parent ? sprintf("%016x", parent) : ""), name, kind, links
      printf "\"startTimeUnixNano\":\"%d000\",\"endTimeUnixNano\":\"%d000\"}]}]}]}\n", 1000000 * i + 137 + from, 1000000 * i + 137 + to
    }
    BEGIN {
      x = 7919
      for (i = 1; i <= n; i++) {
        sent = some(2000); done = sent + 300; queued = done + 700 + some(20000); end = queued + 4000 + some(5000)
        other = 100000 + i; trace = (how == "below" || how == "own" ? i : other)
        links = link(i, how == "lost" ? 99 : 2)
        if (how == "below") links = ""
        if (how == "batch") links = links "," link(i + 1, 2)
        if (how == "circle") links = link(i % 2 ? other + 1 : other - 1, 4)
        span(i, 1, 0, "web", "POST /order", 2, 0, done + 500, "")
        span(i, 2, 1, "web", "publish", 4, sent, done, "")
        if (how == "batch" && i % 2 == 0) continue
        span(trace, 3, how == "below" ? 2 : (how == "own" ? 1 : 0), "worker", "process", 5, queued, end, links)
        span(trace, 4, 3, "db", "insert", 3, queued + 500, end - 200, "")
      }
    }'
}

for how in below own link; do
  messages $how 60 >$how.json
  run trace path $how.json --follow messages --json
  check "$how: a request lasts until the consumer has ended, and its time in the queue is a kind of its own" 'exits 0' json_lines \
    'json "[.[] | select(.kind == \"paths\")][0] | .requests == 60 and .latency_ns > 60 * 10000000"' \
    'json "[.[] | select(.kind == \"part\" and .of == \"queue\")] | length == 1 and .[0].operation == \"publish\" and .[0].requests == 60"' \
    'json "[.[] | select(.kind == \"part\" and .operation == \"insert\")][0].requests == 60"'
  cp out $how.out
done
sed 's/, [0-9]* of these in other.*own"/"/' link.out >one
sed 's/, [0-9]* of these in other.*own"/"/' below.out >two
check "wherever the consumer was recorded" '[ "$(grep -c "\"kind\":\"part\"" one)" = 5 ]' \
  'diff <(grep "\"kind\":\"part\"" one) <(grep "\"kind\":\"part\"" two)'
run trace path link.json
check "without that it is another request" 'exits 0' 'out "All 120 requests"'
run trace path below.json
check "or nobody waits for it" 'exits 0' 'out "All 60 requests"' 'said "nobody waited for"'

# What console exporters of SDKs print, of the same spans: one by one, with links in a form of their own.
console() { # a span of Go's, Python's or Node.js's SDK, made of what follows
  jq -c '.resourceSpans[0] as $of | ($of.resource.attributes[0].value.stringValue) as $service | $of.scopeSpans[0].spans[0] |
    def date: (.[:-9] | tonumber | todate[:-1]) + "." + .[-9:] + "Z"; def us: tonumber / 1000; '"$1" link.json; }
console '{Name: .name, SpanContext: {TraceID: .traceId, SpanID: .spanId}, Parent: {SpanID: (if .parentSpanId == "" then "0000000000000000" else .parentSpanId end)},
  SpanKind: .kind, StartTime: (.startTimeUnixNano | date), EndTime: (.endTimeUnixNano | date), Status: {Code: "Unset"}, Attributes: null,
  Links: (if .links == [] then null else [.links[] | {SpanContext: {TraceID: .traceId, SpanID: .spanId, Remote: true}, Attributes: null}] end),
  Resource: [{Key: "service.name", Value: {Type: "STRING", Value: $service}}]}' >go.json
console '{name, context: {trace_id: "0x\(.traceId)", span_id: "0x\(.spanId)"}, parent_id: (if .parentSpanId == "" then null else "0x\(.parentSpanId)" end),
  kind: "SpanKind.\(["INTERNAL", "SERVER", "CLIENT", "PRODUCER", "CONSUMER"][.kind - 1])", start_time: (.startTimeUnixNano | date), end_time: (.endTimeUnixNano | date),
  status: {status_code: "UNSET"}, links: [.links[] | {context: {trace_id: "0x\(.traceId)", span_id: "0x\(.spanId)"}, attributes: {}}],
  resource: {attributes: {"service.name": $service}}}' >python.json
console '{resource: {attributes: {"service.name": $service}}, instrumentationScope: {name: "x"}, traceId, name, id: .spanId, kind: (.kind - 1),
  parentSpanContext: (if .parentSpanId == "" then null else {traceId, spanId: .parentSpanId} end), timestamp: (.startTimeUnixNano | us),
  duration: ((.endTimeUnixNano | us) - (.startTimeUnixNano | us)), status: {code: 0}, links: [.links[] | {context: {traceId, spanId}, attributes: {}}]}' >node.json
# Jaeger's, as its pages and its documents in Elasticsearch have them: a link is a reference into another trace.
span='. as $s | {traceID: .traceId, spanID: .spanId, operationName: .name, startTime: (.startTimeUnixNano | us),
  duration: ((.endTimeUnixNano | us) - (.startTimeUnixNano | us)), tags: [{key: "span.kind", type: "string", value: ["internal", "server", "client", "producer", "consumer"][.kind - 1]}],
  references: ([if .parentSpanId == "" then empty else {refType: "CHILD_OF", traceID: $s.traceId, spanID: .parentSpanId} end] +
    [.links[] | {refType: "FOLLOWS_FROM", traceID: .traceId, spanID: .spanId}])}'
console "$span"' | {traceID, spans: [. + {process: {serviceName: $service, tags: []}}]}' | jq -sc '{data: (group_by(.traceID) | map({traceID: .[0].traceID, spans: (map(.spans) | add)}))}' >jaeger.json
console "$span"' | {_id: "1", _source: (. + {startTimeMillis: 1, process: {serviceName: $service, tags: []}})}' >elastic.json
for tool in go python node jaeger elastic; do
  run trace path $tool.json --follow messages --json
  check "as links in other formats: $tool" 'exits 0' 'diff <(grep "\"kind\":\"part\"" link.out) <(grep "\"kind\":\"part\"" out)'
done

messages batch 60 >batch.json
run trace path batch.json --follow messages
check "a consumer of two messages is of both" 'exits 0' 'out "All 60 requests"' 'said "60 requests last until their 60 messages are consumed"'
messages circle 2 >circle.json
run trace path circle.json --follow messages
check "consumers in a circle are not lost" 'exits 0' 'out "All 3 requests"'
messages lost 3 >lost.json
run trace path lost.json --follow messages
check "no message whose sending was recorded" 'exits 65' 'err "holds no message"'
cat lost.json link.json >both.json
run trace path both.json --follow messages
check "links that lead nowhere are counted" 'exits 0' 'said "3 links of consumers lead to spans that are not recorded"'

run tail link.json --follow messages --above p80
check "tail names the queue" 'said "(in the queue)"'
run whatif latency link.json --follow messages --change 'db/insert: *0.5' -p 50 --json
check "what if the consumer were faster" 'exits 0' json_lines 'json "[.[] | select(.kind == \"predicted\")][0] | .recorded.ns == \"18008000\" and .replayed.ns == \"14996000\""'
run draft link.json --follow messages --out drafted
check "draft says how to replay" 'exits 0' 'said "--traces link.json --follow messages"' 'grep -q "TRACES --follow messages" drafted/web_post_order.tp'
run replay drafted/web_post_order.tp --traces link.json --follow messages
check "and each request follows" 'exits 0' 'out "60 of 60 requests"'
run replay drafted/web_post_order.tp --traces below.json --follow messages
check "as do those whose consumers are in the same trace" 'exits 0' 'out "60 of 60 requests"'
run replay drafted/web_post_order.tp x.tps --follow messages
check "stores have no messages of traces" 'exits 64' 'err "--follow is for --traces"'
run trace path link.json --follow messages --annotate out.json
check "joined traces are not written back" 'exits 64' 'err "leave out one of them"'
run trace fold link.json --out link.fold
run trace path link.fold --follow messages
check "a summary keeps no links" 'exits 64' 'err "keeps no links"'
finish
