#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Critical paths of recorded requests, where these are present, against those that other tools find and
# those that the programs really took. Where ours differs, docs/critical_paths.md must say so and why.
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
python3 - "$BUILD/tailproof" $traces docs/critical_paths.md >"$scratch/facts" <<'END'
import collections, csv, gzip, json, re, statistics, subprocess, sys
program, folder, page = sys.argv[1:]
expected = collections.defaultdict(dict)  # (file, trace): method: {span: us}
for row in csv.DictReader(open(f"{folder}/expected.csv")):
    if row["status"] == "ok":
        parts = (part.rsplit("=", 1) for part in row["path"].split(";") if part)
        expected[row["file"], row["trace_id"]][row["method"]] = {s: float(t) for s, t in parts if float(t)}
def ours(path, trace):
    done = subprocess.run([program, "trace", "path", "--json", "--request", trace, f"{folder}/{path}"], capture_output=True, text=True)
    assert done.returncode == 0, (path, trace, done.stderr)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    spent, rivals = collections.Counter(), set()
    for step in (line for line in lines if line["kind"] == "step"):
        spent[step["span"]] += step["ns"] / 1000
        if step["undecided"]:
            rivals |= {step.get("rival_span"), step["span"]}  # it waited for the rival, or for nobody
    latency = next(line["latency_ns"] for line in lines if line["kind"] == "request")
    assert sum(spent.values()) * 1000 == latency, (path, trace)
    assert sum(int(line["ns"]) for line in lines if line["kind"] == "part") == next(int(l["latency_ns"]) for l in lines if l["kind"] == "paths"), (path, trace)
    return {s: t for s, t in spent.items() if t}, rivals, lines
count = collections.Counter()
differing = set()
for (path, trace), methods in expected.items():
    spent, rivals, _ = ours(path, trace)
    count["requests"] += 1
    if "true" in methods:
        right, missed = spent == methods["true"], {s for s, t in methods["true"].items() if t > spent.get(s, 0)}
        kind = "runs" if "/runs/" in path else path.split("/")[0]
        count[f"{kind} {'right' if right else 'undecided' if rivals & missed else 'WRONG'}"] += 1
    else:
        agreed = [methods[m] for m in ("crisp", "jaeger-ui", "walk") if m in methods]
        if any(spent != other for other in agreed):
            differing.add(path)
        count["as all others" if all(spent == other for other in agreed) else "not as all others"] += 1
for (path, trace), methods in expected.items():  # the twelve recordings of one service, read together
    if path.startswith("deathstarbench/"):
        count["together " + ("right" if ours("deathstarbench/traces-12.json.gz", trace)[0] == methods["true"] else "WRONG")] += 1
spent_on = {}  # by recording of DeathStarBench, each alone: by operation, us
for path, trace in expected:
    if path.startswith("deathstarbench/"):
        spent_on[trace] = collections.Counter()
        for line in (line for line in ours(path, trace)[2] if line["kind"] == "step"):
            spent_on[trace][line["whose"].split("/", 1)[1]] += line["ns"] / 1000
slowest = max(spent_on, key=lambda trace: sum(spent_on[trace].values()))
print("slowest", slowest, round(sum(spent_on[slowest].values())))
excess = {name: spent_on[slowest][name] - statistics.median(on[name] for on in spent_on.values()) for name in spent_on[slowest]}
print("excess", *(f"{name}+{excess[name]:g}" for name in sorted(excess, key=excess.get)[:-6:-1]))
documented = set(re.findall(r"^\| `([^`]+)`", open(page).read(), re.M))
for key in sorted(count):
    print(key, count[key])
print("undocumented", *sorted(differing - documented))
print("outdated", *sorted(documented - differing))
END
report $? "every request with an expected path is read, and its parts add up to its latency"
fact() { # NAME EXPECTED
  got=$(sed -n "s/^$1 *//p" "$scratch/facts")
  [ "$got" = "$2" ]
  report $? "$1: $2" "got '$got'"
}
fact requests 94
fact "ambiguous right" 2
fact "ambiguous undecided" 4
fact "ambiguous WRONG" ""
fact "runs right" 40
fact "deathstarbench right" 10
fact "deathstarbench undecided" 2
fact "together right" 12
fact slowest "109b94cbfd24cd51 13776"
fact excess "compose_text_client+3399 compose_post_server+3293.5 compose_user_mentions_mongo_find_client+768.5 /wrk2-api/post/compose+763 write_user_timeline_mongo_insert_client+737"
fact undocumented ""
fact outdated ""
finish
