#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# All formats of an answer say the same numbers (agree.py), and others' programs read them: promtool, xmllint, jq.
. "$(dirname "$0")/tap.sh"

root=$PWD
cd "$scratch" || exit 1
ln -s "$root/specs" "$root/examples" .
run explain --schema
cp out schema.json
check "the schema is JSON" 'exits 0' 'jq -e ".anyOf | length > 20" out >/dev/null'

# name, then a command: once in each format.
agree() { # promtool takes _b_ for bytes, and a summary for a type
  local name=$1 format
  shift
  for format in text json markdown csv html prometheus; do
    SOURCE_DATE_EPOCH=86400 run "$@" --format $format $([ $format = text -o $format = markdown ] && echo --full)
    cp out "$name.$format"
  done
  last="$*"
  check "$name: the formats agree" '"$root/tests/cli/agree.py" $name.{text,json,markdown,csv,html,prometheus} schema.json >said; code=$?; cat said >&2; [ $code -eq 0 ]'
  check "$name: promtool takes the metrics" 'promtool check metrics <$name.prometheus >lint 2>&1; grep -vE "_compared_b_|summary_" lint >&2; [ ${PIPESTATUS[0]} -ne 0 ]'
  check "$name: CSV is one table" 'python3 -c "import csv,sys; rows = list(csv.reader(open(sys.argv[1], newline=\"\"))); sys.exit(len({len(r) for r in rows}) != 1)" $name.csv'
  check "$name: the page fetches nothing" '! grep -qE "(src|href)=|@import|url\(" $name.html'
}

sed 's/+ d(Ack(b)) + Queuing(Ack/+ Queuing(Ack/' specs/primary_backup.tp >refuted.tp
sed '/^invariant ack_time/,/^\($\|#\)/d' specs/primary_backup.tp >unknown.tp

awk -f examples/slow_shop/requests.awk >calls.csv
python3 examples/traces/make.py 200 >traces.json
python3 examples/node/known_log.py loop 1500 1 spin=40
{ echo latency_ns && seq 1000 1999; } >short.csv
{ echo latency_ns && seq 1100 2099; } >long.csv
printf 'due_us\n0\n10\n20\n35\n36\n90\n' >due.csv
recorded=examples/token_ring/recorded

agree table tail calls.csv --above p93
agree few tail calls.csv --above p99
agree requests tail traces.json --above p90
agree one tail traces.json --request "$(jq -r ".data[3].traceID" traces.json)"
agree loop tail loop
agree path trace path traces.json
agree shop trace path examples/traces/shop.json.gz
run trace fold traces.json --out shard.fold
agree summary trace summary shard.fold
agree percentiles percentiles specs/redis_wait.tp --bound reply --set n=3 --set k=2 --joint examples/redis/recorded \
  --dependence both -p 50,99,99.99 --slo 'p99<1ms' --slo 'p99.99<3ms' --above 1ms --observed request.round --contributions 99
mkdir fitted # exponential times, in an order that means nothing
for name in Grant Accept d; do
  awk -v seed=${#name} 'BEGIN { print "latency_ns"; srand(seed); for (i = 0; i < 5000; i++) printf "%d\n", 1000 - 100000 * log(1 - rand()) }' >fitted/$name.csv
done
agree modelled percentiles specs/lock.tp --bound full_circle --set n=2 --data fitted -p 50,99.99 --tail gpd --exchangeable \
  --slo 'p99.9<1ns' --slo 'p99.9999<9ms' --contributions 50
agree missing percentiles specs/redis_wait.tp --bound reply --set n=3 --set k=1 --joint examples/redis/recorded \
  --observed request.round
agree plan plan specs/lock.tp --bound full_circle --set n=4 --data $recorded -p 99.99 --budget 1s
agree runs plan --traces traces.json --budget 1s
agree compare compare short.csv long.csv --exchangeable
mkdir -p a b && cp short.csv a/step.csv && cp long.csv b/step.csv && cp short.csv b/other.csv
agree folders compare a b
printf 'main;work 90\nmain;rest 10\nmain;r"e,st 3\n' >before.txt
printf 'main;work 50\nmain;rest 50\n' >after.txt
agree diff profile diff before.txt after.txt
agree simulated profile simulate before.txt
for format in text json markdown csv html; do
  run profile show before.txt --format $format
  check "a profile as $format" 'exits 0' 'out work'
done
agree latency whatif latency traces.json --change 'pay/charge: *0.5' -p 50,95
agree offloaded whatif latency loop --change 'Immediate: *0' --observed loop
agree verify verify specs/lock.tp refuted.tp unknown.tp
agree bound bound specs/lock.tp --bound full_circle --set n=3
agree arrivals arrivals due.csv --burst 1

check "a modelled tail is a label of its number" 'grep -q "^tailproof_percentile_upper_seconds{.*model_based=\"true\"" modelled.prometheus'

# Names that some format obeys: a formula, an escape sequence, marks of Markdown and HTML, quotes, separators.
jq -n --arg name $'=cmd|\x1b[31m<b>"x",_y_' '{data: [range(60) as $i | {traceID: "t\($i)", processes: {p: {serviceName: "s", tags: []}}, spans: [
    {traceID: "t\($i)", spanID: "m\($i)", operationName: "main", references: [], startTime: ($i * 1000000), duration: (9000 + (if $i % 2 == 1 then 30000 else 0 end) + $i * 37 % 91), processID: "p", logs: [], tags: []},
    {traceID: "t\($i)", spanID: "o\($i)", operationName: $name, references: [{refType: "CHILD_OF", traceID: "t\($i)", spanID: "m\($i)"}], startTime: ($i * 1000000 + 100), duration: (8000 + (if $i % 2 == 1 then 30000 else 0 end) + $i * 37 % 91), processID: "p", tags: [], logs: []}]}]}' >hostile.json
for format in text markdown csv html prometheus; do
  run tail hostile.json --above p50 --format $format
  check "no control character in $format" 'exits 0' '[ "$(tr -d "\n\t\40-\176\200-\377" <out | wc -c)" -eq 0 ]'
done
check "promtool takes hostile names" 'promtool check metrics <out'
run tail hostile.json --above p50 --format html
check "markup in a name is text" '! grep -q "<b>" out'
run tail hostile.json --above p50 --format csv
check "and no formula" '! grep -qE "(^|,)\"?=" out'

run explain --keys
check "what the keys mean" 'exits 0' 'out "| \`slo\` | "' 'out "| \`tail\` | "'
run explain --schema dominated
check "a schema of one word" 'exits 64' 'quiet_out' 'err "leave out the words"'
run tail calls.csv --above p93 --format pdf
check "no such format" 'exits 64' 'quiet_out'
run tail calls.csv --above 10s --format csv
check "no answer, no table" 'exits 65' 'quiet_out'
run percentiles specs/lock.tp --bound full_circle --set n=4 --data $recorded --format sarif
check "findings as before" 'exits 0' 'jq -e ".version == \"2.1.0\"" out >/dev/null'
finish
