#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: `tailproof whatif throughput` on the shop, with windows that are too short to say anything
# true: the shape of what it prints, and that it leaves nothing behind.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
case $BUILD in /*) ;; *) export BUILD=$PWD/$BUILD ;; esac
tailproof=$BUILD/tailproof
SERVICES_BASE=$(free_ports 10)
export SERVICES_BASE
export TAILPROOF_TEST_MARK=shop.$$.$RANDOM # by which processes of this test are known

left() { # what of this test still runs
  local file
  for file in /proc/[0-9]*/environ; do
    grep -qzs "^TAILPROOF_TEST_MARK=$TAILPROOF_TEST_MARK$" "$file" &&
      case $(tr '\0' ' ' <"${file%environ}cmdline" 2>/dev/null) in
      *services/services* | *tailproof*) echo "$file" ;;
      esac
  done
}

nothing_left() { # soon
  for _ in $(seq 144000); do # two hours: a busy machine fails nothing
    [ -z "$(left)" ] && return 0
    sleep 0.05
  done
  return 1
}

cp -r examples/shop "$scratch/shop"
sed -i "s|^graph=.*||; s|^top=.*|top=$PWD|" "$scratch/shop/start"
plan() { # plan MORE...: the shop's own plan, hurried
  {
    cat examples/shop/plan.yaml
    printf '%s\n' 'warmup: 100ms' 'window: 300ms' 'repetitions: {least: 1, most: 1}' 'batch: 6' "$@"
  } >"$scratch/shop/hurried.yaml"
}

whatif() {
  timeout 2h "$tailproof" whatif throughput "$scratch/shop/hurried.yaml" "$@" >"$scratch/out" 2>"$scratch/log"
}

# On a busy machine too little of the load may come, or nobody answer: then another one is tried.
starved() { [ $status -eq 69 ] && grep -qE 'the load is starved|host not overloaded' "$scratch/log"; }
tried() {
  local try
  for ((try = 0; try < 50; try++)); do
    whatif "$@"
    status=$?
    starved || break
  done
}

json() { jq -es "$1" "$scratch/out" >/dev/null 2>>"$scratch/log"; }

plan 'targets: [price, db]' 'levels: [20%, 40%]'
tried --json --plot "$scratch/curve.svg" # on a busy machine such windows may carry no prediction
[ $status -eq 0 ] || [ $status -eq 2 ]
result $? "the shop is tried"
json '[.[] | select(.kind == "profile")] | length == 1 and (.[0].services | length == 5)' &&
  json '[.[] | select(.kind == "prediction")] | length == 4 and (map(.target) | unique) == ["db", "price"]' &&
  json '[.[] | select(.kind == "rank")] | length == 2'
result $? "a profile of five services, four predictions, a ranking of two"
json '[.[] | select(.kind == "profile")][0].services | map({key: .service, value: .calls}) | from_entries |
  .web == 1 and .price > 2 and .price < 4 and .db > 0.1 and .db < 1'
result $? "web is called once for each user, price some three times, db less than once"
if [ -e "$scratch/curve.svg" ]; then
  xmllint --noout "$scratch/curve.svg" 2>>"$scratch/log"
else # windows of 0.3 s may leave two ends of each prediction
  [ $status -eq 2 ] && grep -q "there is no curve to draw" "$scratch/log"
fi
result $? "the curve is a picture, or it is said that there is none"
nothing_left
result $? "nothing is left running"

plan 'targets: [price]'
for ((try = 0; try < 50; try++)); do
  "$tailproof" whatif throughput "$scratch/shop/hurried.yaml" >"$scratch/out" 2>"$scratch/log" &
  trying=$!
  # As a background process of a script it would ignore the keyboard's until it takes it.
  until { [ "$(cat /proc/$trying/comm)" = tailproof ] && grep -Eq '^SigCgt:.*[2367abef]$' /proc/$trying/status; } || ! kill -0 $trying; do sleep 0.05; done
  sleep 2
  kill -INT $trying
  wait $trying
  status=$?
  starved || break
done
[ $status -eq 130 ] && nothing_left
result $? "interrupted: nothing is left running"

BUILD=$scratch/none whatif
status=$?
[ $status -eq 69 ] && grep -q 'run make in' "$scratch/log" && nothing_left
result $? "services that are not built: the message says make"
rm -rf "$scratch/shop" "$scratch/out" "$scratch/curve.svg"
clean ""
result $? "no other file is left"
echo "1..$count"
