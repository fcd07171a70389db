#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the storefront's traces lead to a proved bound that is the recorded latency, and each of its changes to other traces.
# Nothing here depends on how long anything takes.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
program=$BUILD/examples/storefront/storefront
out=$scratch/out

wrong "$program" "" "--out FILE is missing"
wrong "$program" "--out x --price-workers 3" "--price-workers"
wrong "$program" "--out x --mean-us 5" "--mean-us"

"$program" --out "$scratch/traces.json" --store "$scratch/stores" --requests 120 --mean-us 400
result $? "a run"
[ "$(jq '[.data[] | .spans | length == 9] | all' "$scratch/traces.json")" = true ] && [ "$(jq '.data | length' "$scratch/traces.json")" = 120 ]
result $? "a trace of nine spans for each request"
[ "$(jq '[.data[].spans | (map({(.spanID): .}) | add) as $s | $s.e.startTime >= ([$s.b, $s.c, $s.d | .startTime + .duration] | max)] | all' "$scratch/traces.json")" = true ]
result $? "commit is called when all three have answered"
"$tailproof" draft "$scratch/traces.json" --out "$scratch/draft" >"$out" && grep -q "120 requests, 1 flow" "$out"
result $? "one flow is drafted"
"$tailproof" verify --infer --write "$scratch/draft/front_buy.tp" >"$out" && grep -q "^1 proved, 0 refuted, 0 unknown$" "$out"
result $? "its bound is proved"
grep -q "component Until_front_ask_commit" "$scratch/draft/front_buy.tp" && [ "$(grep -c "^role" "$scratch/draft/front_buy.tp")" = 5 ]
result $? "commit waits for the others; three calls side by side are three nodes"
"$tailproof" replay "$scratch/draft/front_buy.tp" --traces "$scratch/traces.json" --json >"$out" &&
  [ "$(jq -s '.[0] | .fitting == 120 and .misfits == 0 and .bounds[0].closest_ns == .bounds[0].allowed_ns' "$out")" = true ]
result $? "every request follows it, and takes the bound exactly"
"$tailproof" percentiles "$scratch/draft/front_buy.tp" --joint "$scratch/draft/front_buy.csv" --observed request --exchangeable -p 50 --json >"$out" &&
  [ "$(jq -s '(map(select(.kind == "percentile" and .observation == "dominated")) | length == 1) and (map(select(.kind == "comparison"))[0].requests_above == 0)' "$out")" = true ]
result $? "its percentiles dominate what was observed"
"$tailproof" whatif latency "$scratch/traces.json" --change 'cart/get: *1' -p 50 --json >"$out" &&
  [ "$(jq -s '[.[] | select(.kind == "predicted") | .recorded.ns == .replayed.ns] | all' "$out")" = true ]
result $? "what-if without a change is what was recorded"

# What the services recorded through libtailproof-measure leads to the same, with the parts of front.
"$tailproof" draft "$scratch/stores" --out "$scratch/recorded" >"$out" && grep -q "120 requests, 1 flow" "$out"
result $? "one flow is drafted from the stores"
"$tailproof" verify --infer --write "$scratch/recorded/front_buy.tp" >"$out" && grep -q "^1 proved, 0 refuted, 0 unknown$" "$out"
result $? "its bound is proved"
grep -q "cost Until_front_before + Work_front_before" "$scratch/recorded/front_buy.tp" && [ "$(grep -c "^role" "$scratch/recorded/front_buy.tp")" = 5 ]
result $? "work is recorded as such"
"$tailproof" replay "$scratch/recorded/front_buy.tp" --traces "$scratch/stores" --json >"$out" &&
  [ "$(jq -s '.[0] | .fitting == 120 and .misfits == 0 and .bounds[0].closest_ns == .bounds[0].allowed_ns' "$out")" = true ]
result $? "every request follows it, and takes the bound exactly"
"$tailproof" percentiles "$scratch/recorded/front_buy.tp" --joint "$scratch/recorded/front_buy.csv" --observed request --exchangeable -p 50 --json >"$out" &&
  [ "$(jq -s '(map(select(.kind == "percentile" and .observation == "dominated")) | length == 1) and (map(select(.kind == "comparison"))[0].requests_above == 0)' "$out")" = true ]
result $? "its percentiles dominate what was observed"

# Every change is in the traces, by what a sleep takes at least.
times() { # FILE SPAN: the durations in us, by request
  jq -r --arg id "$2" '.data[].spans[] | select(.spanID == $id) | .duration' "$1"
}
"$program" --out "$scratch/far.json" --requests 20 --mean-us 400 --link-us 20000 &&
  [ "$(times "$scratch/far.json" c | sort -n | head -1)" -ge 20000 ]
result $? "a longer link is in every call of price"
"$program" --out "$scratch/slow.json" --requests 20 --mean-us 2000 --commit-percent 1000 &&
  [ "$(times "$scratch/slow.json" ee | sort -n | head -1)" -ge 4000 ]
result $? "a commit of ten times the work takes two means at least"
"$program" --out "$scratch/one.json" --requests 20 --mean-us 1000 --price-workers 1 &&
  [ "$(jq '[.data[].spans | (map({(.spanID): .}) | add) as $s | ([$s.cc, $s.dd | .startTime + .duration] | max) - ([$s.cc, $s.dd | .startTime] | min) >= 400] | all' "$scratch/one.json")" = true ]
result $? "with one worker the two prices take two shares of a mean at least, one after the other"
"$tailproof" replay "$scratch/draft/front_buy.tp" --traces "$scratch/far.json" "$scratch/slow.json" "$scratch/one.json" >"$out" &&
  grep -q "60 of 60 requests" "$out"
result $? "the changed services follow the protocol drafted before"
finish
