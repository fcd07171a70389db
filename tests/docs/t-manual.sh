#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The manual has every command, every option, and every key that --json prints.
cd "$(dirname "$0")/../.." || exit 1
. tests/tap.sh
BUILD=${BUILD:-build}
program=$BUILD/tailproof
manual=docs/manual.md

for word in $(sed -nE 's/^COMMAND\(([a-z]+)\)$/\1/p' cli/command/commands.def); do
  check "command $word" grep -q "tailproof $word" $manual
done
. tests/help.sh
for word in $(all_commands); do options_of "$word" | sed "s/^/$word /"; done >"$scratch/options"
for word in $(cut -d' ' -f2 "$scratch/options" | sort -u); do
  check "option --$word" grep -qE -- "--$word\b" $manual
done
# What only one command has, or two, is named where the manual speaks of that command: another's option of the same name
# says nothing of it.
awk '
  FNR == 1 { file++ }
  file == 1 { of[$2] = of[$2] " " $1; count[$2]++; next }
  /^##/ { section++ }
  { text[section] = text[section] "\n" $0 " " }
  function has(where, what) { return where ~ (what "[^a-z-]") }
  END {
    for (option in of) {
      if (count[option] > 2) continue
      commands = split(of[option], names, " ")
      for (i = 1; i <= commands; i++) {
        found = 0
        for (s in text) if ((has(text[s], "tailproof " names[i]) || has(text[s], "`" names[i])) && has(text[s], "--" option)) found = 1
        if (!found) print names[i] " --" option
      }
    }
  }' "$scratch/options" $manual | sort >"$scratch/log"
[ ! -s "$scratch/log" ] && [ "$(wc -l <"$scratch/options")" -gt 300 ]
report $? "options of one command, or of two, are told of where it is"
: >"$scratch/log"

# One service that begins ten requests every few milliseconds, for whatif.
cat >"$scratch/plan.yaml" <<'END'
entry: web
services:
  - {name: web, command: sh service.sh, count_pipe: yes, workers: 1, work: 1ms}
levels: [50]
batch: 10
warmup: 50ms
window: 200ms
repetitions: {most: 1}
END
cat >"$scratch/service.sh" <<'END'
exec 3>"$TAILPROOF_POKER_COUNT"
while :; do
  printf xxxxxxxxxx >&3
  sleep 0.004
done
END
# One behind a proxy, of which a journal knows all that is asked.
sed 's/count_pipe: yes.*/proxy: ":1=:2"}/; s/\[50\]/[]/' "$scratch/plan.yaml" >"$scratch/proxy.yaml"
{
  echo '{"kind":"profile","entry":"web","throughput":1000,"services":[{"service":"web","calls":1,"work_ns":900000,"workers":1,"workers_measured":true,"busy":1}]}'
  for change in 'as it is' 'rounds without pauses'; do
    echo "{\"kind\":\"window\",\"change\":\"$change\",\"good\":true,\"requests\":1000,\"window_ns\":1000000000,\"paused_ns\":0,\"noise_ns\":1000000,\"saved_ps\":0}"
  done
} >"$scratch/journal.jsonl"

# A request that calls cart, and one that does not.
span() { echo "{\"traceID\":\"$1\",\"spanID\":\"$2\",\"operationName\":\"$3\",\"startTime\":$4,\"duration\":$5,\"processID\":\"p\",\"references\":[$6]}"; }
trace() { echo "{\"data\":[{\"traceID\":\"$1\",\"processes\":{\"p\":{\"serviceName\":\"shop\"}},\"spans\":[$2]}]}"; }
child='{"refType":"CHILD_OF","traceID":"1","spanID":"a"}'
trace 1 "$(span 1 a buy 1000 500 ''),$(span 1 b cart 1100 200 "$child")" >"$scratch/traces.json"
trace 2 "$(span 2 a buy 1000 500 '')" >"$scratch/other.json"

# Six queries through a pool of two, as traced.
jq -n '{data: [{traceID: "1", processes: {p: {serviceName: "db"}}, spans:
  [["m", 0, 3010], ["a", 10, 1000], ["b", 11, 1004], ["c", 1006, 1500], ["d", 1009, 2600], ["e", 1509, 3000], ["f", 2605, 2800]]
  | map({traceID: "1", spanID: .[0], operationName: .[0], startTime: .[1], duration: (.[2] - .[1]), processID: "p",
         references: (if .[0] == "m" then [] else [{refType: "CHILD_OF", traceID: "1", spanID: "m"}] end)})}]}' >"$scratch/pool.json"

