#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Recordings of two systems in which a child often ends a little after its parent, where these are present: each
# service's share of the critical paths is near that of a plain walk back in time. And what published SDKs wrote.
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
for name in normal-boutique normal-ticket-1 normal-ticket-2 fault-06; do
  said=$(python3 "$scratch/shares.py" "$BUILD/tailproof" $nezha $name.json.gz 2>&1)
  report $? "$name: within 3 points of the walk" "$said"
done
"$BUILD/tailproof" trace path --json $sdk/otel-js-sequential.json >"$scratch/sequence"
grep -c '"kind":"part".*"requests":40' "$scratch/sequence" | grep -qx 4
report $? "Node.js: what is awaited in sequence is on every path"
"$BUILD/tailproof" trace path $sdk/otel-js-two-services.json >"$scratch/two"
grep -Eq '^  backend/work +[0-9.]+ ms +8[5-9]\.[0-9] %' "$scratch/two" && ! grep -q disagree "$scratch/two"
report $? "Node.js: the backend is where the time goes, and no clock is blamed" "$(cat "$scratch/two")"
finish
