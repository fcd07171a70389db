#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# whatif: the calculation alone; what is concluded from a journal with known windows; and experiments
# with small services, which are interrupted, killed, and given services that do not run. How good
# predictions are is measured elsewhere (examples/shop, docs/evaluation_throughput.md).
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
: >out

# --- the calculation ---------------------------------------------------------------------------------
run whatif predict --throughput 2545.670613587085 --saved 1000us --calls 0.45175405908969923 --workers 2 --noise 1%
check "a prediction, to the last digit" 'exits 0' 'quiet_err' 'out "5989.933238198921 requests/s, 5850.87 to 6132.81"'
run whatif predict --throughput 1000 --saved 0.5ms --json
check "in JSON" 'exits 0' 'json_lines' 'json ".[0] | .kind == \"calculated\" and .digits == \"2000.0\" and .predicted == 2000 and .amplification == 2"'
run whatif predict --throughput 1000 --saved 990us
check "what is left is not clearly more than nothing" 'exits 2' 'quiet_out' 'err "cannot be predicted"'
run whatif predict --throughput 1000 --saved 900us --noise 12%
check "or not more than noise" 'exits 2' 'quiet_out'
for wrong in '--throughput 0 --saved 1us' '--throughput 1e999 --saved 1us' '--throughput 5 --saved 1' '--throughput 5 --saved -1us' \
  '--throughput 5' '--throughput 5 --saved 1us --calls none' '--throughput 5 --saved 1us --workers 0' '--throughput 5 --saved 1us --noise 100%'; do
  # shellcheck disable=SC2086
  run whatif predict $wrong
  check "refused: $wrong" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
done

cat >points.csv <<'END'
slowdown_rps,target_processing_us_before,target_processing_us_after,c_target,q_target,delta_per_user_req_us,predicted_rps
2545.670613587085,1000,0,0.45175405908969923,2,225.87702954484962,5989.933238198921
1000,,,,,500,2000.00
1000,,,,,500,
END
run whatif predict --points points.csv
check "a table of points: bit for bit, to the last digit, and without a recorded one" 'exits 0' 'said "3 points; 2 of 2 recorded predictions reproduced to the last printed digit, 2 of them bit for bit; 0 refused"' \
  'said "2 225.87702954484962 5989.933238198921 5989.933238198921 bits"' 'grep -qE "^ +4 +500.0 +2000.0$" out'
{ cat points.csv && echo 1000,,,,,500,2000.01 && echo 3000,,,,,1,3009.03; } >other.csv
run whatif predict --points other.csv
check "a recorded prediction that is another one" 'exits 1' 'said "5 500.0 2000.0 2000.01 no"' 'said " 3009.03 digits"' 'said "3 of 4"'
echo 1000,,,,,999, >>points.csv
run whatif predict --points points.csv --json
check "one that is refused" 'exits 2' 'json_lines' 'json ".[3] | .digits == null and .line == 5"' 'json ".[-1] | .kind == \"points\" and .points == 4 and .identical == 2 and .refused == 1"'
echo 1000,1,0,1,0,999, >>points.csv
run whatif predict --points points.csv
check "a row with a mistake, behind those before" 'exits 65' '! out " points;"' 'said "2 225.8"' 'err "points.csv:6: q_target \"0\""'
echo a,b >points.csv
run whatif predict --points points.csv
check "columns that are missing" 'exits 65' 'err "points.csv:1: "'
run whatif predict --points none.csv
check "no table" 'exits 66' 'err none.csv'

# --- conclusions from a journal ------------------------------------------------------------------------
# web works 800 us, db twice 450 us, so db is what limits: less of db is worth 12.5 % at most, less of
# web nothing. Nobody answers at these addresses: all that is needed is in the journal.
cat >plan.yaml <<'END'
entry: web
services:
  - {name: web, poker: "127.0.0.1:1"}
  - {name: db, poker: "127.0.0.1:1"}
