#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Traces are folded on the workers of dask.distributed, two of which are killed: nothing is lost, and nothing counts
# twice. Needs python3-distributed; part of `make test-all`.
cd "$(dirname "$0")/../.." || exit 1
/usr/bin/python3 -c 'import distributed' 2>/dev/null ||
  { echo "not ok 1 - dask.distributed is missing (apt-get install python3-distributed)"; exit 69; }
BUILD=${BUILD:-build}
case $BUILD in /*) program=$BUILD/tailproof ;; *) program=$PWD/$BUILD/tailproof ;; esac
[ -x "$program" ] || { echo "not ok 1 - $program is not built"; exit 69; }
. tests/tap.sh
recipe=$PWD/examples/cluster/fold_dask.py
examples/cluster/shards.sh "$scratch/traces" 6 300
expected=$scratch/expected.fold
"$program" trace fold "$scratch"/traces/*.json --keep 2048 --out "$expected" >/dev/null

is_expected() { cmp "$1" "$expected" && [ ! -e "$1.parts" ]; }

TAILPROOF=$program "$recipe" --workers 2 --out "$scratch/plain.fold" "$scratch"/traces/*.json >"$scratch/log" 2>&1
check "two workers: the fold of all shards" is_expected "$scratch/plain.fold"

# Kills the worker that called it: once before the work, and once when the summary is written.
cat >"$scratch/deadly" <<END
#!/bin/bash
mkdir "$scratch/first" 2>/dev/null && { kill -KILL \$PPID; exit 1; }
"$program" "\$@" || exit
[[ \$* == *shard-3.json* ]] && mkdir "$scratch/second" 2>/dev/null && kill -KILL \$PPID
exit 0
END
chmod +x "$scratch/deadly"
TAILPROOF=$scratch/deadly "$recipe" --workers 2 --out "$scratch/killed.fold" "$scratch"/traces/*.json >"$scratch/log" 2>&1
check "two workers were killed" [ -d "$scratch/first" -a -d "$scratch/second" ]
check "nothing is lost, and nothing counts twice" is_expected "$scratch/killed.fold"

head -c 1000 "$scratch/traces/shard-2.json" >"$scratch/broken.json"
TAILPROOF=$program "$recipe" --workers 2 --out "$scratch/wrong.fold" "$scratch/traces/shard-1.json" "$scratch/broken.json" >"$scratch/log" 2>&1
check "a broken shard is named" grep -q "^fold_dask.py: .*/broken.json:" "$scratch/log"
check "and no sum is written" [ ! -e "$scratch/wrong.fold" ]
finish
