#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What changed between two recordings: what is planted is found, whether files, folders or summaries hold it; and mistakes.
. "$(dirname "$0")/tap.sh"

root=$PWD
cd "$scratch" || exit 1
python3 "$root/examples/traces/make.py" 400 >monday.json
python3 "$root/examples/traces/make.py" 400 after >tuesday.json

diff_is() { echo "[.[] | select(.kind == \\\"diff\\\")][0] | $1"; }
run trace diff monday.json tuesday.json --json
check "slower, and the interval is around it" 'exits 0' 'quiet_err' 'json_lines' \
  "json \"$(diff_is '.verdict == \"slower\" and .before == 400 and .after == 400 and .least_ns > 0 and .least_ns < .change_ns')\""
check "the service that is slower is named in both readings of orders" \
  'json "any(.[]; .kind == \"diff_service\" and .name == \"price\" and .significant and .either_way and .change_ns > 2e6)"'
check "the services add up to the latency" \
  'json "([.[] | select(.kind == \"diff_service\") | .change_ns] | add) - [.[] | select(.kind == \"diff\")][0].change_ns | fabs <= 5"'
check "what is on the path by one reading alone is marked" \
  'json "all(.[]; .kind != \"diff_cause\" or .name != \"audit/log\" or (.either_way | not))"'
check "the new call" 'json "[.[] | select(.kind == \"diff_call\") | [.service, .operation, .before, .after]] == [[\"tax\", \"rate\", 0, 400]]"'
check "the flow that is gone, and the new one" 'json "[.[] | select(.kind == \"diff_flow\") | [.calls, .before, .after]] == [[5, 400, 0], [6, 0, 400]]"'
cp out forward
run trace diff tuesday.json monday.json --json
check "the other way round" 'exits 0' "json \"$(diff_is '.verdict == \"faster\" and .most_ns < 0')\""
check "every change has the other sign" \
  '[ "$(jq -s "[.[] | select(.kind == \"diff_service\") | .change_ns] | sort" forward)" = "$(jq -s "[.[] | select(.kind == \"diff_service\") | -.change_ns] | sort" out)" ]'

run trace diff monday.json tuesday.json
check "in words" 'exits 0' 'said "400 requests before, 400 after."' 'said "Requests are slower after: on average by"' 'grep -q "^  price/quote .* yes$" out' \
  'grep -Eq "^    tax/rate +0.0 % +100.0 % " out' 'said "the recordings are of different times"'

mkdir before && jq -c '{data: .data[:150]}' monday.json >before/a.json && jq -c '{data: .data[150:]}' monday.json >before/b.json
run trace diff before tuesday.json --json
check "a folder" 'exits 0' 'cmp -s <(grep -v assumption out) <(grep -v assumption forward)'
run trace diff --before before/a.json --before before/b.json --after tuesday.json --json
check "several files" 'exits 0' 'cmp -s <(grep -v assumption out) <(grep -v assumption forward)'
for day in monday tuesday; do
  run trace fold $day.json --out $day.fold
done
run trace diff monday.fold tuesday.fold --json
check "summaries, which have no order in time" 'exits 0' "json \"$(diff_is '.verdict == \"slower\" and .after == 400')\"" \
  'json "any(.[]; .kind == \"assumption\" and (.text | startswith(\"summaries keep no times of day\")))"'
run trace diff monday.fold tuesday.json
check "a summary and traces" 'exits 64' 'err "one recording is a summary and the other is not; fold both"'

jq -c '{data: [.data | to_entries[] | select(.key % 2 == 0) | .value]}' monday.json >even.json
jq -c '{data: [.data | to_entries[] | select(.key % 2 == 1) | .value]}' monday.json >odd.json
run trace diff even.json odd.json
check "halves of one day" 'exits 2' 'said "CANNOT TELL: no difference is beyond chance."' 'said "both recordings are of the same time"'
run trace diff even.json monday.json --json
check "traces that are in both" 'json "any(.[]; .kind == \"assumption\" and (.text | startswith(\"warning: 200 traces are in both recordings\")))"'
jq -c '{data: .data[:19]}' tuesday.json >few.json
run trace diff monday.json few.json
check "too few" 'exits 2' 'said "CANNOT TELL: 400 requests before and 19 after; with fewer than 20 of each"' '! grep -q " yes$" out'
jq -c '{data: .data[:1]}' tuesday.json >one.json
run trace diff monday.json one.json --json
check "one request has no interval" 'exits 2' "json \"$(diff_is 'has(\"least_ns\") | not')\""

run trace diff monday.json monday.json
check "the same twice" 'exits 65' 'err "each trace of the second recording is in the first one, too"'
run trace diff monday.json
check "one recording" 'exits 64' 'err "name two recordings: trace diff BEFORE AFTER"'
run trace diff --before monday.json
check "no other side" 'exits 64' 'err "give both recordings"'
run trace diff --before monday.json --after tuesday.json more.json
check "files beside the options" 'exits 64' 'err "with --before and --after all files are named by them"'
run trace diff monday.json none.json
check "a file that is missing" 'exits 66' 'err "none.json"'
run trace diff monday.json tuesday.json -p 100
check "no percentile" 'exits 64'
run trace diff monday.json tuesday.json --root web/none
check "a root that none has" 'exits 64' 'err "--root web/none"'
finish
