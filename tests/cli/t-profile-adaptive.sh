#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sampling whose rate follows what is seen, and threads that are left out; and mistakes.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

run profile --floor 20 -- true
check "a floor of nothing" 'exits 64' 'err "give --adaptive, too"'
run profile --adaptive --floor 2000 -- true
check "a floor above the most" 'exits 64' 'err "--floor 2000 is above --rate 999"'
run profile --adaptive --overhead 5 -- true
check "a budget without a sign" 'exits 64' 'err "--overhead 5: give a part of a processor, such as 1%"'
run profile --adaptive --window 1ms -- true
check "a window that is too short" 'exits 64' 'err "--window 1ms: give a time of 100 ms or more"'
run profile --keep 0% -- true
check "nothing to keep" 'exits 64' 'err "--keep 0%: give a share above 0"'

run profile --adaptive --window 100ms --floor 100 --overhead 100% --out a.tpp --json -- sh -c 'i=0; while [ $i -lt 600000 ]; do i=$((i+1)); done'
if [ "$status" -eq 69 ]; then
  check "the kernel lets nobody sample here, and what is missing is said" 'grep -qE "perf_event_paranoid|CAP_PERFMON" err'
  finish
  exit
fi
check "an adaptive rate" 'exits 0' 'json "any(.[]; .kind == \"assumption\" and (.text | startswith(\"the rate was between 100 and 999 samples a second\")))"' \
  'json "any(.[]; .kind == \"assumption\" and (.text | test(\"^between two changes samples speak for all windows.*the file has the phases and the weight of each sample.s rate\")))"'
check "what a sample costs was measured" 'json "any(.[]; .kind == \"assumption\" and (.text | test(\"^a sample costs the program that it interrupts [0-9.]+ us, as measured\")))"'
cp out reported
run profile show a.tpp --json --full
check "the file shows the shares that were reported: it has the phases, too" 'exits 0' \
  'json "any(.[]; .kind == \"assumption\" and (.text | test(\"the rate changed with the program\")))"' \
  '[ "$(jq -s "[.[] | select(.kind == \"function\") | .self_share] | sort | .[-5:]" out)" = "$(jq -s "[.[] | select(.kind == \"function\") | .self_share] | sort | .[-5:]" reported)" ]' \
  '[ "$(jq -s "[.[] | select(.kind == \"function\") | .self_share] | max" out)" != null ]'
run profile simulate a.tpp --json
check "what it kept can be read" 'exits 0 || err "fewer than 4 windows"'
run profile --keep 50% --rate 499 --json -- sh -c 'i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done & i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; wait'
check "threads that hardly run are left out" 'exits 0' 'json "any(.[]; .kind == \"assumption\" and (.text | test(\"^the callers in [0-9]+ of [0-9]+ threads are left out\")))"'

finish
