#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which recorded requests a question is asked about: --root, --where, --from, --to, --status, in each command that asks of traces; and
# that several roots are said, and told as what separates slow from fast.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

# 200 requests, one a second from 2023-11-14T22:13:20Z: every tenth a report that scans 100 ms, the others items that get 3 ms. The first
# half is of the region eu; every 20th item failed.
jq -n '{data: [range(200) as $i | (1700000000000000 + $i * 1000000) as $t | ($i % 10 == 3) as $report |
  ((if $report then 100000 else 3000 end) + $i * 37 % 900) as $work | {traceID: "t\($i)", processes: {p: {serviceName: "web"}, q: {serviceName: "db"}}, spans: [
    {traceID: "t\($i)", spanID: "a", operationName: (if $report then "report" else "item" end), startTime: $t, duration: ($work + 2000), processID: "p",
     tags: [{key: "error", type: "bool", value: ($i % 20 == 0)}]},
    {traceID: "t\($i)", spanID: "b", operationName: (if $report then "scan" else "get" end), references: [{refType: "CHILD_OF", traceID: "t\($i)", spanID: "a"}],
     startTime: ($t + 1000), duration: $work, processID: "q", tags: [{key: "region", type: "string", value: (if $i < 100 then "eu" else "us" end)}]}]}]}' >traces.json

requests='map(select(.kind == \"paths\"))[0].requests'
run trace path traces.json --json
check "all, and that roots are mixed" 'exits 0' "json \"$requests == 200\"" \
  'json "any(.[]; .kind == \"assumption\" and (.text | startswith(\"requests of 2 different roots are taken together (web/item 180, web/report 20)\")))"'
check "the own time of what was called is no network" 'json "all(.[]; .kind != \"part\" or .of == \"work\")"'
count() { # WHAT NUMBER OPTION...
  local what=$1 number=$2
  shift 2
  run trace path traces.json --json "$@"
  check "$what" 'exits 0' "json \"$requests == $number\"" "json 'any(.[]; .kind == \"assumption\" and (.text | startswith(\"asked about $number of the 200 requests\")))'"
}
requests='map(select(.kind == \"paths\"))[0].requests'
count "by root" 20 --root web/report
count "by a pattern of it" 180 --root '*/i*'
count "by a tag of any span" 100 --where region=us
count "from then on" 150 --from 2023-11-14T22:14:10Z
count "until before" 50 --to 1700000050
count "both, and the root" 5 --from 1700000000 --to 1700000050 --root web/report
count "that failed" 10 --status error
count "that did not" 190 --status ok
count "that failed there" 5 --status error --where region=eu

run trace path traces.json --root nothing
check "a root that none has" 'exits 64' 'err "--root nothing: the root of no request is called so; there are web/item 180, web/report 20"'
run trace path traces.json --where region=mars
check "a tag that none has" 'exits 65' "err \"none of the 200 requests is as was asked for: --where 'region=mars'\""
run trace path traces.json --from yesterday
check "no moment" 'exits 64' 'err "--from yesterday: give a moment such as"'
run trace path traces.json --from 1700000050 --to 1700000000
check "the wrong way round" 'exits 64' 'err "--from 1700000050 is not before --to 1700000000"'
run trace path traces.json --status maybe
check "no status" 'exits 64'

run tail traces.json --above p90 --json
check "tail: the root separates slow from fast" 'exits 0' \
  'json "[.[] | select(.kind == \"tag\" and .key == \"root\") | [.value, .slow, .rest]] == [[\"web/report\", 20, 0]]"'
jq -cn '{data: [range(2400) as $i | (1700000000000000 + $i * 100000) as $t | ($i % 16 == 3) as $report | ($i * 7919 % 2400) as $r |
  ((if $report then 90000 + $r * 7 elif $i % 50 == 1 then 28000 + $r else 3000 + $r end)) as $work |
  {traceID: "t\($i)", processes: {p: {serviceName: "web"}, q: {serviceName: (if $report then "dw" else "kv" end)}}, spans: [
    {traceID: "t\($i)", spanID: "a", operationName: (if $report then "report" else "item" end), startTime: $t, duration: ($work + 2000), processID: "p"},
    {traceID: "t\($i)", spanID: "b", operationName: "ask", references: [{refType: "CHILD_OF", traceID: "t\($i)", spanID: "a"}],
     startTime: ($t + 1000), duration: $work, processID: "q"}]}]}' >mixed.json
first='[.[] | select(.kind == \"cause\" and .significant)][0].name'
run tail mixed.json --json
check "tail: p99 of each root, and what is slow in it" 'exits 0' "json \"$first == \\\"kv/ask\\\"\"" \
  'json "[.[] | select(.kind == \"tail\")][0] | .slow == 23 and (has(\"threshold_ns\") | not)"'
run tail mixed.json
check "tail: that is said" 'said "23 of 2400 requests are slow: they take longer than p99 of their root, of which there are 2."'
run tail mixed.json --above p99 --json
check "tail: of all together it is the slow root" 'exits 0' "json \"$first == \\\"dw/ask\\\"\"" \
  'json "any(.[]; .kind == \"tag\" and .value == \"web/report\")"'
run tail traces.json --root web/item --above p80 --json
check "tail: of one root" 'exits 0' 'json "[.[] | select(.kind == \"tail\")][0].requests == 180"' 'json "all(.[]; .kind != \"tag\" or .key != \"root\")"'
run tail traces.json --slow region=us --against region=eu --json
check "tail: the label itself is no finding" 'json "all(.[]; .kind != \"tag\" or (.key | endswith(\"region\") | not))"'
run draft traces.json --out drafted --root web/item
check "draft: one root alone" 'exits 0' '[ "$(ls drafted/*.tp | wc -l)" -eq 1 ]' 'out "asked about 180 of the 200"'
run whatif latency traces.json --change 'db: *0.5' --where region=us --json
check "whatif latency" 'exits 0' 'json "any(.[]; .kind == \"assumption\" and (.text | startswith(\"asked about 100 of the 200\")))"'

run trace fold traces.json --out all.fold
run trace fold traces.json --out us.fold --where region=us
check "fold" 'exits 0' 'out "us.fold: 100 requests"' 'out "asked about 100 of the 200"'
run trace fold traces.json --out none.fold --where region=mars
check "fold: none, and no file" 'exits 65' '[ ! -e none.fold ]'
run trace path all.fold --root web/report --json
check "a summary knows roots" 'exits 0' "json \"$requests == 20\""
for option in --where=region=us --from=1700000000 --to=1700000000 --status=ok; do
  run trace path all.fold "$option"
  check "a summary does not know ${option%%=*}" 'exits 64' 'err "a summary keeps no tags and no times of day"'
done
printf 'latency_ms,a_ms\n1,1\n2,1\n' >table.csv
run tail table.csv --root x
check "a table has no roots" 'exits 64' 'err "choose among traces"'
finish
