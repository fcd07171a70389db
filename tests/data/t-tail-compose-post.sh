#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The slowest of 12 recorded requests whose dependence is known from the service's source, where they are present: what each
# operation adds to its critical path, and what is usual (the lower median of the 12), are the known ones. That it is slow for
# these reasons and not by chance cannot be told from 12.
. "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
traces=../shared/data/traces
if [ ! -f $traces/expected.csv ]; then
  echo "# SKIP the recorded requests: $traces is not here"
  echo "ok 1 - no recorded requests to compare # SKIP"
  echo 1..1
  exit 0
fi
check() { if [ "$2" = "$3" ]; then echo "ok $1 - $4"; else echo "not ok $1 - $4: expected $3, got $2"; fi; }
file=$traces/deathstarbench/traces-12.json.gz
"$BUILD/tailproof" tail $file --request 109b94cbfd24cd51 --json >"$scratch/out"
check 1 $? 0 "one request is described"
python3 - $traces "$scratch/out" >"$scratch/facts" <<'END'
import collections, csv, gzip, json, sys
folder, out = sys.argv[1:]
slowest = "109b94cbfd24cd51"
names = {(t["traceID"], s["spanID"]): s["operationName"]
         for t in json.load(gzip.open(f"{folder}/deathstarbench/traces-12.json.gz"))["data"] for s in t["spans"]}
parts, traces = collections.defaultdict(collections.Counter), set()
for row in csv.DictReader(open(f"{folder}/expected.csv")):
    if row["method"] == "true" and row["file"].startswith("deathstarbench/") and (row["trace_id"], row["root_span"]) in names:
        traces.add(row["trace_id"])
        for part in row["path"].split(";"):
            span, us = part.rsplit("=", 1)
            parts[names[row["trace_id"], span]][row["trace_id"]] += round(float(us) * 1000)
known = {name: (by[slowest], sorted(by[t] for t in traces if t != slowest)[5]) for name, by in parts.items()}
causes = [json.loads(line) for line in open(out)]
causes = [c for c in causes if c["kind"] == "cause"]
ours = {c["name"].split("/", 1)[1]: (c["part_ns"], c["usual_ns"]) for c in causes}
ours = {name: both for name, both in ours.items() if both != (0, 0)}
known = {name: both for name, both in known.items() if both != (0, 0)}
print(len(traces), len(known))
print(*sorted(name for name in known.keys() | ours.keys() if known.get(name) != ours.get(name)))
first = sorted(ours, key=lambda name: ours[name][1] - ours[name][0])[:2]
print(*(f"{name} {(ours[name][0] - ours[name][1]) // 1000}" for name in first))
print(sum(both[0] for both in ours.values()))
END
check 2 "$(sed -n 1p "$scratch/facts" | cut -d' ' -f1)" 12 "twelve requests are known"
check 3 "$(sed -n 2p "$scratch/facts")" "" "every operation adds what is known, and has the known usual time"
check 4 "$(sed -n 3p "$scratch/facts")" "compose_text_client 3404 compose_post_server 3294" "the two largest excesses"
check 5 "$(sed -n 4p "$scratch/facts")" 13776000 "the parts add up to its latency"
"$BUILD/tailproof" tail $file --above p90 --json >"$scratch/out"
check 6 "$? $(jq -rs '[.[] | select(.kind == "tail")][0] | .verdict' "$scratch/out")" "2 too few requests" "twelve requests tell nothing from chance"
echo 1..6
