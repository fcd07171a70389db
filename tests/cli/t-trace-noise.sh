#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a few late ends, clients that give up and coarse clocks do to every answer about recorded requests.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
cat >make.py <<'END'
"""front/main calls front/ask, a client's span, which calls back/work: make.py REQUESTS LATE WAY. WAY: `none` (no kinds;
work ends late in LATE requests), `gave-up` (ask fails at 60 ms there, work goes on to 100 ms), `node` (three steps one
after the other as OpenTelemetry for Node.js writes them). A request on a line."""
import json, random, sys
requests, late, way = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
r = random.Random(1)
def trace(number, spans):
    hosts = {p: {"serviceName": s, "tags": [{"key": "hostname", "type": "string", "value": "h"}]}
             for p, s in (("f", "front"), ("b", "back"))}
    name = "%032x" % (number + 1)
    return {"traceID": name, "processes": hosts, "spans": [
        {"traceID": name, "spanID": i, "operationName": o, "startTime": s // 1000, "duration": (e - s) // 1000, "processID": p,
         "references": [{"refType": "CHILD_OF", "traceID": name, "spanID": up}] if up else [],
         "tags": [{"key": k, "type": "string", "value": v} for k, v in tags.items()]} for i, up, p, o, s, e, tags in spans]}
for number in range(requests):
    at = 1_700_000_000_000_123_000 + number * 200_000_000
    is_late = number * late // requests != (number + 1) * late // requests
    work = int(1e6) * r.randint(10, 20) + 1000 * r.randint(0, 999)
    if way == "node":
        cut = lambda t: t - t % 1_000_000
        at += r.randint(0, 999) * 1000
        lengths = [1000 * r.randint(1500, 6000) for _ in range(3)]
        starts = [at + 20_000 + sum(lengths[:k]) + k * 5000 for k in range(3)]
        spans = [("m", None, "f", "main", cut(at), cut(at) + starts[2] + lengths[2] + 20_000 - at, {})]
        spans += [(n, "m", "f", n, cut(s), cut(s) + l, {}) for n, s, l in zip(("auth", "query", "render"), starts, lengths)]
    else:
        gave_up = way == "gave-up" and is_late
        worked = 100_000_000 if gave_up else work
        end = at + 500_000 + (60_000_000 if gave_up else work)
        kind = (lambda k: {"span.kind": k}) if way == "gave-up" else lambda k: {}
        after = 30_000 if is_late else -100_000
        spans = [("m", None, "f", "main", at, end + 1_000_000, kind("server")),
                 ("a", "m", "f", "ask", at + 500_000, end, kind("client") | ({"error": "true"} if gave_up else {})),
                 ("w", "a", "b", "work", at + 700_000, at + 500_000 + worked if gave_up else end + after, kind("server"))]
    print(json.dumps(trace(number, spans)))
END
lines() { python3 make.py "$@"; }
file() { { echo '{"data":['; paste -sd,; echo ']}'; } >"$1"; }
share() { echo "(map(select(.kind == \\\"part\\\" and .operation == \\\"$1\\\") | .$2 | tonumber) | add) / (map(select(.kind == \\\"paths\\\"))[0].latency_ns | tonumber)"; }

