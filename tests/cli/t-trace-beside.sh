#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Stages that feed each other, pools within a request and queues of all requests: what is said of paths, and what would be.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
cat >make.py <<'END_OF_FILE'
"""make.py WAY REQUESTS FACTOR [twice]: `stream` (extract hands transform ten chunks, and takes FACTOR times as long;
with `twice` behind it each call is the span of a client, and in it that of the server), `pool` (six
queries through two connections), `queue` (all requests share one connection to sql, which takes FACTOR times as long).
A request on a line, in Jaeger's format."""
import json, random, sys
way, requests, factor = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
r = random.Random(1)
twice = sys.argv[4:] == ["twice"]
def trace(number, at, spans):
    name, services = "%032x" % (number + 1), sorted({s[2] for s in spans})
    return {"traceID": name, "processes": {s: {"serviceName": s} for s in services}, "spans": [
        {"traceID": name, "spanID": i, "operationName": o, "startTime": 1_700_000_000_000_000 + round(at + s), "processID": p,
         "duration": round(at + e) - round(at + s), "tags": [{"key": "span.kind", "type": "string", "value": kind[0]}] if kind else [],
         "references": [{"refType": "CHILD_OF", "traceID": name, "spanID": up}] if up else []}
        for i, up, p, o, s, e, *kind in spans]}
def stream():
    out, ready, here = [], [300.0] * 10, [0.0] * 10
    for service, mean, scale in (("ex", 1000, factor), ("tr", 500, 1)):
        now, start = 300.0, max(300.0, ready[0]) if service == "tr" else 300.0
        for k in range(10):
            now = max(now, ready[k]) + 100 + r.expovariate(1 / mean) * scale
            here[k] = now
        ready = list(here)
        if twice:
            out.append(("c" + service, "m", "web", "ask " + service, start - 20, now + 20, "client"))
            out.append((service, "c" + service, service, service, start, now, "server"))
        else:
            out.append((service, "m", service, service, start, now))
    return [("m", None, "web", "go", 0, ready[9] + 200)] + out
def pool():
    free, out = [300.0, 300.0], []
    for k in range(6):
        free.sort()
        start = free[0] + 100
        free[0] = start + 500 + r.expovariate(1 / 2000)
        out.append(("c%d" % k, "m", "db", "c%d" % k, start, free[0]))
    return [("m", None, "job", "batch", 0, max(free) + 250)] + out
if way == "queue":
    now, asked = 0, []
    for number in range(requests):
        now += r.expovariate(1 / 10000)
        asked.append((now + 200 + r.expovariate(1 / 1800), now, number, 300 + r.expovariate(1 / 6000)))
    free, done = 0, []
    for when, at, number, took in sorted(asked):
        start = max(when, free)
        free = start + took * factor
        done.append((number, at, start - at, free - at))
    for number, at, start, end in sorted(done):
        print(json.dumps(trace(number, at, [("m", None, "web", "go", 0, end + 500), ("s", "m", "sql", "query", start, end)])))
else:
    for number in range(requests):
        print(json.dumps(trace(number, number * 200_000, stream() if way == "stream" else pool())))
END_OF_FILE
file() { jq -sc '{data: .}'; }
for way in "stream 80" "pool 60" "queue 250"; do python3 make.py $way 1 | file >"${way% *}.json"; done
of() { jq -r "select(.kind == \"$1\") | $2" "$3"; }
p50() { jq -r 'select(.kind == "predicted") | .recorded.ns' "$1"; }

run trace path stream.json
check 'a stage that feeds another is said in words' 'said "Does ex/ex feed tr/tr?"'
"$program" trace path stream.json --json >path.out
check 'both readings have their numbers' \
  '[ "$(of part "select(.service == \"ex\") | (.ns | tonumber > 0), .ns_if_free" path.out | xargs)" = "true 0" ]'
"$program" whatif latency stream.json --change 'ex: *0.5' -p 50 --json >whatif.out
check 'what if it were faster: two numbers, for a stream' '[ "$(of undecided .of whatif.out)" = stream ]' \
  '[ "$(of predicted "(.replayed.ns | tonumber) < (.replayed_if_free.ns | tonumber)" whatif.out)" = true ]'
python3 make.py stream 80 0.5 | file >faster.json
"$program" whatif latency faster.json -p 50 --json >really.out
within() { [ "$(p50 really.out)" -gt "$(of predicted .between.lower_ns "$1")" ] && [ "$(p50 really.out)" -lt "$(of predicted .between.upper_ns "$1")" ]; }
check 'the program that is faster is between them' 'within whatif.out'
python3 make.py stream 80 1 twice | file >twice.json
"$program" whatif latency twice.json --change 'ex: *0.5' -p 50 --json >whatif.out
check 'so it is where client and server record each call' '[ "$(of undecided .of whatif.out)" = stream ]' 'within whatif.out'
jq -c '{data: .data[50:]}' stream.json >part-a.json
jq -c '{data: (.data[:50] | reverse)}' stream.json >part-b.json
answer() { "$program" trace path "$@" --json | jq -c 'select(.kind == "part" or .kind == "order")' | sort; }
check 'in however many files, in any order' 'cmp <(answer stream.json) <(answer part-b.json part-a.json)'
"$program" draft stream.json --out draft >/dev/null
check 'a draft lists it, and has no wait for it' 'grep -q "feeds .*, or not: no draft has it as a wait" draft/web_go.tp'

"$program" trace path pool.json --json >path.out
check 'a pool is decided' '[ "$(of limit "\"\(.limit) \(.verdict)\"" path.out)" = "2 pool" ]'
check 'and its calls wait for each other, not for their caller' \
  '[ "$(of part "select(.service == \"job\") | .share < 0.15" path.out)" = true ]'

"$program" whatif latency queue.json --change 'sql: *0.5' -p 50 --json >whatif.out
check 'one connection for all requests' '[ "$(of queue "\"\(.service) \(.servers)\"" whatif.out)" = "sql 1" ]'
python3 make.py queue 250 0.5 | file >faster.json
"$program" whatif latency faster.json -p 50 --json >really.out
check 'what is waited for it shrinks with it' \
  '[ "$(of predicted "(.replayed.ns | tonumber) / $(p50 really.out) | . > 0.95 and . < 1.05" whatif.out)" = true ]'
run trace path queue.json
check 'a path says that it waited' 'said "sql never served more than 1 call at once"'
run tail queue.json --above p90
check 'and so does a tail' 'said "sql never served more than 1 call at once"'
"$program" trace fold queue.json --keep 50 --out queue.fold >/dev/null
run trace path queue.fold --full
check 'a sample of the requests cannot' 'said "whether they waited for each other is not looked for"'
finish
