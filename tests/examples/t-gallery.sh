#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the gallery, systems that people run: each model is proved, each probe file can be attached, and the events recorded of
# the system become requests that follow the model. TEST_ALL=1 also runs the systems themselves, as root.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
log=$scratch/log

# NAME BOUND REQUESTS CLOSEST ANSWER SETTINGS...: CLOSEST is the first request of the recording, ANSWER the event that ends one
recorded() {
  local name=$1 bound=$2 requests=$3 closest=$4 answer=$5
  shift 5
  "$tailproof" verify "examples/$name/$name.tp" >"$log" 2>&1 && grep -qx '1 proved, 0 refuted, 0 unknown' "$log"
  result $? "$name: the bound is proved"
  "$tailproof" record --probes "examples/$name/$name.yaml" --dry-run >"$log" 2>&1 &&
    [ "$(grep -c 'the kernel' "$log")" -eq "$(sed -n '/^probes:/,/^$/p' "examples/$name/$name.yaml" | grep -c '^  ')" ]
  result $? "$name: each probe has its place"
  "$tailproof" record pair "examples/$name/$name.yaml" "examples/$name/recorded/events" --out "$scratch/$name" >"$log" 2>&1 &&
    grep -qx "$requests of $requests requests paired (100.00 %)" "$log"
  result $? "$name: what was recorded is paired"
  "$tailproof" replay "examples/$name/$name.tp" "$scratch/$name" "$@" >"$log" 2>&1 &&
    grep -q "the run follows it: $requests complete instances" "$log" &&
    grep -qF "bound $bound: held $requests times; closest $closest of $closest, in instance 1" "$log"
  result $? "$name: and follows the model, to the nanosecond"
  # without the last answer, one request has none
  tac "examples/$name/recorded/events" | awk -v answer="$answer" '$0 ~ answer && !gone { gone = 1; next } { print }' | tac >"$scratch/events"
  "$tailproof" record pair "examples/$name/$name.yaml" "$scratch/events" --out "$scratch/$name.less" >"$log" 2>&1 &&
    grep -q "^$((requests - 1)) of $requests requests paired" "$log"
  result $? "$name: an answer that is missing is missed"
  rm -rf "${scratch:?}/$name" "$scratch/$name.less" "$scratch/events"
}

recorded nginx page 7 '671.031 us' ' take ' --set n=2
recorded mqtt reading 3 '693.785 us' ' take2 '
recorded dns name 3 '13.261 ms' ' take .*flags=33152'
recorded go_redis item 3 '295.491 us' ' in '
recorded queue job 3 '4.681 ms' ' hand ' --set n=2

# --- the systems themselves -------------------------------------------------------------------

paired() { # at least 99 of 100
  awk '/^[0-9]+ of [0-9]+ requests paired/ { paired += $1; all += $3 } END { exit !(all > 0 && paired >= 0.99 * all) }' "$log"
}
# Processes of a run are known by the folder for its data: from their environment, or, where they write their title over it, from
# that or from where they are.
own=$scratch/own
left() {
  local process
  for process in /proc/[0-9]*; do
    { tr '\0' '\n' <"$process/environ" && tr '\0' ' ' <"$process/cmdline" && readlink "$process/cwd"; } 2>/dev/null |
      grep -qF "$own" && return 0
  done
  return 1
}

if [ -n "${TEST_ALL:-}" ]; then
  mkdir "$own"
  for name in nginx mqtt dns go_redis queue; do
    (TMPDIR=$own make -s example NAME=$name OPTIONS='2 3' BUILD="$BUILD") >"$log" 2>&1 </dev/null
    status=$?
    [ $status -le 2 ] && paired && grep -qx 'All 3 runs follow it.' "$log" && grep -q 'took no longer than the bound evaluated for it' "$log"
    result $? "$name, watched from outside"
    ! left && [ -z "$(ls "$own")" ]
    result $? "$name leaves nothing behind"
    set -m # a group of its own, in which Ctrl-C counts
    TMPDIR=$own BUILD=$BUILD "examples/$name/run.sh" 60 1 >"$log" 2>&1 </dev/null &
    started=$!
    set +m
    while kill -0 $started 2>/dev/null && ! grep -q ' record --probes' "$log"; do sleep 0.2; done
    sleep 3
    kill -INT -- -$started
    wait $started
    [ $? -eq 130 ] && ! left && [ -z "$(ls "$own")" ]
    result $? "$name, interrupted, leaves no process behind"
  done
  (make -s example NAME=nginx OPTIONS='--nagle 2 3' BUILD="$BUILD") >"$log" 2>&1 </dev/null
  [ $? -le 2 ] && grep -A 2 'p90 at most, if one component took no time' "$log" | grep -q 'd[.]Tell .*(-[0-9.]* ms)'
  result $? "nginx: the stall of Nagle's algorithm is named"
fi
echo "1..$count"