# One of each kind of line; a scope's keys are the protocol's parameters.
recorded=examples/token_ring/recorded
sed 's/+ d(Ack(b)) + Queuing(Ack/+ Queuing(Ack/' specs/primary_backup.tp >"$scratch/refuted.tp"
sed '/^invariant ack_time/,/^\($\|#\)/d' specs/primary_backup.tp >"$scratch/unknown.tp"
sed 's/^role primary/role secondary/' specs/primary_backup.tp >"$scratch/wrong.tp"
{ echo latency_ns && seq 1000 1999; } >"$scratch/short.csv"
{
  "$program" verify --json --explain specs/primary_backup.tp "$scratch/refuted.tp" "$scratch/unknown.tp"
  "$program" verify --json --infer --forget-timing --bound reply specs/primary_backup.tp
  cp "$scratch/unknown.tp" "$scratch/written.tp"
  "$program" verify --json --infer --write "$scratch/written.tp"
  "$program" percentiles specs/lock.tp --bound full_circle --set n=4 --data $recorded --observed $recorded/round.tph \
    --json -p 50,99.9999 --tail gpd --above 1ms --slo 'p99.9<1ns' --slo 'p99.9999<9ms' --contributions 50
  "$program" percentiles specs/lock.tp --bound full_circle --set n=4 --data $recorded --json --grid linear
  "$program" percentiles specs/primary_backup.tp --bound reply --set n=2 --joint examples/primary_backup/recorded \
    --observed request.reply --json
  "$program" percentiles specs/redis_wait.tp --bound reply --set n=3 --set k=1 --joint examples/redis/recorded \
    --observed request.round --json # they waited for two
  "$program" trace path examples/traces/shop.json.gz "$scratch/pool.json" --json
  "$program" trace fold examples/traces/shop.json.gz --out "$scratch/shop.fold" --json
  "$program" trace summary "$scratch/shop.fold" --json
  printf 'due_us\n0\n10\n20\n' >"$scratch/due.csv"
  "$program" simulate specs/lock.tp --bound full_circle --set n=4 --data $recorded --observed $recorded/round.tph --json --requests 50
  "$program" arrivals --json --burst 1 "$scratch/due.csv"
  "$program" plan specs/lock.tp --bound full_circle --set n=4 --data $recorded --json -p 99.99 --budget 1s
  "$program" budget specs/redis_wait.tp --bound reply --set n=3 --set k=2 --joint examples/redis/recorded --slo 'p99<5ms' \
    --out "$scratch/promises.yaml" --json
  "$program" budget --check "$scratch/promises.yaml" specs/redis_wait.tp --json
  for run in 1 2 3; do seq 10 "$run" 400 | sed '1i latency_us' >"$scratch/run$run.csv"; done
  "$program" plan --json --data "$scratch/run1.csv" --run "$scratch/run2.csv" --run "$scratch/run3.csv" --slo 'p50<1s'
  sed 's/_ns/_us/' "$scratch/short.csv" >"$scratch/long.csv"
  "$program" percentiles --data "$scratch/short.csv" --json -p 50,99.9 --slo "p99.9<1ms" --above 1ms
  "$program" compare --json --exchangeable "$scratch/short.csv" "$scratch/long.csv"
  mkdir -p "$scratch/short" && cp "$scratch/short.csv" "$scratch/short"
  "$program" compare --json "$scratch/short" "$scratch/short"
  printf 'a_seconds_bucket{le="%s"} %s\n' 0.1 3 +Inf 9 >"$scratch/page.prom"
  "$program" compare --json "$scratch/page.prom" "$scratch/page.prom"
  "$program" bound specs/lock.tp --bound full_circle --set n=3 --json
  "$program" check --json specs/lock.tp "$scratch/wrong.tp"
  "$program" audit --json specs/lock.tp
  "$program" explain --json E0203 dominated
  "$program" record --json --out "$scratch/store" -- "$BUILD/tests/tools/recorder" component Grant 3 100 request round 2 500
  "$program" import --json --out "$scratch/series" "$scratch/store"
  "$program" profile --json --rate 999 -- "$BUILD/tests/tools/shares" 0.1
  printf 'main;work 90\nmain;rest 10\n' >"$scratch/before.txt"
  printf 'main;work 50\nmain;rest 50\n' >"$scratch/after.txt"
  "$program" profile show --json "$scratch/before.txt"
  "$program" profile diff --json "$scratch/before.txt" "$scratch/after.txt"
  "$program" merge --json --out "$scratch/fleet.txt" "$scratch/before.txt" "$scratch/after.txt"
  "$program" profile simulate --json --rate 2000 "$scratch/before.txt"
  "$program" load --json --rate 50 --seconds 1 --out "$scratch/load.csv" -- true
  "$program" certify --json specs/lock.tp --out "$scratch/certificate"
  "$program" certify --json proofs/theory/ask.tp --theory "$scratch/ask.v"
  "$program" generate --json specs/lock.tp --out "$scratch/code"
  "$program" generate --json specs/lock.tp --check "$scratch/code"
  "$program" certify --json --check "$scratch/certificate" --with z3 --every 1000 specs/lock.tp
  rm -f "$scratch"/certificate/lock/00001.smt2
  "$program" certify --json --check "$scratch/certificate" --with z3 --every 1000 specs/lock.tp
  "$BUILD/tests/tools/script_stores" "$scratch/run" <<<"node[0] action node.Grant 1 10 20"
  "$program" replay --json specs/lock.tp --set n=2 "$scratch/run"
  "$program" tail --json examples/slow_shop/requests.csv --above p95
  python3 examples/node/known_log.py "$scratch/loop" 1500 1 spin=40 looks=3
  "$program" tail --json "$scratch/loop"
  "$program" whatif latency --json "$scratch/loop" --change 'Immediate: *0' --observed "$scratch/loop"
  "$program" draft --json "$scratch/traces.json" --out "$scratch/draft"
  mkdir "$scratch/talk" && printf 'process 10 1 7 0 met client\nprocess 20 1 7 0 asked server\nlistens 20 900 80 0\n' >"$scratch/talk/sockets"
  for i in 1 2; do
    printf '%d %s %d %d local=%d remote=%d begins=%d0 ends=%d9\n' ${i}01 send 10 10 4000 80 $i $i ${i}02 receive 20 20 80 4000 $i $i \
      ${i}03 send 20 20 80 4000 $i $i ${i}04 receive 10 10 4000 80 $i $i
  done >"$scratch/talk/events"
  "$program" draft --json --probes "$scratch/talk" --out "$scratch/drafted"
  "$program" replay --json "$scratch/draft/shop_buy.tp" --traces "$scratch/traces.json" "$scratch/other.json"
  "$program" whatif predict --json --throughput 1000 --saved 100us
  printf 'slowdown_rps,delta_per_user_req_us,predicted_rps\n1000,500,2000.0\n' >"$scratch/points.csv"
  "$program" whatif predict --json --points "$scratch/points.csv"
  awk -v n=500 -v busy=0.3 -f examples/shop/traces.awk >"$scratch/traces.json"
  "$program" whatif latency --json "$scratch/traces.json" --change 'cart: *2' --change 'limit sql=1'
  # Requests come every 1 to 9 ms, and one connection serves each for 1 to 7 ms.
  awk 'BEGIN { srand(7)
    for (i = 1; i <= 120; i++) {
      came += 1000 + int(8000 * rand()); start = came + 300 > free ? came + 300 : free; free = start + 1000 + int(6000 * rand())
      printf "%s{\"traceID\":\"%032x\",\"processes\":{\"p\":{\"serviceName\":\"web\"},\"q\":{\"serviceName\":\"sql\"}},\"spans\":[", \
        i == 1 ? "{\"data\":[" : ",", i
      printf "{\"spanID\":\"a\",\"operationName\":\"go\",\"startTime\":%d,\"duration\":%d,\"processID\":\"p\"},", came, free + 200 - came
      printf "{\"spanID\":\"b\",\"operationName\":\"get\",\"startTime\":%d,\"duration\":%d,\"processID\":\"q\",", start, free - start
      printf "\"references\":[{\"refType\":\"CHILD_OF\",\"traceID\":\"%032x\",\"spanID\":\"a\"}]}]}", i
    }
    print "]}" }' >"$scratch/queue.json"
  "$program" whatif latency --json "$scratch/queue.json" --change 'sql: *2'
  "$program" whatif latency --json "$scratch/traces.json" --change 'cart: *2' -p 50,99.9 --observed "$scratch/traces.json"
  awk -v n=1 -f examples/shop/traces.awk >"$scratch/one.json"
  "$program" plan --json --traces "$scratch/traces.json" --budget 1s
  python3 examples/traces/make.py 100 | sed '0~3s/"checkout"/"report"/' >"$scratch/before.json"
  python3 examples/traces/make.py 100 after | sed '0~3s/"checkout"/"report"/' >"$scratch/after.json"
  "$program" tail --json "$scratch/before.json" --above p60
  "$program" trace diff --json "$scratch/before.json" "$scratch/after.json"
  "$program" whatif latency --json "$scratch/one.json" --change 'sql: *0' -p 50
  echo 'if (process.execArgv.length !== 0) process.exit(1); require("http").createServer().listen(0);' >"$scratch/app.js"
  "$program" tune gc --json --metric p50 --load 'echo latency_ms; seq 9' --sizes 4 -- node "$scratch/app.js"
  "$program" whatif throughput --json "$scratch/plan.yaml"
  "$program" whatif throughput --json "$scratch/proxy.yaml" --resume "$scratch/journal.jsonl"
} 2>"$scratch/errors" | jq -r '.kind as $kind | del(.. | .scope?) |
    ((.. | objects | (.attained, .not_attained, .not_decided) | select(. != null)) |= []) | [paths | .[-1] | strings] | unique | .[] | "\($kind) \(.)"' |
  grep -v ' kind$' | sort -u >"$scratch/keys"
