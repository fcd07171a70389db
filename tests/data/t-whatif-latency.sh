#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What-if on traces whose programs are known, where these are present: what a call that is twice as fast gains is what
# the program would gain, or is left open.
. "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
traces=../shared/data/traces/ambiguous
if [ ! -d $traces/runs ]; then
  echo "# SKIP what-if on recorded requests: $traces is not here"
  echo "ok 1 - no recorded requests to change # SKIP"
  echo 1..1
  exit 0
fi
# The programs with the recorded durations, get foo2 taking half as long: chain1 = foo1, sleep, foo3 beside chain2 = foo2;
# and foo1 beside foo2, then foo3.
python3 - "$BUILD/tailproof" $traces >"$scratch/facts" <<'END'
import gzip, json, subprocess, sys
program, folder = sys.argv[1:]
def predicted(path, *more):
    done = subprocess.run([program, "whatif", "latency", "--json", "-p", "50,90", f"{folder}/{path}", *more], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines() if '"predicted"' in line]
def quantile(values, share):
    return sorted(values)[-(-int(share * 100) * len(values) // 100) - 1] * 1000
for name in ("gather-nested-chain", "gather-then-call"):
    truth = []
    for trace in json.load(gzip.open(f"{folder}/runs/{name}.json.gz"))["data"]:
        span = {s["operationName"]: (s["startTime"], s["startTime"] + s["duration"]) for s in trace["spans"]}
        main, one, two, three = (span[n] for n in ("main", "get foo1", "get foo2", "get foo3"))
        half = two[0] + (two[1] - two[0]) // 2
        last, ends = (three[1], (two[1], half)) if name == "gather-nested-chain" else (one[1], (two[1], half))
        truth.append(main[1] - main[0] - max(last, ends[0]) + max(last, ends[1]))
    for line in predicted(f"runs/{name}.json.gz", "--change", "shop/get foo2: *0.5"):
        right = quantile(truth, int(line["p"]) / 100)
        values = [int(line[key]["ns"]) for key in ("replayed", "replayed_if_free") if key in line]
        print(name, "p" + line["p"], "right" if right in values else f"WRONG {right} {values}")
for name, truth in (("01-gather-nested-chain", 503000000), ("02-gather-then-call", 403100000)):
    line = predicted(f"{name}.json", "--change", "shop/get foo2: *0.5")[0]
    values = sorted(int(line[key]["ns"]) for key in ("replayed", "replayed_if_free") if key in line)
    print(name, "open" if len(values) == 2 and values[0] - 500000 <= truth <= values[1] + 500000 else f"WRONG {values}")
END
report $? "the changed requests are replayed"
fact() { # NAME EXPECTED
  check "$1: $2" grep -qx "$1 $2" "$scratch/facts"
}
fact "gather-nested-chain p50" right
fact "gather-nested-chain p90" right
fact "gather-then-call p50" right
fact "gather-then-call p90" right
fact 01-gather-nested-chain open
fact 02-gather-then-call open
grep WRONG "$scratch/facts" | sed 's/^/# /'
finish
