#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Runs the lock's bound against the recorded rings of ../shared/data/performal (README there): every
# ring size and workload, components of the same configuration, d = half a round trip between two
# different hosts. Prints one row a configuration, in ns, and the first percentile at which the curve of the rounds
# exceeds that of the bound by more than chance ("chance": it does by no more), for independent occurrences and for any
# joint law; exits 2 when the folder is not there. No rounds are joined: docs/recorded_rings.md says why.
#   usage: performal.sh PROGRAM SCRATCH [CONFIDENCE]
set -eu
cd "$(dirname "$0")/.."
program=$1 scratch=$2 confidence=${3:-0}
data=../shared/data/performal
if [ ! -f $data/lock_final_test_1.csv.gz ] || [ ! -f $data/network_rtt_payload16_test.csv.gz ]; then
  echo "# SKIP the recorded rings: $data is not here"
  exit 2
fi
mkdir -p "$scratch"
rtt=$scratch/d.csv
# The files go host by host. By number of the observation, all hosts in turn, neighbours are neighbours in time.
{ echo rtt_ns; zcat $data/network_rtt_payload16_test.csv.gz | awk -F, 'NR > 1 && $1 != $2' | LC_ALL=C sort -s -t, -k3,3n | cut -d, -f4; } >"$rtt"
{ echo; zcat $data/lock_final_test_1.csv.gz | sed 1d | LC_ALL=C sort -s -t, -k5,5n; } | awk -F, -v scratch="$scratch" '
  BEGIN { name["grant"] = "Grant"; name["accept"] = "Accept"; name["round"] = "round" }
  NR > 1 {
    folder = scratch "/" $2 "_" $3
    if (!(folder in made)) { system("mkdir -p " folder); made[folder] = 1 }
    file = folder "/" name[$1] ".csv"
    if (!(file in begun)) { print "latency_ns" >file; begun[file] = 1 }
    print $6 >>file
  }'
format='%-5s %-8s %12s %12s %12s %12s %12s %12s   %-10s %s\n'
# shellcheck disable=SC2059
printf "$format" '' '' p50 '' '' p99 '' '' 'first percentile not dominated' ''
# shellcheck disable=SC2059
printf "$format" nodes workload observed independent 'any joint' observed independent 'any joint' independent 'any joint'
for nodes in 2 4 6 8 10; do
  for workload in 0 200 1000 5000; do
    folder=$scratch/${nodes}_$workload
    ln -f "$rtt" "$folder/d.csv"
    code=0
    "$program" percentiles specs/lock.tp --bound full_circle --set n=$nodes --data "$folder" --dependence both \
      --observed "$folder/round.csv" -p 50,99 --confidence "$confidence" --json >"$folder/out" 2>"$folder/warnings" || code=$?
    jq -rs --arg n $nodes --arg w "$workload" '
      def at(p; d): map(select(.kind == "percentile" and .p == p and .dependence == d))[0];
      def first(d): map(select(.kind == "comparison" and .dependence == d))[0] |
        if .dominates then "none" elif .within_chance then "chance" else "p" + .first_percentile end;
      [$n, $w + " us", at("50"; "independent").observed_ns, at("50"; "independent").upper_ns, at("50"; "unknown").upper_ns,
       at("99"; "independent").observed_ns, at("99"; "independent").upper_ns, at("99"; "unknown").upper_ns,
       first("independent"), first("unknown")] | @tsv' "$folder/out" |
      awk -F'\t' -v format="$format" '{ printf format, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 }'
    [ $code -le 3 ] || { cat "$folder/warnings" >&2; exit $code; }
  done
done
