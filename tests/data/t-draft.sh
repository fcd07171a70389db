#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Requests of DeathStarBench, where these are present: the drafted protocol has the waits that the program really has,
# every request follows it, its bound is proved, and it holds in each. Proofs with TEST_ALL=1 only.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
BUILD=${BUILD:-build}
program=$BUILD/tailproof
traces=../shared/data/traces/deathstarbench/traces-12.json.gz
if [ ! -f $traces ]; then
  echo "# SKIP the recorded requests: $traces is not here"
  echo "ok 1 - no recorded requests to draft from # SKIP"
  echo 1..1
  exit 0
fi
protocol=$scratch/draft/wrk2_api_post_compose.tp
table=${protocol%.tp}.csv
steps() { # ACTION: its text
  sed -n "/^action $1 /,/^}/p" "$protocol"
}

check "12 requests of 33 calls are one flow" "$program" draft $traces --out "$scratch/draft"
check "a node for each service, and no other" test "$(grep -c '^role ' "$protocol")" = 12
# compose_post starts four calls together, and stores when all four have answered (ComposePostHandler.h).
check "four calls are sent together" test "$(steps compose_post_server.Begin | grep -c '^  send Call_')" = 4
check "the last of them pays for what comes next" grep -q 'has_compose_media_server and has_compose_text_server and has_compose_unique_id_server' "$protocol"
check "text has two of its own" test "$(steps compose_text_server.Begin | grep -c '^  send Call_')" = 2
check "timelines follow one after the other" grep -q 'send Call_write_home_timeline_server' <<<"$(steps compose_post_server.On_write_user_timeline_server)"
check "format has nothing to change" cmp -s "$protocol" <("$program" format "$protocol")
check "every request follows it" grep -q ': 12 of 12 requests with its calls follow it' <<<"$("$program" replay "$protocol" --traces $traces | tr -s ' \n' ' ')"
check "a row for each request, with its latency" test "$(awk -F, 'NR > 1 { print $NF }' "$table" | sort -n | tail -1)" = 13776000

# The traces of other tools' tests: few requests, odd times, several roots. What is drafted of each is followed by it.
drafted=0
: >"$scratch/bad"
while read -r file; do
  drafted=$((drafted + 1))
  "$program" draft "$file" --out "$scratch/$drafted" --share 0 >"$scratch/log" 2>&1 || echo "draft $file" >>"$scratch/bad"
  for each in "$scratch/$drafted"/*.tp; do
    [ -z "${TEST_ALL:-}" ] || "$program" verify --infer --write "$each" >"$scratch/log" 2>&1 || echo "verify $file" >>"$scratch/bad"
    "$program" replay "$each" --traces "$file" >"$scratch/log" 2>&1 || echo "replay $file" >>"$scratch/bad"
  done
done < <(find ../shared/data/traces -name '*.json*' -not -path '*/deathstarbench/*' -not -path '*/dialects/*' | sort)
sed 's/^/# /' "$scratch/bad"
check "$drafted files of other tools: each request follows what was drafted" test "$drafted" -ge 50 -a ! -s "$scratch/bad"

if [ -n "${TEST_ALL:-}" ]; then
  check "the bound is found and proved" "$program" verify --infer --write "$protocol"
  check "every request takes it exactly" test "$("$program" replay --json "$protocol" --traces $traces | jq -s '.[0] | .fitting == 12 and .bounds[0].happened == 12 and .bounds[0].closest_ns == .bounds[0].allowed_ns')" = true
  "$program" percentiles "$protocol" --joint "$table" --observed request -p 50 >"$scratch/percentiles" 2>&1
  check "twelve requests are too few for a percentile" grep -qE '^  p50 .* cannot tell$' "$scratch/percentiles"
  check "the bound holds in every request" grep -q 'Each of the 12 requests took no longer than the bound' "$scratch/percentiles"
fi
finish
