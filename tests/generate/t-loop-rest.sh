#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Programs of `generate --loop` of nodes that rest: timeouts, limits on arrivals, schedules. Their recorded runs follow the
# protocol, also under kill -9 and garbage; and `replay` sees it where a program breaks a limit. TEST_ALL=1: of more protocols.
. "$(dirname "$0")/../cli/tap.sh"
. "$(dirname "$0")/nodes.sh"

# A sensor that could report at any time reports as often as its bucket lets it.
settings="T=100000000 B=3 D=60000000000"
run generate "$specs/token_bucket.tp" --out "$scratch/bucket" --loop
build "$scratch/bucket"
start "$scratch/bucket" token_bucket "$settings" sensor server user
until_true '[ "$(occurrences Handle)" -ge 7 ]'
garbage
until_true '[ "$(occurrences refused)" -ge 3 ]'
kill9 1
stop 0 2
run replay "$specs/token_bucket.tp" "$scratch/store" --set T=100ms --set B=3 --set D=60s
check "a sensor keeps to the limit on its arrivals, under kill -9 and garbage" 'exits 0' 'said "1 complete instance of 3 stores"' \
  'out "bound alarm: held"'
run arrivals "$scratch/store" --message Report --every 100ms --json
check "... and uses it: three at once, then one every period" 'exits 0' 'out "\"burst\":\"3\""'
sed -i 's/return tp_product(params->B - 1, params->T);/return tp_product(params->B, params->T);/' "$scratch/bucket/token_bucket_sensor_loop.c"
build "$scratch/bucket"
group "$scratch/bucket" token_bucket "$settings" sensor:6 server:6 user:6
run replay "$specs/token_bucket.tp" "$scratch/store" --set T=100ms --set B=3 --set D=60s
check "replay sees a program that does not" 'exits 1' 'out "sends a message sooner than its arrivals allow"'

# A timeout is as long as the program was told; what comes meanwhile is taken.
sed -i 's/return tp_product(params->B, params->T);/return tp_product(params->B - 1, params->T);/' "$scratch/bucket/token_bucket_sensor_loop.c"
build "$scratch/bucket"
group "$scratch/bucket" token_bucket "T=100000000 B=1 D=60000000000 Rest=150000000" sensor:4 server:4 user:4
run arrivals "$scratch/store" --message Report --every 150ms --json
check "a timeout lasts as long as --set says" 'exits 0' 'out "\"burst\":\"1\""' 'out "\"span_ns\":\"450000000\""'
run replay "$specs/token_bucket.tp" "$scratch/store" --set T=100ms --set B=1 --set D=60s
check "... in a run of the protocol" 'exits 0' 'said "8 steps, 8 messages"'

# Slots in turn, idle ones too; a slot that receives waits.
settings="FailureTime=120000000 HeartbeatInterval=20000000 TimeoutInterval=80000000 beat=1 Timeout=8000000"
run generate "$specs/performal/failure_detector.tp" --out "$scratch/detector" --loop
build "$scratch/detector"
start "$scratch/detector" failure_detector "$settings" node detector client
until_true '[ "$(occurrences MbeTimeout)" -ge 15 ] && [ "$(occurrences Delay.Alert)" -ge 1 ]'
stop
run replay "$specs/performal/failure_detector.tp" "$scratch/store" --set FailureTime=120ms --set HeartbeatInterval=20ms \
  --set TimeoutInterval=80ms --set beat=1
check "slots are taken in turn, the idle ones too" 'exits 0' 'out "bound alert: held 1 time" || out "bound alert_of_silence: held 1 time"' # of a node that came late

# resting SPEC SETTINGS COMPONENT COUNT KILLED NODE...: nodes under kill -9 and garbage; their settings for replay in `replayed`
resting() {
  local spec=$1 settings=$2 component=$3 least=$4 killed=$5 index others=()
  shift 5
  for index in $(seq 0 $(($# - 1))); do [ "$index" -eq "$killed" ] || others+=("$index"); done
  run generate "$specs/$spec.tp" --out "$scratch/more" --loop
  build "$scratch/more"
  start "$scratch/more" "${spec##*/}" "$settings" "$@"
  until_true '[ "$(occurrences $component)" -ge $least ]'
  garbage
  until_true '[ "$(occurrences refused)" -ge 4 ]'
  kill9 "$killed"
  stop "${others[@]}"
  check "$spec: told to end, nodes close their stores" "[ $? -eq 0 ]"
  # shellcheck disable=SC2154
  run replay "$specs/$spec.tp" "$scratch/store" "${replayed[@]}"
  check "$spec: a run under kill -9 and garbage follows the protocol" 'exits 0' 'said "1 complete instance of '$#' stores"'
  rm -rf "$scratch/more"
}
if [ -n "${TEST_ALL:-}" ]; then
  records=131072
  replayed=(--set f=2 --set Timeout=50ms --set Longer=30s)
  resting leader_election "f=2 Timeout=50000000 Longer=30000000000" Count 2 2 'server[0]' 'server[1]' 'server[2]' 'server[3]' client
  replayed=(--set n=2)
  resting request_stream "n=2 Think=5000000" Answer 6 1 'client[0]' 'client[1]' gateway store
  replayed=(--set f=1)
  for spec in performal/ironrsl_standard performal/ironrsl_advanced; do
    resting $spec "f=1 T0=2000000" MaybeDecide 60 1 'replica[0]' 'replica[1]' 'replica[2]' client
  done
  # The leader dies, the others wait for two epochs and elect another one.
  run generate "$specs/performal/ironrsl_leader_failure.tp" --out "$scratch/failure" --loop
  build "$scratch/failure"
  start "$scratch/failure" ironrsl_leader_failure "f=1 EL=50000000 HB=10000000 T0=1000000" 'replica[0]' 'replica[1]' 'replica[2]' client
  until_true '[ "$(occurrences MaybeDecide)" -ge 30 ]'
  kill9 0
  until_true '[ "$(occurrences MaybeDecide)" -ge 600 ]'
  garbage
  stop 1 2 3
  run replay "$specs/performal/ironrsl_leader_failure.tp" "$scratch/store" --set f=1 --set EL=50ms --set HB=10ms
  check "a leader that is killed is followed by another one, as the protocol says" 'exits 0' 'out "bound reply: held 1 time"'
  replayed=(--set W=2 --set L=3 --set D=60s)
  resting bounded_queue "W=2 L=3 D=60000000000 client.Ask=1000000" Handle 14 2 client gate 'worker[0]' 'worker[1]' user
  replayed=(--set W=2 --set T=20ms --set B=2 --set D=60s)
  resting worker_pool "W=2 T=20000000 B=2 D=60000000000 Rest=100000" Handle 14 2 client dispatcher 'worker[0]' 'worker[1]' user
fi

# What a loop cannot hold back to keep a limit.
sed 's/on timeout Rest {/cost Make {/; s/^timeout Rest.*/component Make/' "$specs/token_bucket.tp" | sed 's/^component Make/repeated Make/' >"$scratch/pushed.tp"
run generate "$scratch/pushed.tp" --out "$scratch/pushed" --loop
check "a step that cannot wait for its limit has no loop" 'exits 65' 'err "this step sends Report, whose arrivals have a limit"' \
  '[ ! -e "$scratch/pushed" ]' '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
finish