levels: [20, 40, 60]
repetitions: {least: 2, most: 2}
END
window() { # label, requests, window in us, saved ns of each
  local more
  for more in -4000 4000; do
    printf '{"kind":"window","change":"%s","good":true,"requests":%s,"window_ns":%s,"paused_ns":0,"noise_ns":5000000,"saved_ps":%s}\n' \
      "$1" "$2" $(($3 * 1000 + more * $2 / 10)) $(($4 * 1000))
  done
}
profile='{"kind":"profile","entry":"web","throughput":1111.1,"services":[
  {"service":"web","calls":1,"work_ns":800000,"workers":1,"workers_measured":true,"busy":0.89},
  {"service":"db","calls":2,"work_ns":450000.5,"workers":1,"workers_measured":true,"busy":1}]}'
{
  tr -d '\n' <<<"$profile" && echo
  window "as it is" 1000 900000 0
  window "rounds without pauses" 1000 900500 0
  window "web 20 %" 1000 1060000 160000
  window "web 40 %" 1000 1220000 320000
  window "web 60 %" 1000 1380000 480000
  window "db 20 %" 1000 980000 180000
  window "db 40 %" 1000 1170000 360000 # 1234.6: less than before
  window "db 60 %" 1000 545000 540000  # nothing is left
  window "web 60 %, other rounds" 1000 1380000 480000
  window "db 40 %, other rounds" 1000 1169000 360000
  echo '{"kind":"window","change":"db 20 %","good":false,"reason":"for once"}'
  echo '{"kind":"window","change":"of another time","good":true}'
} >whole.jsonl
cp whole.jsonl journal.jsonl
run whatif throughput plan.yaml --resume journal.jsonl --plot curve.svg
check "a journal with all windows needs no services" 'exits 0' 'quiet_err' 'cmp -s whole.jsonl journal.jsonl'
check "what there is, now" 'grep -qE "^  web +1.0000 " out' 'grep -qE "^  now +1111 +[0-9]+ .. [0-9]+$" out' 'grep -qE "^  rounds without pauses +1110 " out' 'out "Rounds alone change it by -0.1 %."'
check "what is not clearly more than nothing is refused" 'said "60 % less: cannot tell: of 545.0 us for each request 540.0 us are saved"'
check "the ranking" 'grep -qE "^  1\.  db +(20|40) % less: \+1[12]\.[0-9] %, at least .* requests/s for each us saved" out' 'grep -q "^      web  *no gain seen; at most" out'
check "windows that were refused are said" 'out "20 windows, and 1 that were refused"'
run whatif throughput plan.yaml --resume journal.jsonl --json
of() { echo "map(select(.kind == \"prediction\" and .change == \"$1\"))[0]"; }
check "JSON" 'exits 0' 'quiet_err' 'json_lines' 'json "map(.kind) | index(\"profile\") == 0 and index(\"experiment\") == length - 1"'
check "predictions are what was constructed" 'json "$(of "db 20 %") | .raw > 1249 and .raw < 1251 and .low < .throughput and .high > .throughput and .saved_ns == 90000"' \
  'json "$(of "web 40 %") | .raw > 1110 and .raw < 1112 and .amplification > 1.35 and .amplification < 1.36"'
check "curves do not fall, raw values are there" 'json "$(of "db 40 %") | .raw < 1236"' \
  'json "[$(of "db 20 %").throughput, $(of "db 40 %").throughput] | .[0] <= .[1] and .[0] > 1241 and .[0] < 1244"'
check "intervals know of the error of the method" 'json "[($(of "web 60 %") | .high - .raw), ($(of "web 20 %") | .high - .raw)] | .[0] >= .[1] and .[1] > 20"'
check "baselines, ranks" 'json "map(select(.kind == \"baseline\")) | length == 2 and .[0].rounds == false and .[1].rounds"' \
  'json "map(select(.kind == \"rank\")) | .[0].service == \"db\" and .[0].gains and .[1].service == \"web\" and (.[1].gains | not)"' \
  'json "$(of "db 60 %") | .refused != null and .throughput == null"'
check "the picture is SVG with all that is to be seen" 'xmllint --noout curve.svg' 'grep -q ">web<" curve.svg' 'grep -q ">db<" curve.svg' \
  '[ "$(grep -c "predicted throughput if" curve.svg)" -eq 2 ]'
run whatif throughput plan.yaml --resume journal.jsonl --plot /proc/none.svg
check "a picture that cannot be written" 'exits 70' 'err /proc/none.svg'
run whatif throughput plan.yaml --resume journal.jsonl --plot picture.gif
check "a picture of another kind" 'exits 64' 'err "picture.gif"' 'quiet_out'

