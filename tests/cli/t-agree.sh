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

case $BUILD in /*) tools=$BUILD/tests/tools ;; *) tools=$root/$BUILD/tests/tools ;; esac
for tool in made_answers script_stores; do [ -x "$tools/$tool" ] || { echo "not ok 1 - $tools/$tool is not built"; exit 69; }; done

# What answers, from the table of commands and their help: all that have --json; and those of them that have --full.
questions= takes_full=" made " agreed=" "
for command in $(sed -nE 's/^COMMAND\((.*)\)/\1/p' "$root/cli/command/commands.def"); do
  "$program" $command --help >help
  for name in $command $(sed -nE "1,/^questions/d; s/^  ([a-z]+)( .*)?$/$command:\1/p" help); do
    "$program" ${name/:/ } --help >help
    ! grep -q -e ' --json' help || questions+="$name "
    ! grep -q -e ' --full' help || takes_full+="$name "
  done
done

# The answer that a command gives in a format; of one that measures anew each time, one that is made up.
answer() { # format, command; a folder $fresh is new for each
  local format=$1 full=
  shift
  [ -z "${fresh:-}" ] || rm -rf "$fresh"
  case $format in text | markdown) [[ $takes_full != *" $question "* ]] || full=--full ;; esac
  if [ "$1" = made ]; then
    "$tools/made_answers" "$2" "$format" $full >out 2>err
  else
    SOURCE_DATE_EPOCH=86400 run "$@" --format "$format" $full
  fi
}

# name, then a command: once in each format.
agree() { # promtool takes _b_ for bytes, _mb for megabytes, and a summary for a type
  local name=$1 format question=$2
  shift
  [[ " $questions" != *" $1:$2 "* ]] || question=$1:$2
  agreed+="$question "
  for format in text json markdown csv html prometheus; do
    answer $format "$@"
    cp out "$name.$format"
  done
  last="$*"
  check "$name: the formats agree" '"$root/tests/cli/agree.py" $name.{text,json,markdown,csv,html,prometheus} schema.json >said; code=$?; cat said >&2; [ $code -eq 0 ]'
  check "$name: promtool takes the metrics" 'promtool check metrics <$name.prometheus >lint 2>&1; grep -vE "_compared_b_|_edge_b_|summary_|_semi_mb|_us_|_us " lint >&2; [ ${PIPESTATUS[0]} -ne 0 ]'
  check "$name: the page fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" $name.html'
}

sed 's/+ d(Ack(b)) + Queuing(Ack/+ Queuing(Ack/' specs/primary_backup.tp >refuted.tp
sed '/^invariant want_time/,/^\($\|#\)/d' specs/lease.tp >unknown.tp

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
python3 examples/traces/make.py 300 after >later.json
agree changed trace diff traces.json later.json
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
agree budget budget specs/lock.tp --bound full_circle --set n=4 --data $recorded --slo 'p99<1ms' --out promises.yaml
agree promises budget --check promises.yaml specs/lock.tp
agree plan plan specs/lock.tp --bound full_circle --set n=4 --data $recorded -p 99.99 --budget 1s
agree runs plan --traces traces.json --budget 1s
agree compare compare short.csv long.csv --exchangeable
agree measured percentiles --data short.csv --run long.csv -p 50,99 --slo 'p99<1ms' --slo 'p50<1ns' --above 2us
mkdir -p a b && cp short.csv a/step.csv && cp long.csv b/step.csv && cp short.csv b/other.csv
agree folders compare a b
for name in page later; do
  printf 'a_seconds_bucket{le="%s"} %s\n' 0.1 $((${#name} * 100)) 0.2 580 +Inf 600 >$name.prom
done
agree edges compare page.prom later.prom
printf 'main;work 90\nmain;rest 10\nmain;r"e,st 3\n' >before.txt
printf 'main;work 50\nmain;rest 50\n' >after.txt
agree diff profile diff before.txt after.txt
agree simulated profile simulate before.txt
for format in text json markdown csv html; do
  run profile show before.txt --format $format
  check "a profile as $format" 'exits 0' 'out work'
done
for format in json markdown csv html; do
  run profile show after.txt --format $format
  check "warnings reach who reads $format" 'exits 0' 'err "warning: after.txt: all numbers are multiples"'
done
run profile show after.txt
check "and are said once in text" 'exits 0' 'quiet_err' 'said "warning: after.txt: all numbers are multiples"'
agree latency whatif latency traces.json --change 'pay/charge: *0.5' -p 50,95
agree offloaded whatif latency loop --change 'Immediate: *0' --observed loop
agree verify verify specs/lock.tp refuted.tp unknown.tp
agree bound bound specs/lock.tp --bound full_circle --set n=3
agree arrivals arrivals due.csv --burst 1

agree check check specs/lock.tp specs/redis_wait.tp
agree certified certify specs/lock.tp --out ring
agree theorem certify "$root/proofs/theory/ask.tp" --theory ask.v
printf 'x\n' >>ring/lock/00008.smt2 && printf 'x\n' >ring/lock/99999.smt2
agree rechecked certify --check ring specs/redis_wait.tp --every 1000
agree generated generate specs/lock.tp --out code --contracts-only
sed 's/when /when true and /' specs/lock.tp >changed.tp
agree stale generate changed.tp --check code
agree explained explain E0203 dominated
agree words explain
agree summed merge before.txt after.txt --out sum.txt
agree folded trace fold traces.json --out again.fold
agree merged trace merge shard.fold --out more.fold
agree audit audit specs/lock.tp specs/redis_wait.tp --data $recorded
agree machines simulate specs/lock.tp --bound full_circle --set n=4 --data $recorded --observed $recorded/round.tph --requests 200
mkdir endless && cp $recorded/Grant.tph $recorded/d.tph endless && printf 'latency_ns\n100\ntimeout\n' >endless/Accept.csv
agree endless simulate specs/lock.tp --bound full_circle --set n=1 --data endless --requests 100
agree predict whatif predict --throughput 2545.67 --saved 1ms --calls 0.4518 --workers 2 --noise 1%
agree withheld whatif predict --throughput 1000 --saved 990us
printf 'slowdown_rps,delta_per_user_req_us,predicted_rps\n1000,500,2000.0\n3000,1,3009.03\n1000,500,<b>|\n1000,999,\n' >measured.csv
agree points whatif predict --points measured.csv

# A journal of an experiment: web limits little, db much; of cache nothing is known, and one level of db is refused.
cat >plan.yaml <<'END'
entry: web
services:
  - {name: web, poker: "127.0.0.1:1"}
  - {name: db, command: x, proxy: ":1=:2"}
  - {name: cache, poker: "127.0.0.1:1", resource: box}
resources: [{name: box, processors: 2}]
targets: [web, db]
levels: [20, 60]
repetitions: {least: 2, most: 2}
END
awk 'BEGIN {
  print "{\"kind\":\"profile\",\"entry\":\"web\",\"throughput\":1111.1,\"services\":[" \
    "{\"service\":\"web\",\"calls\":1,\"work_ns\":800000,\"workers\":1,\"workers_measured\":true,\"busy\":0.3}," \
    "{\"service\":\"db\",\"calls\":2,\"work_ns\":450000.5,\"workers\":1,\"workers_measured\":true,\"busy\":1}," \
    "{\"service\":\"cache\",\"calls\":0,\"work_ns\":0,\"workers\":0,\"workers_measured\":false,\"busy\":0}]}"
  n = split("as it is,900000,0;rounds without pauses,900500,0;web 20 %,1060000,160000;web 60 %,1380000,480000;db 20 %,980000,180000;db 60 %,545000,540000", rows, ";")
  for (i = 1; i <= n; i++) for (k = -400; k <= 400; k += 800) { split(rows[i], f, ",")
    printf "{\"kind\":\"window\",\"change\":\"%s\",\"good\":true,\"requests\":1000,\"window_ns\":%d,\"paused_ns\":0,\"noise_ns\":5000000,\"saved_ps\":%d}\n", f[1], (f[2] + k) * 1000, f[3] * 1000 }
}' >journal.jsonl
agree throughput whatif throughput plan.yaml --resume journal.jsonl
check "what is not known is null" 'jq -es "[.[] | select(.kind == \"profile\")][0].services[2] | .work_ns == null and .workers == null and .busy == null" throughput.json >/dev/null' \
  'grep -q "unknown" throughput.text' '! grep -qE "(work_seconds|workers|busy_ratio)\{.*cache" throughput.prometheus'

# Runs of a ring: one that follows, three of which the last two lose time, and one whose clocks cannot be compared.
laps() { # how many, and how much longer each further one waits
  awk -v laps="$1" -v more="$2" 'BEGIN { for (i = 0; i < laps; i++) { t = 1000000 * (i + 1); w = t + 115000 + more * i
    printf "node[0] action node.Grant %d %d %d\nnode[0] send Transfer %d %d 1 1\n", i, t, t + 10000, i, t + 10000
    printf "node[1] arrive Transfer %d %d %d 1\nnode[1] action node.Accept %d %d %d 1\n", i, t + 10000, t + 110000, i, t + 110000, t + 115000
    printf "node[1] action node.Grant %d %d %d\nnode[1] send Transfer %d %d 2 0\n", i, w, w + 10000, i, w + 10000
    printf "node[0] arrive Transfer %d %d %d 2\nnode[0] action node.Accept %d %d %d 2\n", i, w + 10000, w + 120000, i, w + 120000, w + 125000
    printf "node[0] request round %d %d %d\n", i, t, w + 125000 } }'
}
laps 1 0 | "$tools/script_stores" follows
laps 3 50000 | "$tools/script_stores" late
{ laps 1 0 && echo 'node[1] elsewhere'; } | "$tools/script_stores" clocks
for store in follows late clocks; do agree $store replay specs/lock.tp $store --set n=2; done
fresh=drafted agree drafted draft traces.json examples/traces/shop.json.gz --out drafted --share 0.1
agree imported import late --out imported --by node
agree imports merge imported --out imports
cat >probes.yaml <<'END'
probes:
  put: {syscall: write, read: {key: arg1}}
  got: {syscall.exit: read}
places: {client: '^bench'}
queueing: Queuing
moments:
  asked:    {probe: put, at: client}
  answered: {probe: got, at: client, where: thread == asked.thread}
request: {name: put, node: client, from: asked, to: answered}
steps: {client.Ask: {at: asked}}
END
for i in 1 2 3 4; do printf '%d put 11 101 key=7\n%d got 11 101\n' ${i}000000 ${i}300000; done >events
echo '5000000 put 11 101 key=7' >>events
echo '11 bench' >processes
fresh=paired agree paired record pair probes.yaml events --processes processes --out paired
agree planned record --probes probes.yaml --dry-run
for made in recorded recorded_node recorded_probes recorded_free; do agree $made made $made; done
jq -c '.data |= .[:7]' traces.json | sed 's/"traceID":"/&f/g; s/charge/refund/g' >refunds.json # seven that make other calls
agree followed replay drafted/web_checkout.tp --traces traces.json refunds.json

printf 'due,route,status,latency_ns\n0.1,/a,200,1000000\n0.2,/a,200,1500000\n0.3,/a,500,timeout\n' >latencies.csv
for made in load load_empty tuned_better tuned_unknown tuned_nothing tuned_given_up; do agree $made made $made; done
check "limits that are none are null" 'jq -es "[.[] | select(.kind == \"tuned\")][0] | .ratio_least == null and .ratio_most == null and (has(\"memory_best_bytes\") | not)" tuned_unknown.json >/dev/null'
check "what was not measured is not 0" '! grep -qE "(ratio_least|ratio_most|bytes)\{" tuned_unknown.prometheus' '! grep -q " MB" tuned_unknown.text'

for made in load tune:gc; do agreed+="$made "; done # made up above
agreed+="profile profile:show trace:whatif " # samples anew each time; has metrics of its own; is whatif latency
check "every question that answers is here" 'missing=$(comm -23 <(tr " " "\n" <<<"$questions" | sort -u) <(tr " " "\n" <<<"$agreed" | sort -u)); echo "$missing" >out; [ -z "$missing" ]'

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
