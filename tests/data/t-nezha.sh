#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings of two systems in which a child often ends a little after its parent, where these are present: each
# service's share of the critical paths is near that of a plain walk back in time. Minutes with an injected fault, held
# against normal ones: the fault's service is the first cause of at least 80 % (TEST_ALL=1: of all 13), and none of normal
# minutes that are dealt at random. And what published SDKs wrote.
. "$(dirname "$0")/../tap.sh"
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
nezha=../shared/data/nezha sdk=../shared/data/sdk
if [ ! -f $nezha/walk.csv ] || [ ! -f $sdk/otel-js-sequential.json ]; then
  echo "# SKIP the recorded requests: $nezha or $sdk is not here"
  echo "ok 1 - no recorded requests to look at # SKIP"
  echo 1..1
  exit 0
fi
cat >"$scratch/shares.py" <<'END'
import collections, csv, json, subprocess, sys
program, folder, name = sys.argv[1:]
done = subprocess.run([program, "trace", "path", "--json", f"{folder}/{name}"], capture_output=True, text=True)
assert done.returncode == 0, done.stderr
spent = collections.Counter()
for line in map(json.loads, done.stdout.splitlines()):
    if line["kind"] == "part":
        spent[line["service"]] += int(line["ns"])
walk = {row["service"]: float(row["share_percent"]) for row in csv.DictReader(open(f"{folder}/walk.csv")) if row["file"] == name}
share = {service: 100 * ns / sum(spent.values()) for service, ns in spent.items()}
far = {s: (round(share.get(s, 0), 1), walk[s]) for s in walk if abs(share.get(s, 0) - walk[s]) > 3}
print(name, "far from the walk:", far)
sys.exit(bool(far) or not walk)
END
minutes='normal-boutique normal-ticket-1 normal-ticket-2 fault-06'
[ -n "${TEST_ALL:-}" ] && minutes=$(cut -d, -f1 $nezha/walk.csv | sed 1d | sort -u | sed 's/.json.gz//')
for name in $minutes; do
  said=$(python3 "$scratch/shares.py" "$BUILD/tailproof" $nezha $name.json.gz 2>&1)
  report $? "$name: within 3 points of the walk" "$said"
done
few=(--faults 05,09,11,13 --splits 1)
[ -n "${TEST_ALL:-}" ] && few=(--splits 10)
python3 tests/data/slow_minutes.py "$BUILD/tailproof" $nezha "${few[@]}" >"$scratch/minutes" 2>&1
said=$?
cat "$scratch/minutes"
report $said "the service with the fault is the first cause of 80 % of slower minutes, and nothing of dealt ones" \
  "$(cat "$scratch/minutes")"
"$BUILD/tailproof" trace path --json $sdk/otel-js-sequential.json >"$scratch/sequence"
grep -c '"kind":"part".*"requests":40' "$scratch/sequence" | grep -qx 4
report $? "Node.js: what is awaited in sequence is on every path"
"$BUILD/tailproof" trace path $sdk/otel-js-two-services.json >"$scratch/two"
grep -Eq '^  backend/work +[0-9.]+ ms +8[5-9]\.[0-9] %' "$scratch/two" && ! grep -q disagree "$scratch/two"
report $? "Node.js: the backend is where the time goes, and no clock is blamed" "$(cat "$scratch/two")"
finish
