#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# From an objective to promises of parts: three teams, each with a check of its own, and the rules that alert them.
. "$(dirname "$0")/tap.sh"

root=$PWD
cd "$scratch" || exit 1
command -v promtool >/dev/null || { echo "not ok 1 - promtool is missing (apt-get install prometheus)"; exit 69; }
protocol=$root/examples/teams/checkout.tp
python3 "$root/examples/teams/measure.py" measured
split() { run budget "$protocol" --data measured --slo 'p99<60ms' --group gateway=Accept,Ask,Finish --group net=d,Queuing "$@"; }

split --round --out budget.yaml --rules rules.yml --openslo objectives.yaml
check "promises that suffice are found, and what was measured too seldom is said" 'exits 2' \
  'out "p99.5   28.000 ms"' 'said "0.5 % (Pay)"' 'said "cannot be told, for the number of observations; some more decide, if few of them are slow: gateway (20000; some"'
check "the room is what two digits leave to every part" 'said "Each part may become 37 % slower"'
check "a message has a time-out, and a time until which it may come" \
  '[ "$(sed -nE "s/^  (Ask|Pri|Hel|Pai)/\\1/p" out | tr -s " ")" = "$(printf "%s\n" "AskCart 2.970 ms 4.259 ms" \
    "AskStock 2.970 ms 4.259 ms" "Priced 22.370 ms 23.659 ms" "Held 22.370 ms 23.659 ms" "AskPay 27.740 ms 29.029 ms" \
    "Paid 58.140 ms 59.429 ms")" ]'

# An invariant may be far above what it bounds: nothing of the table becomes later than the objective.
sed 's/^invariant priced_time: sent Priced implies/&\n  time(Priced) <= 20*(Accept + d(AskCart) + Cart + d(Priced))\ninvariant exact: not sent Priced or/
  s/^invariant paid_time: sent Paid implies/&\n  time(Paid) <= 1ms + Accept + Ask + d(AskPay) + max(d(AskCart) + Cart + d(Priced) + Queuing(Priced),\n  d(AskStock) + Stock + d(Held) + Queuing(Held)) + Pay + d(Paid)\ninvariant exact_paid: not sent Paid or/' \
  "$protocol" >far.tp
run budget far.tp --data measured --slo 'p99<60ms' --group gateway=Accept,Ask,Finish --group net=d,Queuing --round
check "a loose invariant gives no later time" 'out "answer: proved"' '! grep -q "^  Priced" out' 'grep -qE "^  Held +22.370 ms +23.659 ms" out' \
  'grep -qE "^  Paid +59.140 ms +59.429 ms" out'