# --- times that contain waiting ------------------------------------------------------------------
waits() { run whatif throughput "$1" --resume journal.jsonl "${@:2}"; }
cp whole.jsonl journal.jsonl
waits plan.yaml
check "no doubt, no warning" 'exits 0' '! out "may contain waiting"'
sed 's|{name: db, poker: "127.0.0.1:1"}|{name: db, command: x, proxy: ":1=:2"}|' plan.yaml >proxy.yaml
waits proxy.yaml
check "a proxy is named, with the remedy, in one line" 'exits 0' \
  'said " warning: the time of db (measured at a proxy) may contain waiting; state \`work\` and \`workers\` in the plan."' '[ "$(grep -c "warning:" out)" -eq 1 ]'
waits proxy.yaml --json
check "as JSON" 'exits 0' 'json "map(select(.kind == \"waiting\")) == [{kind: \"waiting\", service: \"db\", by: \"proxy\", neighbour: null}]"'
sed -i 's|":1=:2"}|":1=:2", work: 450us, workers: 1}|' proxy.yaml
waits proxy.yaml
check "none where the plan states the work" 'exits 0' '! out "may contain waiting"'
sed -E '1s/800000,"workers":1/1900000,"workers":16/; 1s/"workers":1,/"workers":14,/; 1s/0\.89/0.97/' whole.jsonl >journal.jsonl
waits plan.yaml
check "a service that contains its callee's time" 'exits 0' \
  'said " warning: the time of web (as long as that of db, both being busy) may contain waiting; "'

# --- what contradicts a prediction ---------------------------------------------------------------
sed -E '1s/800000,"workers":1/18000000,"workers":16/' whole.jsonl >journal.jsonl # web: 889 at most
waits plan.yaml
check "more than another service can serve is withheld" 'exits 0' \
  'said "20 % less: between: it would be 1250 requests/s, but web can serve 889 (16 at once, 18.000 ms each, 1 calls a request)"' \
  '! grep -qE "^ +20 % less +180.0 us +[0-9]" out' 'grep -qE "^ +20 % less +225.0 us +111[01]" out'
sed 's|{name: web, poker: "127.0.0.1:1"}|{name: web, poker: "127.0.0.1:1", work: 830us, workers: 1}|' plan.yaml >stated.yaml
sed 1s/800000,/830000,/ whole.jsonl >journal.jsonl # web: 1205
waits stated.yaml
check "what is left, where it is narrow, is a number" 'exits 0' 'grep -qE "^ +20 % less +180.0 us +119[78] +116[78] .. 1229 " out' \
  'said "20 % less: predicted, as what is left is narrow: it would be 1250 requests/s, but web can serve 1205 (1 at once"'
waits stated.yaml --json
check "as JSON" 'json "$(of "db 20 %") | .answer == \"predicted\" and .refused == null and (.remark | test(\"web can serve 1205\"))"' \
  'json "$(of "web 20 %") | .answer == \"predicted\" and .remark == null"'
sed -E '1s/800000,"workers":1/18000000,"workers":16/; 1s/450000.5,/4500000.5,/' whole.jsonl >journal.jsonl
sed '/^levels:/s/.*/levels: [60]\ntargets: [db]/' plan.yaml >one.yaml
waits one.yaml
check "where nothing can be predicted the exit code says so" 'exits 2' 'grep -qE "db +cannot tell; at most" out'
sed 's|"saved_ps":0}|"saved_ps":0,"errors":3}|' whole.jsonl >journal.jsonl
waits plan.yaml
check "answers that were errors are said" 'exits 0' 'out "12 answers of web were errors"'
sed '1s/"calls":1,/"calls":0,/' whole.jsonl >journal.jsonl
waits plan.yaml
check "a service whose calls are not counted is told" 'exits 0' 'said "warning: web: no call was counted, so it never pauses"'
cp whole.jsonl journal.jsonl
waits plan.yaml
check "that nobody saw the answers is said" 'exits 0' 'out "Whether web answered with errors is not known"'