kinds=$(sed -n '/^## JSON/,$p' $manual | sed -nE 's/^\| `([a-z_]+)` .*/\1/p')
# One check a kind, whatever keys its lines happened to have: what runs services prints more on some days.
unknown_keys() { # kind: those that its row in the manual lacks
  local row key
  row=$(grep -E "^\| \`$1\` " $manual)
  sed -n "s/^$1 //p" "$scratch/keys" | while read -r key; do
    grep -qE "\b$key\b" <<<"$row" || echo "$1 $key"
  done
}
for kind in $kinds; do
  case $kind in
  confirmed | measured) continue ;;                         # of services that run: tests/cli/t-whatif-confirm.sh
  planned_probe | probe | pair) continue ;;                 # need a kernel's permission: tests/cli/t-record-probes.sh, t-pair.sh
  ordinary) continue ;; # tests/unit/trace/t-loop-causes.c
  hot | joined_profile | loop | unrecorded | way | sampling_window) continue ;; # tests/cli/t-tail-profile.sh, t-record-node.sh, t-record-node-stopped.sh, t-profile-simulate.sh
  esac
  check "a line of kind $kind was seen" grep -q "^$kind " "$scratch/keys"
  unknown_keys "$kind" >"$scratch/unknown"
  sed 's/^/# not in the manual: /' "$scratch/unknown"
  check "the keys of $kind" test ! -s "$scratch/unknown"
done
cut -d ' ' -f 1 "$scratch/keys" | sort -u | grep -vxF "$kinds" >"$scratch/unknown"
sed 's/^/# not in the manual: /' "$scratch/unknown"
check "no other kind was seen" test ! -s "$scratch/unknown"
grep -rhoE 'jsonl_new\("[a-z_]+"' cli | sed 's/.*"\(.*\)"/\1/' | sort -u | grep -vxF "$kinds
certificate" >"$scratch/unknown" # a file's line: Certificates
sed 's/^/# not in the manual: /' "$scratch/unknown"
check "each kind that the program can print is listed" test ! -s "$scratch/unknown"
scripts/json_keys.py "$program" --check >"$scratch/unknown"
check "the rows of kinds that the program can print are as it prints them" test ! -s "$scratch/unknown"
sed 's/^/# /' "$scratch/unknown"
check "kinds are listed" [ "$(wc -w <<<"$kinds")" -ge 15 ]
finish
