#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 7404 synchronous commits of a PostgreSQL, whose parts add up to what the client saw: taken row by
# row the bound is what was observed; taken apart as if independent it must not be believed.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
data=../shared/data/postgres
if [ ! -d "$data" ]; then
  echo "ok 1 - $data is not there, so no commits to calculate with # SKIP"
  echo 1..1
  exit 0
fi
command -v jq >/dev/null || { echo "not ok 1 - jq is missing (apt-get install jq)"; exit 69; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
check() { if [ "$2" = "$3" ]; then echo "ok $1 - $4"; else echo "not ok $1 - $4: expected $3, got $2"; fi; }
commits() {
  "$BUILD/tailproof" percentiles "$data/commit.tp" --law Queuing=0ns --set n=2 --set k=1 -p 50,90,99 --json "$@" \
    >"$scratch/out" 2>"$scratch/err"
  status=$?
}
# What the client saw, counted here: the 3702nd, 6664th and 7330th of 7404 (shares rounded up).
sorted=$(gzip -dc "$data/commit.csv.gz" | sed 1d | sort -n)
seen=$(for rank in 3702 6664 7330; do sed -n "${rank}p" <<<"$sorted"; done | paste -sd ' ')
check 1 "$seen" "1568181 10239823 19139745" "p50, p90 and p99 of what the client saw"

commits --joint "$data" --observed commit
holds() { # of each percentile: whether the interval has what was seen
  jq -sr --arg seen "$seen" '($seen | split(" ") | map(tonumber)) as $s | [.[] | select(.kind == "percentile")] |
    [range(3) as $i | .[$i] | (.lower_ns | tonumber) <= $s[$i] and .upper_ns != "infinite" and (.upper_ns | tonumber) >= $s[$i]] | map(tostring) | join(" ")' "$scratch/out"
}
check 2 "$status" 0 "row by row, nothing contradicts what was seen"
check 3 "$(holds)" "true true true" "row by row, the intervals are finite and have what was seen"
check 4 "$(jq -sr '[.[] | select(.kind == "comparison")][0].requests_above' "$scratch/out")" 0 "no commit took longer than the bound of its row"
commits --joint "$data" --observed commit --slo 'p99<18ms'
check 5 "$status $(jq -sr '[.[] | select(.kind == "slo")][0].state' "$scratch/out")" "4 broken in this run" "row by row, p99 is not below 18 ms"
commits --joint "$data" --slo 'p99<18ms'
check 6 "$status $(jq -sr '[.[] | select(.kind == "slo")][0].state' "$scratch/out")" "4 broken in this run" "nor without what the client saw"
commits --joint "$data" --slo 'p99<25ms'
check 7 "$status $(jq -sr '[.[] | select(.kind == "slo")][0].state' "$scratch/out")" "0 met" "row by row, p99 is below 25 ms"
check 8 "$(jq -sr '[.[] | select(.kind == "percentile" and .p == "99")][0].upper_ns | tonumber <= 1.25 * 19139745' "$scratch/out")" true "p99 at most is within 1.25 of what was seen"

commits --data "$data" --joint none --slo 'p99<18ms'
check 9 "$([ $status -ne 0 ] && jq -sr '[.[] | select(.kind == "slo")][0].state' "$scratch/out" | grep -c '^met$')" 0 "taken apart, it is not said that p99 is below 18 ms"
check 10 "$(grep -c 'warning: not independent: .*Receive.0 and Receive.1 (rank correlation 0.63)' "$scratch/err")" 1 "and the parts that are not independent are named"
check 11 "$(jq -r 'select(.kind == "assumption") | .text' "$scratch/out" | grep -c '^warning: not independent: .*, row by row; ')" 1 "in the ledger, too"
commits --data "$data" --joint none --observed commit --slo 'p99<18ms'
check 12 "$status" 66 "a column is no file where there is no table"
commits --data "$data" --joint none --observed "$data/commit.csv.gz" --slo 'p99<18ms'
check 13 "$([ $status -ne 0 ] && echo no)" no "what the client saw does not change that"

# a protocol that forgets the primary's fsync: the report names it, and the whole of it
sed '/^component Flush/d; s/Execute + Flush/Execute/' "$data/commit.tp" >"$scratch/forgot.tp"
"$BUILD/tailproof" percentiles "$scratch/forgot.tp" --law Queuing=0ns --set n=2 --set k=1 -p 50,90,99 --joint "$data" \
  --observed commit --json >"$scratch/out" 2>"$scratch/err"
named() { jq -r 'select(.kind == "missing") | [.what, .longer, (.parts | map(select(.cause).column) | join(",")), (.percentiles | all(.rest_ns == 0))] | map(tostring) | join(" ")' "$scratch/out"; }
check 14 "$(named)" "missing 7404 Flush true" "a forgotten fsync is named, as all of the missing time"
mkdir "$scratch/less"
for file in "$data"/*.csv.gz; do [ "${file##*/}" = Flush.csv.gz ] || cp "$file" "$scratch/less"; done
"$BUILD/tailproof" percentiles "$scratch/forgot.tp" --law Queuing=0ns --set n=2 --set k=1 -p 50,90,99 --joint "$scratch/less" \
  --observed commit --json >"$scratch/out" 2>"$scratch/err"
check 15 "$(jq -r 'select(.kind == "missing") | [.longer, (.parts | map(select(.cause)) | length)] | map(tostring) | join(" ")' "$scratch/out")" "7404 0" \
  "nor is another disk's blamed where nobody measured it"
echo 1..15