head -c -15 whole.jsonl >journal.jsonl
run whatif throughput plan.yaml --resume journal.jsonl
check "a journal that was cut off goes on with its whole lines" 'exits 0' '[ "$(wc -l <journal.jsonl)" -eq 22 ]' 'cmp -s journal.jsonl <(head -22 whole.jsonl)'
sed 's/"db"/"cache"/' whole.jsonl >journal.jsonl
run whatif throughput plan.yaml --resume journal.jsonl
check "a journal of another plan" 'exits 65' 'err "journal.jsonl:1: is of another plan"'
{ head -1 whole.jsonl && echo '{"kind":"window","change":"db 20 %","good":true,"requests":1}'; } >journal.jsonl
run whatif throughput plan.yaml --resume journal.jsonl
check "a journal with a hole" 'exits 65' 'err "journal.jsonl:2: has no numbers"'
echo '[' >journal.jsonl
run whatif throughput plan.yaml --resume journal.jsonl
check "a journal that is none" 'exits 65' 'err "journal.jsonl:1: is no JSON"'
run whatif throughput plan.yaml --resume missing.jsonl
check "no journal" 'exits 66' 'err missing.jsonl'
run whatif throughput plan.yaml --journal whole.jsonl
check "a journal is not overwritten" 'exits 64' 'err "go on with --resume"' '[ "$(wc -l <whole.jsonl)" -eq 23 ]'
run whatif throughput plan.yaml --journal /proc/none.jsonl
check "a journal that cannot be made" 'exits 70' 'err /proc/none.jsonl'
run whatif throughput plan.yaml
check "nobody answers" 'exits 69' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]' 'err 127.0.0.1:1'
for wrong in '--scale-out web' '--scale-out web=1' '--scale-out shop=2' '--workers db=x' '--together web=40' '--together web=40%,web=20%' '--together web=100%' '--budget soon'; do
  # shellcheck disable=SC2086
  run whatif throughput plan.yaml $wrong
  check "refused: $wrong" 'exits 64' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
done
{
  head -5 whole.jsonl
  window "db with 2 replicas" 1000 1250000 450000
  window "web 20 %, db 40 %" 1000 1160000 520000
  window "db with 3 workers" 1000 1400000 600000
  window "db with 2 replicas, other rounds" 1000 1250000 450000
  window "web 20 %, db 40 %, other rounds" 1000 1160000 520000
  window "db with 3 workers, other rounds" 1000 1400000 600000
} >changes.jsonl
run whatif throughput plan.yaml --resume changes.jsonl --scale-out db=2 --workers db=3 --together web=20%,db=40%
check "other changes: replicas, workers, several services" 'exits 0' 'grep -q "db with 2 replicas  *450.0 us  *1250 " out' 'grep -q "db with 3 workers  *600.0 us  *1250 " out' \
  'grep -qE "web 20 %, db 40 %  *520.0 us  *156[23] " out' '! out "Which service first"'

run whatif throughput none.yaml
check "no plan" 'exits 66' 'err none.yaml'
sed 's/^entry: web/entry: shop/' plan.yaml >bad.yaml
run whatif throughput bad.yaml
check "a plan with a mistake" 'exits 65' '[ "$(wc -l <err)" -eq 1 ]' 'err "bad.yaml: entry: \"shop\""'

# --- experiments ---------------------------------------------------------------------------------------
# web begins ten requests every few milliseconds, and db one for each of them. $1 is a marker by which
# the test finds what is left. How well such services are measured depends on how busy the machine is, so
# nothing is said of it here.
marker=whatif-$$-$RANDOM
mkfifo calls
cat >web.sh <<'END'
exec 3<>"$TAILPROOF_POKER_COUNT" 4<>calls
while :; do
  printf xxxxxxxxxx >&3
  printf '\n\n\n\n\n\n\n\n\n\n' >&4
  sleep 0.004
done
END
cat >db.sh <<'END'
exec 3<>"$TAILPROOF_POKER_COUNT" 4<>calls
while read -r call; do
  printf x >&3
done <&4
END
cat >live.yaml <<END
entry: web
load: sleep 1000 # $marker
services:
  - {name: web, command: sh web.sh $marker, count_pipe: yes, workers: 1, work: 1ms}
  - {name: db, command: sh db.sh $marker, count_pipe: yes, workers: 1, work: 2ms}
targets: [db]
levels: [50]
batch: 10
warmup: 50ms
window: 500ms
repetitions: {least: 1, most: 1}
precision: 99%
END
left() { pgrep -f "$marker" | grep -vx $$; }
gone() { until_true '[ -z "$(left)" ]'; } # everything
# On a busy machine an experiment may end, as a load of which too little comes is none, or nobody answers: then another one is made.
starved() { [ "$status" -eq 69 ] && grep -qE 'the load is starved|host not overloaded' err; }
whatif() { # options of whatif throughput
  local attempts
  for ((attempts = 0; attempts < 200; attempts++)); do
    [[ $* != *--journal\ live.jsonl* ]] || rm -f live.jsonl
    run whatif throughput "$@"
    starved || return
  done
}
export TMPDIR=$scratch/temporary
mkdir "$TMPDIR"
folders() { find "$TMPDIR" -mindepth 1 -maxdepth 1 | wc -l; }
whatif live.yaml --journal live.jsonl --json
check "an experiment runs and leaves nothing behind" '[ "$status" -eq 0 ] || [ "$status" -eq 2 ]' 'json_lines' 'gone' '[ "$(folders)" -eq 0 ]' \
  'json "map(select(.kind == \"window\")) | length >= 3 and (map(select(.change == \"db 50 %\")) | any(.rounds > 0 and .owed_ns > 0))"' \
  '[ "$(wc -l <live.jsonl)" -ge 4 ]'
