#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Percentiles out of the files of other tools: one component from each, and what the ledger and the
# refusals say.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
protocol=$specs/primary_backup.tp
hey='response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset'
ask() { run percentiles "$protocol" --bound reply --set n=2 --data "$@" --confidence 0 --json -p 50; }

# Constants: 2 ms at most, 20 us, exactly 300 ns, 4 ms, 0.
mkdir tools
printf '%s\n' '# TYPE step_seconds histogram' 'step_seconds_bucket{le="0.001"} 0' 'step_seconds_bucket{le="0.002"} 9' \
  'step_seconds_bucket{le="+Inf"} 9' 'step_seconds_sum 0.01' 'step_seconds_count 9' >tools/PrimaryRequest.prom
printf '%s\n' '{"RequestedQPS": "8", "DurationHistogram": {"Count": 9, "Min": 0.00002, "Max": 0.00002, "Data": [' \
  '{"Start": 0.00002, "End": 0.00002, "Percent": 100, "Count": 9}]}, "RetCodes": {"200": 9}}' >tools/BackupRequest.json
printf '17000000000000000%02d,200,300,0,0,,,,%d\n' 1 1 2 2 3 3 >tools/PrimaryAck.csv
{ echo; echo "$hey"; printf '0.0040,0,0,0,0,0,200,0.%d\n' 1 2 3; } >tools/d.csv
gzip tools/d.csv tools/PrimaryRequest.prom
{ echo latency_ns; echo 0; } >tools/Queuing.csv
# hey rounds to 0.1 ms: 50 us more for each of two messages
upper=$((2000000 + 20000 + 300 + 2 * 4050000))
lower=$((1000000 + 20000 + 300 + 2 * 3950000))
ask tools
check "hey, vegeta, fortio and Prometheus together: the bounds of what they can mean" 'exits 0' \
  "json '[.[] | select(.kind == \"percentile\")][0] | (.upper_ns | tonumber | . >= $upper and . <= $upper * (1 + 7 / 1024))'" \
  "json '[.[] | select(.kind == \"percentile\")][0] | (.lower_ns | tonumber | . <= $lower and . >= $lower * (1 - 7 / 1024))'"
said() { json "[.[] | select(.kind == \"assumption\" and .source == \"data\") | .text] | any(test(\"$1\"))"; }
check "closed loops are named" 'said "d.csv.gz: each worker waits .*coordinated omission"' \
  'said "BackupRequest.json: fortio waits .*coordinated omission"' 'said "PrimaryAck.csv: vegeta sent .*open loop"'
check "what a format leaves open is named" 'said "d.csv.gz: times are whole multiples of what is printed, and may be up to 50 us off"' 'said "no request failed without an answer"' \
  'said "PrimaryRequest.prom.gz: the counts since the program started"'

cp -r tools failing
{ echo "$hey"; printf '0.0040,0,0,0,0,0,%d,0.1\n' 200 200 503 503 503; } | gzip >failing/d.csv.gz
ask failing
check "failed requests never end" 'exits 0' 'said "of 5 requests 3 failed and 0 were dropped"' \
  'json "[.[] | select(.kind == \"percentile\")][0].upper_ns == \"infinite\""'

# --- refused, one message each -------------------------------------------------------------------
refuses() { # title, file, content, words...
  rm -rf broken
  cp -r tools broken
  rm -f broken/d.*
  printf '%b' "$3" >"broken/$2"
  ask broken
  check "$1" 'exits 65' 'quiet_out || json_lines' '[ "$(wc -l <"$scratch/err")" -eq 1 ]' "err 'broken/$2:'" "err '$4'"
}
refuses "a t-digest, and why" d.tdigest '\0\0\0\1' 'bounds the error of its quantiles'
refuses "centroids in JSON" d.json '{"centroids": [{"mean": 1}]}' 'bounds the error of its quantiles'
refuses "a summary of Prometheus" d.prom 'a_seconds{quantile="0.99"} 1\n' 'have no error bound'
refuses "a histogram without a unit" d.prom 'a_bucket{le="1"} 1\na_bucket{le="+Inf"} 1\na_count 1\n' '--unit NAME=s'
refuses "an exposition that is cut off" d.prom 'a_seconds_bucket{le="1"} 1\n' 'truncated'
refuses "a table of hey that is cut off" d.csv "$hey\n0.1,0,0,0,0,0,200,0." 'truncated'
refuses "a count above 2^63" d.prom 'a_seconds_bucket{le="1"} 9223372036854775808\n' 'from 0 to 2^63-1'
refuses "an exposition under another name" d.csv 'a_seconds_bucket{le="1"} 1\n' 'rename it to .prom'
finish
