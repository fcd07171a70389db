#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every prediction that the authors of SLOWPOKE recorded, where their points are present, is reproduced
# by the calculator to the last printed digit; and so is their table of errors, with the trimming that
# it was made by and without it.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
points=../shared/data/slowpoke/recorded.csv.gz
if [ ! -f $points ]; then
  echo "# SKIP the recorded points: $points is not here"
  echo "ok 1 - no recorded points to reproduce # SKIP"
  echo 1..1
  exit 0
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
n=0
check() { # got, expected, title
  n=$((n + 1))
  if [ "$1" = "$2" ]; then echo "ok $n - $3"; else echo "not ok $n - $3: expected $2, got $1"; fi
}
"$BUILD/tailproof" whatif predict --points $points --format csv >"$scratch/out" 2>"$scratch/err"
check $? 0 "the recorded points are predicted"
rows=$(($(zcat $points | wc -l) - 1))
column() { python3 -c 'import csv, sys
for row in csv.DictReader(sys.stdin):
    if row["kind"] == sys.argv[1]: print(*(row[key] for key in sys.argv[2:]))' "$@" <"$scratch/out"; }
check "$(column point digits | wc -l)" "$rows" "each of them"
check "$(column points points recorded identical rounded other refused)" "$rows $rows $rows 0 0 0" "all bit for bit"
# The columns of predictions are ours from here on, beside what really became of the application.
paste -d, <(zcat $points | tr -d '\r') <(echo ours && column point digits) >"$scratch/both"
python3 - "$scratch/both" >"$scratch/table" <<'END'
import csv, math, sys
logs = {"boutique": ("061047bd", "9fa057f7"), "hotel": ("0fd977e2", "aa9950c9"), "movie": ("8c1928ba", "a4e8b696"), "social": ("0a67922f",)}
with open(sys.argv[1]) as file:
    head = next(csv.reader([next(file)]))
    rows = [dict(zip(head, row)) | {"ours": row[-1]} for row in csv.reader(file)]
root = lambda errors: math.sqrt(sum(e * e for e in errors) / len(errors))
for name, blobs in logs.items():
    levels = {}
    for row in rows:
        if row["blob"][:8] in blobs:
            levels.setdefault(row["target_processing_us_after"], []).append((float(row["groundtruth_rps"]), float(row["ours"])))
    paired = [100 * (p / t - 1) for level in levels.values() for t, p in level]
    trimmed = []
    for level in levels.values():
        truths, predictions = (sorted(column)[1:4] for column in zip(*level))
        trimmed += [100 * (p / t - 1) for t, p in zip(truths, predictions)]
    print(f"{name} {len(paired)} {root(trimmed):.2f} {min(trimmed):.2f} {max(trimmed):.2f} {root(paired):.2f} {min(paired):.2f} {max(paired):.2f}")
END
check "$(cat "$scratch/table")" "boutique 50 2.38 -2.88 4.25 2.39 -3.56 5.94
hotel 50 2.16 -2.29 4.88 2.99 -3.92 11.18
movie 50 1.95 -4.35 1.35 4.48 -27.46 2.07
social 50 1.74 -2.19 2.89 2.14 -3.26 4.97" "the published errors, trimmed as published, and of all repetitions paired"
echo "1..$n"