check "progress is said on stderr" 'err "windows, about"'

sed 's/most: 1/most: 1000/; s/least: 1/least: 1000/' live.yaml >long.yaml
# ended SIGNAL JOURNAL PATTERN: an experiment is under way, PATTERN is in its journal, and a signal ends it.
ended() {
  local pid attempts
  for ((attempts = 0; attempts < 200; attempts++)); do
    rm -f "$2"
    "$program" whatif throughput long.yaml --journal "$2" >out 2>err &
    pid=$!
    until_true "grep -qs '$3' '$2' || ! kill -0 $pid"
    kill "-$1" $pid 2>/dev/null
    wait $pid 2>/dev/null
    status=$? last="whatif throughput long.yaml, SIG$1"
    starved || return
  done
}
for signal in INT TERM; do
  ended $signal $signal.jsonl '"good":true'
  check "SIG$signal: what was measured is said and kept" 'exits 130' 'out "Ended early, by an interrupt"' 'out "requests enter at web"' 'gone' '[ "$(folders)" -eq 0 ]' \
    '[ "$(wc -l <$signal.jsonl)" -ge 2 ]'
done
whatif live.yaml --resume INT.jsonl
check "and it goes on" '[ "$status" -eq 0 ] || [ "$status" -eq 2 ]' 'gone' '[ "$(grep -c "db 50 %" INT.jsonl)" -ge 1 ]'
ended KILL killed.jsonl '"kind":"window"'
check "killed: everything else ends as well" 'exits 137' 'gone'
rm -rf "$TMPDIR"/*

# One that runs under a poker of its own is directed, and goes on without pauses.
"$program" poker --name db --listen 127.0.0.1:0 --ready db.ready --count-pipe -- sh db.sh $marker 2>poker.err &
poker=$!
until_true '[ -s db.ready ] || ! kill -0 $poker'
sed "s/name: db, command: [^,]*, count_pipe: yes/name: db, poker: '$(cat db.ready)'/" live.yaml >remote.yaml
for time in first second; do
  whatif remote.yaml --json
  check "a service under its own poker, $time time" '[ "$status" -eq 0 ] || [ "$status" -eq 2 ]' 'kill -0 $poker' '[ "$(folders)" -le 1 ]' \
    'json "map(select(.kind == \"window\" and .change == \"db 50 %\")) | any(.rounds > 0 and .owed_ns > 0)"'
done
kill -TERM $poker
wait $poker
check "which ends by itself" 'gone'

broken() { # title, exit code, words, sed expression
  sed -E "$4; s/^warmup: .*/warmup: 5s/" live.yaml >broken.yaml # it breaks before anything is measured
  run whatif throughput broken.yaml
  check "refused: $1" "exits $2" 'quiet_out' "err '$3'" 'gone' '[ "$(grep -vc "windows, about" err)" -eq 1 ]'
}
broken "a service that is not there" 69 'service web ended with exit code' 's/name: web, command: sh/name: web, command: no-such-program/'
broken "a service that ends" 69 'service db ended with exit code 3; its last words: good-bye' 's/name: db, command: [^,]*/name: db, command: "sh -c \\"sleep 1; echo good-bye; exit 3\\""/'
broken "one that ends before its poker has said where it listens" 69 'service db ended with exit code 3; its last words: ' 's/name: db, command: [^,]*/name: db, command: "sh -c \\"echo good-bye; exit 3\\""/'
broken "a load that ends" 69 'the load ended with exit code 5' 's/^load: .*/load: sh -c "sleep 1; exit 5"/'
echo 0123456789abcdef >key
chmod 644 key
broken "a key that others can read" 65 'key' '1s/^/key: key\n/'
broken "no key" 66 'nokey' '1s/^/key: nokey\n/'
finish