for way in none gave-up; do
  lines 500 1 $way | file one.json
  run trace path one.json --json
  check "$way: one late end of 500 strikes nothing" 'exits 0' "json \"$(share work ns) > 0.85\"" "json \"$(share work ns_if_free) > 0.85\""
  run whatif latency one.json --change 'back: *0.5' -p 50 --json
  check "$way: half the work saves half" 'exits 0' 'json "map(select(.kind == \"predicted\"))[0] | (.replayed.ns | tonumber) < 0.65 * (.recorded.ns | tonumber) and (has(\"replayed_if_free\") | not)"'
  lines 500 60 $way | file some.json
  run trace path some.json
  check "$way: 60 of 500 are undecided, with both numbers" 'exits 0' 'out "share if nothing"' \
    'said "wait for back/work? In 60 of 500 requests it had not ended by then. More such requests would not decide it: it differs by request."'
  run trace path some.json --json
  check "$way: and in JSON" 'exits 0' "json \"$(share work ns) > 0.85 and $(share work ns_if_free) < 0.6\"" \
    'json "map(select(.kind == \"order\" and .before == \"back/work\"))[0] | .verdict == \"undecided\" and .refuted == 60 and .held == 440"'
  run whatif latency some.json --change 'back: *0.5' -p 50,95
  check "$way: what-if names the order" 'exits 0' 'said " waits for back/work, or not: 60 of 500 requests speak against it"' 'out " or "'
  run tail some.json --above p80
  check "$way: tail gives both" 'said "or it differs by request; each is read as a wait"' 'said "if no undecided order is a wait"'
  run draft some.json --out "drafted-$way"
  check "$way: a draft says what it takes for a wait" 'exits 0' 'said "--undecided waits, --undecided free"' \
    'grep -q "^#   back/work before the end of front/ask (in 440 of 500: it differs by request)" drafted-$way/*.tp'
  run verify --infer --write "drafted-$way/front_main.tp"
  check "$way: the server's time is in the bound that is proved" 'exits 0' 'out "1 proved"' \
    'grep -q "within .*Work_back_work" drafted-$way/front_main.tp'
  run replay "drafted-$way/front_main.tp" --traces some.json
  check "$way: and every request keeps it" 'exits 0' 'out "500 of 500 requests with its calls follow it"' \
    'said "60 spans end after their caller and are waited for elsewhere"'
done

lines 500 300 none | file most.json
run trace path most.json --json
check "late in more than half: apart" 'exits 0' "json \"$(share work ns) == 0\"" \
  'json "map(select(.kind == \"part\" and .of == \"network\" and .ns != \"0\")) == []"'

lines 300 0 node | file node.json
run trace path node.json --json
check "Node.js: three steps in sequence are on all paths" 'exits 0' "json \"$(share main ns) < 0.2\"" \
  'json "map(select(.kind == \"part\" and .operation != \"main\") | .requests) == [300, 300, 300]"' \
  'json "map(select(.kind == \"order\" and .verdict == \"refuted\")) == []"'
run trace path node.json --full
check "and the report says that starts are cut" 'exits 0' 'said "some processes start spans at whole milliseconds only"'

# One answer, in however many files, in whatever order, and as a sum of summaries.
lines 400 40 gave-up >all.lines
file all.json <all.lines
split -n l/3 all.lines part.
for part in part.??; do file "$part.json" <"$part"; done
shuf --random-source=<(yes) all.lines | python3 -c 'import json, sys
for line in sys.stdin:
    trace = json.loads(line)
    trace["spans"].reverse()
    print(json.dumps(trace))' | file shuffled.json
answer() { "$program" trace path "$@" --json | jq -c 'select(.kind == "part" or .kind == "order" or .kind == "paths")' | sort; }
answer all.json >expected
check "there is an answer" '[ -s expected ]' 'grep -q undecided expected'
check "in three files" 'answer part.??.json | cmp - expected'
check "in another order" 'answer shuffled.json | cmp - expected'
for part in part.??; do "$program" trace fold "$part.json" --out "$part.fold" >/dev/null; done
"$program" trace merge part.ac.fold part.aa.fold part.ab.fold --out sum.fold >/dev/null
check "as a sum of summaries" 'answer sum.fold | cmp - expected'
"$program" trace fold all.json --keep 50 --out small.fold >/dev/null
run trace path small.fold --json
check "a summary that keeps 50 of them" 'exits 0' \
  'json "map(select(.kind == \"order\" and .before == \"back/work\"))[0] | .verdict == \"undecided\" and .refuted == 40 and .held == 360"'
finish