# What takes no time, and rows that refute independence.
{ echo latency_ns; yes 0 | head -n 3000; } >nothing.csv
mkdir still && cp measured/*.csv still/ && cp nothing.csv still/Ask.csv
run budget "$protocol" --data still --slo 'p99<60ms' --out still.yaml
run budget --check still.yaml "$protocol"
check "a promise of what takes no time is read again" 'exits 0' 'grep -qE "Ask.: p[0-9.]+<=1ns" still.yaml'
python3 - >rows.csv <<'END'
import random
draw = random.Random(1)
parts = {"Accept": .2, "Ask": .1, "d.AskPay": .3, "d.AskCart": .3, "Cart": 4, "d.Priced": .3, "Queuing.Priced": .05, "d.AskStock": .3,
         "Stock": 3, "d.Held": .3, "Queuing.Held": .05, "Pay": 9, "d.Paid": .3, "Finish": .2}
print(",".join(part + "_us" for part in parts))
for _ in range(3000):
    stall = 4 if draw.random() < .1 else 1
    print(",".join(str(round(1000 * stall * median * draw.uniform(.9, 1.1))) for median in parts.values()))
END
fixed=(--slo 'p90<1s' --group all=Accept,Ask,Cart,Stock,Pay,Finish,d,Queuing --fix 'all=p99.5<=50ms')
run budget "$protocol" --joint rows.csv "${fixed[@]}" --dependence independent
check "rows that refute independence leave it open" 'exits 2' 'said "the promises rest on independence, but not independent are"'
run budget "$protocol" --joint rows.csv "${fixed[@]}"
check "for any dependence they need not be independent" 'exits 0' '! grep -q "not independent" out err'
run budget "$protocol" --data measured "${fixed[@]}" --dependence independent
check "what rests on independence has the exit code of a condition" 'exits 3' \
  'said "all occurrences are independent (asserted with --dependence independent)"'

# Each team's CI, as its file says, with what it measured.
team() { # which, its measurements
  local line
  line=$(sed -n 's/^      - run: tailproof budget //p' "$root/examples/teams/ci/$1.yml")
  (cd "$2" && eval "run budget --check ../budget.yaml ${line#--check budget.yaml }"; echo $status >status)
  status=$(cat "$2/status")
}
for name in cart stock pay; do
  team $name measured
  check "$name keeps its promise" 'exits 0' 'out ": met: "'
done
python3 "$root/examples/teams/measure.py" slower Pay=1.6
for name in cart stock; do
  team $name slower
  check "a slower pay is not the concern of $name" 'exits 0'
done
team pay slower
check "a slower pay fails its own CI" 'exits 1' 'out "BROKEN"'

run budget --check budget.yaml "$protocol"
check "the promises suffice for the protocol they were made for" 'exits 0' 'said "answer for p99<60ms: the promises suffice"'
sed 's/+ Pay + d(Paid) + Finish/+ 2*Pay + d(Paid) + Finish/' "$protocol" >twice.tp
run budget --check budget.yaml twice.tp
check "they do not for one that asks pay twice" 'exits 1' 'out "DO NOT SUFFICE"' 'said "The protocol has changed"'
sed '/Stock/d' budget.yaml >less.yaml
run budget --check less.yaml "$protocol"
check "nor where a promise is missing" 'exits 1' 'out "NONE"'

# Rules: an hour in which pay is slow fires pay's alert and no other.
cat >test.yml <<'END'
rule_files: [rules.yml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {series: 'pay_seconds_bucket{le="0.028"}', values: '0+990x90'}
      - {series: 'pay_seconds_count', values: '0+1000x90'}
      - {series: 'cart_seconds_bucket{le="0.017"}', values: '0+999x90'}
      - {series: 'cart_seconds_count', values: '0+1000x90'}
    alert_rule_test:
      - eval_time: 75m
        alertname: PromiseBroken
        exp_alerts:
          - exp_labels: {part: Pay, promise: "p99.5<=28ms"}
            exp_annotations: {summary: 'Pay breaks its promise, p99.5<=28ms, on which p99<60ms rests'}
END
promtool check rules rules.yml >promtool 2>&1 && promtool test rules test.yml >>promtool 2>&1
status=$?
check "the rules alert the team whose promise is broken" 'exits 0' 'grep -q "15 rules found" promtool'
run percentiles --data measured/Pay.csv --slo-file objectives.yaml
check "the objectives of OpenSLO are read" 'said "p99.5<=0.028s: met"'

split --json
check "what is promised is printed for programs, and adds up" 'json_lines' \
  'json "[.[] | select(.kind == \"promise\")] | length == 5 and ([.[] | (.miss | tonumber) * .occurrences] | add) <= 0.01"' \
  'json "[.[] | select(.kind == \"budget_split\")][0] | .found and (.spent | tonumber) <= 0.01 and (.confirmed | tonumber) <= 0.01"'
split --fix 'Pay=p99.9<20ms' --weight Cart=0
check "what is fixed stays, and who gets no room keeps what it has" 'exits 1' 'grep -qE "^  Pay +p99.9 +19.999 ms .* no$" out' \
  'grep -qE "^  Cart .* 0 % " out' 'said "Each other part may take 2.0 times"'
run budget "$root/specs/redis_wait.tp" --bound reply --set n=3 --set k=2 --joint "$root/examples/redis/recorded" \
  --slo 'p99<5ms' --weight d.Write=3
check "what promises without any room would prove is no matter of weights" 'said "would prove 2.877 ms"'
split --weight Cart=0 --round
check "also where times have two digits" 'grep -qE "^  Cart .* 0 % " out'

split --dependence independent --also 90,99 --out curves.yaml --rules curves.yml
check "under independence points of a curve leave more room than one" \
  'out "if all occurrences are independent: the evaluators bound" || said "if all occurrences are independent: the evaluators bound"' \
  'said "Each part may become 6"' 'promtool check rules curves.yml >promtool 2>&1' 'grep -q "45 rules found" promtool'
run budget --check curves.yaml "$protocol"
check "they are confirmed from the file" 'exits 0' 'said "the promises suffice: with each part at its limit the bound is 6"'
run budget --check curves.yaml --component Pay --data measured/Pay.csv
check "and a part is held against each of them" 'exits 0' '[ "$(grep -c ": met: " out)" -eq 3 ]'
sed "s/^  'Pay'.*/  'Pay': p99/" curves.yaml >wrong.yaml
run budget --check wrong.yaml --component Pay --data measured/Pay.csv
check "what is no promise is said to be none" 'exits 65' 'err "the promise of Pay is none"'

cat >costs.csv <<'END'
part,percentile,limit,cost
Cart,99.9,20ms,10
Cart,99.9,16ms,30
Stock,99.9,20ms,10
Pay,99.9,40ms,20
Pay,99.9,30ms,60
Pay,99.5,30ms,35
END
split --cost costs.csv
check "of promises that have a price the cheapest that suffice are bought" 'out "They cost 55 in all; none that suffice by this sum cost less."' \
  'grep -qE "^  Pay +p99.5 +30.000 ms" out'
echo 'Pay,99.9,30,1' >>costs.csv
split --cost costs.csv
check "a price that cannot be read is named with its line" 'exits 65' 'err "costs.csv:8: give a percentile and a time"'

for of in "--check none.yaml $protocol|66" "--check budget.yaml|64" "--check budget.yaml --component Cart|64" \
  "--check budget.yaml --component None --data measured/Pay.csv|64" "--component Cart|64" "$protocol --slo p99<1s|64" \
  "$protocol --data measured|64" "$protocol --data measured --slo p99<1s --slo p50<1s|64" \
  "$protocol --data measured --slo p99<1s --group x=Cart,Acept|64" "$protocol --data measured --slo p99<1s --group x=Cart --group y=Cart|64" \
  "$protocol --data measured --slo p99<1s --metric Pay=a{b|64" "$protocol --data measured --slo p99<1s --metric None=b|64" \
  "$protocol --data measured --slo p99<1s --weight None=1|64" "$protocol --data measured --slo p99<1s --weight Pay=-1|64"; do
  # shellcheck disable=SC2086
  run budget ${of%|*}
  check "refused: ${of%|*}" "exits ${of#*|}" 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
done
for line in 'budget: 2' 'promise: 1' 'dependence: maybe' "promises: {Pay: [1]}" "promises: {Pay: 12}"; do
  key=${line%%:*}
  { grep -v "^$key:" budget.yaml | { if [ "$key" = promises ]; then grep -v "^  '[A-Z]"; else cat; fi; }; echo "$line"; } >wrong.yaml
  run budget --check wrong.yaml "$protocol"
  check "a file with $line is refused at its place" 'exits 65' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
done

finish
