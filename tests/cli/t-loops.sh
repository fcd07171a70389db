#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Why requests of an event loop are slow, what if, and the page: on logs of a loop of which
# everything is known, with and without what is planted in it.
. "$(dirname "$0")/tap.sh"
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "not ok 1 - a browser is missing (apt-get install chromium)"; exit 69; }
tool=$PWD/examples/node/known_log.py
cd "$scratch" || exit 1
for log in calm: 'spin:spin=40 use=1' 'seen:spin=40 looks=2' gc:gc=25 'both:spin=40 gc=25' disk:disk=30 pool:pool=12 \
  nokeys:pool=0 'unsaid:pool=12 said=0' 'other:pool=12 threads=4 said=1' 'always:pool=30 threads=32 each=1'; do
  python3 "$tool" "${log%%:*}" 3000 1 ${log#*:} || echo "not ok - the log ${log%%:*} was not made"
done
first() { jq -r 'select(.kind == "cause" and .route == "GET /" and .rank == 1).name' out; }
share() { jq -r 'select(.kind == "cause" and .route == "GET /" and .rank == 1).necessary | .count / .of' out; }

# --- tail ---
run tail spin --json
check "a callback that holds the loop is the first cause" 'exits 0' '[ "$(first)" = "held by immediate of GET /report" ]' \
  '[ "$(share)" = 1 ]' "jq -s -e 'any(.[]; .replays_exactly)' out >/dev/null"
check "the parts add up to the latency" "jq -s -e '[.[] | select(.kind == \"route\" and .route == \"GET /\").slow_ns] as [\$all] | [.[] | select(.kind == \"route_part\" and .route == \"GET /\" and (has(\"name\") | not)).slow_ns] | add - \$all | fabs < 4' out >/dev/null"
# The recorder saw one function in 12 of the 46 runs, another in 11, and looked at no others.
run tail seen --json
check "what was seen in a callback is no cause of its own" 'exits 0' '[ "$(first)" = "held by immediate of GET /report" ]' '[ "$(share)" = 1 ]' \
  '[ "$(jq -r "select(.kind == \"cause\" and .rank == 1).types" out)" = Immediate ]' \
  '[ "$(jq -r "select(.kind == \"seen\" and .route == \"GET /\") | \"\(.function) \(.looks) \(.of)\"" out)" = "report.js:9:3 sort 12 23
report.js:7:3 join 11 23" ]'
run tail seen --route 'GET /'
check "as text: who called it, and in how many looks" 'out "1. report.js:9:3 sort, called by report.js:20:1 makeReport  12 of 23"' '! out "is FSREQCALLBACK"'
run tail seen --route 'GET /' --full
check "the types of Node.js" 'grep -q "file is FSREQCALLBACK" <(tr -s " \n" " " <out)'
run tail gc --json
check "collections are the first cause" 'exits 0' '[ "$(first)" = "full collection" ]' '[ "$(share)" = 1 ]'
run tail disk --json
check "waits for files are the first cause" 'exits 0' '[ "$(first)" = "waits for file" ]'
run tail pool --json
check "waits for a thread of the pool are, by the route of what holds it" 'exits 0' '[ "$(first)" = "waits for a thread of the pool (1), held by pbkdf2 of GET /report" ]' '[ "$(jq -s "[.[] | select(.kind == \"cause\" and .route == \"GET /\")] | length" out)" = 1 ]'
run tail calm
check "nothing planted, nothing blamed" 'exits 2' 'out "Nothing stands out"' '! out "held by immediate"'
run tail calm --above p99.9 --route 'GET /'
check "of two slow requests nothing is told" 'exits 2' 'out "CANNOT TELL: 2 slow requests are too few; it takes 20. For p99.9 record 20000"'
run tail spin
check "as text: percentiles, parts and causes" 'exits 0' 'out "route        requests"' 'out "in the queue"' 'out "1. held by immediate of GET /report"' 'out "1 cause stands out of"'
run tail spin --route 'GET /rep*' --above p50
check "one route, and another percentile" 'out "GET /report: 23 of 46 requests are slow"' '! out "GET /:"'
run tail spin --route nothing
check "a route that there is not" 'exits 64' 'err "no request has that route; most have GET /"'
run tail spin --skip 8s --json
check "the first seconds are left out" '[ "$(jq -s "map(select(.kind == \"route\").requests) | add" out)" -lt 700 ]' '[ "$(jq -s "map(select(.kind == \"route\").requests) | add" out)" -gt 400 ]'
run tail spin --skip 100s
check "no request is left" 'exits 64' 'err "--skip 100s: the recording has no request after that"'
run tail spin --skip soon
check "a time that is none" 'exits 64' 'err "--skip soon: give a time with its unit, ns, us, ms or s (2s)"'
run tail spin --above p100
check "a percentile that there is not" 'exits 64' 'err "--above p100: give a percentile above 0 and below 100"'

# --- what if ---
# Of few waits nobody can tell whether they were long because of the plant, which they were not.
off() { jq -r --arg p "$1" 'select(.kind == "predicted" and .p == $p) | ((.replayed // .waits_as_recorded).ns / .observed.ns - 1) * 100 | fabs | floor' out; }
for plant in 'spin:Immediate: - 40 ms' 'gc:gc major: *0'; do
  run whatif latency "${plant%%:*}" --change "${plant#*:}" --observed calm --json
  check "without ${plant%%:*} it is what it really is without" 'exits 0' '[ "$(off 50)" -lt 3 ]' '[ "$(off 99)" -lt 10 ]' "! jq -s -e 'any(.[]; .missed)' out >/dev/null"
done
# Files wait for the threads that derive keys, in the log and not without them.
run whatif latency pool --change 'io pbkdf2 of GET /report: *0' --observed nokeys --root 'GET /' -p 50,90,99 --json
check "what waited for the thread finds it free without the keys" 'exits 0' \
  "jq -s -e '[.[] | select(.kind == \"predicted\")] | length == 3 and .[2].recorded.ns > 3 * .[2].observed.ns and all(.[]; (.replayed // .waits_as_recorded, .replayed // .waits_as_others).ns / .observed.ns | . > 0.99 and . < 1.01)' out >/dev/null"
run whatif latency pool --change 'io pbkdf2 of GET /report: *0.5' --root 'GET /' -p 99 --json
check "half as long they hold it half as long" 'exits 0' "jq -s -e 'any(.[]; .kind == \"predicted\" and ((.replayed // .waits_as_recorded).ns | . > 6e6 and . < 12e6))' out >/dev/null"
for log in 'unsaid:does not say how many threads' 'other:were done before a thread' 'always:has fewer than 20 others'; do
  run whatif latency "${log%%:*}" --change 'io pbkdf2 of GET /report: *0' -p 50,99
  check "of the pool of ${log%%:*} nobody can tell, and why" 'exits 2' 'grep -q "p50, p99: CANNOT TELL" out' "grep -q '${log#*:}' <(tr -s ' \\n' ' ' <out)" 'grep -q "To decide it, record" <(tr -s " \n" " " <out)' '! grep -q "[0-9] ms or" out'
done
run whatif latency unsaid --change 'io pbkdf2 of GET /report: *0' -p 50,99 --json
check "so for programs, without a number" 'exits 2' "jq -s -e '[.[] | select(.kind == \"predicted\")] | length == 2 and all(.[]; .answer == \"cannot tell\" and ([keys[] | select(startswith(\"replayed\") or startswith(\"waits\"))] | length) == 0)' out >/dev/null"
run whatif latency pool --change 'GET /report: *0' --root 'GET /' -p 50,99
check "whether work goes with the callbacks that ask for it has to be said" 'exits 2' '[ "$(grep -c "^ *p99 .*cannot tell" out)" = 1 ]' 'out "p99: CANNOT TELL: what is removed asked the thread pool for 46 pieces of work (pbkdf2"' 'grep -q "io pbkdf2 of GET /report: \*0., or \*1 if they stay" <(tr -s " \n" " " <out)'
for stays in 0 1; do
  run whatif latency pool --change 'GET /report: *0' --change "io pbkdf2 of GET /report: *$stays" --root 'GET /' -p 50,99 --json
  check "and then it is told: *$stays" 'exits 0' "jq -s -e --argjson stays $stays 'any(.[]; .p == \"99\" and ((.replayed // .waits_as_recorded).ns > 1e7) == (\$stays == 1))' out >/dev/null"
done
run whatif latency unsaid --change 'Immediate: *0' -p 50,99
check "what is not of the pool is told" 'exits 0' '! out "CANNOT TELL"'
# At most the requests that were under way wait for what collects instead: 1 % of handlers collect.
run whatif latency gc --change 'gc major: *0' -p 50,99
check "what full collections collected others have to" 'exits 0' 'out "full collections are removed"' 'grep -qE "^ *p50 .* ms *$" out' 'grep -qE "^ *p99 .* infinite *$" out'
run whatif latency gc --change 'gc major: *0.5' -p 50,99
check "shorter ones collect the same" 'exits 0' '! out "full collections are removed"' '! grep -qE "^ *p99 .* infinite *$" out'
# Whose garbage full collections collect is not recorded: they stay, or go with the callback.
for really in gc calm; do
  run whatif latency both --change 'Immediate: *0' --observed $really -p 50,99
  check "beside a removed callback, really $really" 'exits 0' 'out "full collections are outside of what is removed"' '! out "was really outside"'
done
run whatif latency both --change 'Immediate: *0' -p 99 --json
check "both are told" "jq -s -e 'any(.[]; .kind == \"predicted\" and .without_collections.ns < 3e6 and .waits_as_recorded.ns > 25e6)' out >/dev/null"
run whatif latency both --change 'Immediate: *0.5' -p 99 --json
check "half a callback leaves the same" "jq -s -e 'any(.[]; .kind == \"predicted\" and has(\"without_collections\") | not)' out >/dev/null"
run whatif latency spin --change 'gc: *0.5'
check "no collection is recorded" 'exits 64' "err \"--change 'gc: *0.5': none is recorded in this log\""
run whatif latency spin --change 'Immediate: *0' --skip 8s --observed calm --json
check "the first seconds are left out of the prediction" 'exits 0' '[ "$(jq "select(.kind == \"latency\").requests" out)" -lt 700 ]' '[ "$(jq "select(.kind == \"latency\").requests" out)" -gt 400 ]'
check "what ran behind the removed callback takes what others take" "jq -s -e 'any(.[]; .kind == \"latency\" and .behind > 100 and .behind_recorded_ns > 0 and .behind_as_others_ns > 0)' out >/dev/null"
run whatif latency spin --change 'Immediate: *0.5' --json
check "what is half removed leaves the same behind" "jq -s -e 'any(.[]; .kind == \"latency\" and .behind == 0)' out >/dev/null"
run whatif latency spin --change 'Immediate: *0' --skip 100s
check "no request is left to predict" 'exits 64' 'err "--skip 100s: the recording has no request after that"'
# A cause by the name that tail prints, by its route, by its type: the same.
changed() { jq -c 'select(.kind == "predicted") | [.p, .replayed.ns, .waits_as_recorded.ns]' out; }
run whatif latency seen --change 'Immediate: *0' --root 'GET /' --json
changed >by_type
for name in 'held by immediate of GET /report' 'immediate of GET /report' immediate; do
  run whatif latency seen --change "$name: *0" --root 'GET /' --json
  check "whatif knows '$name'" 'exits 0' '[ -s by_type ]' '[ "$(changed)" = "$(cat by_type)" ]'
done
run whatif latency seen --change 'GET /report: *0' --root 'GET /'
check "a route is all of its callbacks" 'exits 0' 'out "GET /report: *0: of 138 occurrences"'
run whatif latency disk --change 'waits for file: at most 2 ms' --root 'GET /'
check "a wait by its name" 'exits 0' 'out "of 3000 occurrences"'
run whatif latency gc --change 'full collection: *0' --root 'GET /'
check "a collection by its name" 'exits 0' 'out "full collections are removed"'
run whatif latency seen --change 'report.js:9: *0' --root 'GET /'
check "a function is changed where it was seen, and the rest is told" 'exits 0' \
  'grep -q "report.js:9: \*0: of 12 occurrences; seen in 12 of the 46 runs of immediate of GET /report that last" <(tr -s " \n" " " <out)' \
  'grep -q "and not the other 34 that last .* .immediate of GET /report: \*0. is of all" <(tr -s " \n" " " <out)'
run whatif latency seen --change 'makeReport: *0' --root 'GET /'
check "so is who called it" 'exits 0' 'out "makeReport: *0: of 23 occurrences; seen in 23 of the"'
run whatif latency spin --change 'Immediat: *0.5'
check "the nearest name" 'exits 64' 'err "no callback that ran is called Immediat; such as Immediate"'
run whatif latency spin --change 'load=60'
check "a change of traces" 'exits 64' "err \"'load=60' is of traces\""
run whatif latency spin --change 'Immediate: split 4' --change 'processes: 2' --change 'io: *0.9'
check "several changes" 'exits 0' 'out "Immediate: split 4: of 46 occurrences"' 'out "replayed"'
run whatif latency spin --change 'gc: *0.5' --confirm plan.yaml
check "what cannot be confirmed says what can be done" 'exits 64' 'err "--confirm is of traces"' 'err "record again, and name that recording with --observed"'
cat >traces.json <<'END'
{"data":[{"traceID":"t","spans":[{"traceID":"t","spanID":"a","operationName":"o","references":[],"startTime":1,"duration":2,"processID":"p"}],"processes":{"p":{"serviceName":"S"}}}]}
END
run whatif latency traces.json --change 'S: offload'
check "a change of event loops" 'exits 64' 'err "change event loops; traces do not show them"'
run whatif latency traces.json --change 'S: *0.5' --skip 2s
check "traces have no first seconds" 'exits 64' 'err "--skip is of event logs, not of traces"'

# --- the page ---
dump() { # PAGE: what the browser makes of it
  HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --user-data-dir="$scratch/profile" --virtual-time-budget=2000 --dump-dom "file://$scratch/$1" 2>browser.err
}
SOURCE_DATE_EPOCH=86400 run tail spin --plot spin.html
check "a page beside the usual output" 'exits 0' 'quiet_err' 'out "1 cause stands out"' '[ -s spin.html ]'
dump spin.html >dom
check "the browser shows bars, the request and its loop" '[ "$(grep -c "<figure" dom)" -eq 2 ]' 'grep -q "<h1>Why 29 of 3000 requests are slow</h1>" dom' \
  'grep -q "the loop, while it waited or ran" dom' 'grep -q "immediate of another request, GET /report" dom' 'grep -q "id=\"ledger\"" dom'
check "a route without slow requests has no row, a legend that is too wide goes on below" '[ "$(grep -c ">others</text>" dom)" -eq 1 ]' \
  'grep -qE "<text [^>]*x=\"[0-9]{1,3}(\.[0-9]+)?\" [^>]*>between callbacks<" dom'
check "how busy the loop was, and what the process used" 'grep -qE "the loop was busy, at most [1-9][0-9]* %" dom' 'grep -q "the process used of one processor, at most 60 %" dom' \
  'grep -qE "memory of the process, at most [6-8][0-9] MB" dom'
check "a cause leads to a request that shows it" 'grep -q "<a href=\"#request\">a request that shows it</a>" dom' 'grep -q "<section id=\"request\"" dom'
run tail pool --plot pool.html
dump pool.html >dom
check "and who holds the threads of the pool" 'exits 0' 'grep -q ">pool held by others<" dom' 'grep -qE "waiting for I/O for [0-9.]+ ms: a thread of the pool, held by pbkdf2" dom'
check "it fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" spin.html' 'grep -q "default-src .none." spin.html'
check "its drawings are well-formed" \
  'awk "/^<svg/ { n++; keep = 1 } keep { print > (\"drawing\" n \".svg\") } /^<\/svg>/ { keep = 0 }" spin.html' 'xmllint --noout drawing1.svg drawing2.svg drawing3.svg'
run tail spin --plot spin.svg --request 2
check "a picture, and another request" 'exits 0' 'xmllint --noout spin.svg'
run whatif latency spin --change 'Immediate: - 40 ms' --observed calm -p 50,99 --plot what.html
check "what if has a page" 'exits 0' 'out "replayed through the recorded loop"' '[ -s what.html ]'
dump what.html >dom
check "the browser shows before, after and what was observed" 'grep -q "<h1>What if the loop.s work were different</h1>" dom' 'grep -q "Immediate: - 40 ms: of 46 occurrences" dom' \
  'grep -q "recorded, 3000 requests" dom' 'grep -q "observed after the real change, 3000 requests" dom' 'grep -q "id=\"percentiles\"" dom' 'grep -q "id=\"ledger\"" dom'
run tail spin --request 1
check "a request is only drawn" 'exits 64' 'err "--request says nothing of event logs without --plot; leave it out"'
run tail spin --profile-offset 1s
check "an offset of no profile" 'exits 64' 'err "give --profile FILE, too"'
run tail spin --slow route=x --skip 9h
check "what traces do not use" 'exits 64' 'err "--skip says nothing of event logs that are taken as traces (--slow, --against); leave it out"'
touch empty.log && echo hello >other.txt
for bad in "typo 66 cannot be read" "empty.log 65 is empty" "other.txt 65 is text and no log of an event loop"; do
  read -r name code words <<<"$bad"
  for asked in tail "trace path"; do
    # shellcheck disable=SC2086
    run $asked spin $name
    check "$asked: $name beside a recording" "exits $code" "err '$name: $words'" quiet_out
  done
done
run tail spin/*
check "all files of a recording" 'exits 0'
for option in --dependence=unknown --data=. --unit=x=ms --seed=3; do
  run whatif latency spin --change 'spin: *0.5' $option
  check "whatif latency of logs: ${option%%=*}" 'exits 64' "err '${option%%=*} says nothing of event logs; leave it out'"
done
run tail spin --request 4000 --plot four.svg
check "a request that there is not" 'exits 64' 'err "give a number, 1 for the slowest request of GET /"'
finish
