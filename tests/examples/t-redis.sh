#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: a Redis primary and its replicas, seen from outside, follow specs/redis_wait.tp; the run cleans
# up, and says what is missing.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
system=$BUILD/examples/redis/redis

for acks in 1 3; do
  "$system" --out "$scratch/run" --replicas 3 --acks $acks --requests 150 >"$scratch/log" 2>&1
  result $? "a run of 3 replicas, WAIT $acks"
  [ "$(ls "$scratch/run/store" | wc -l)" -eq 5 ] && clean "run " && [ ! -e "$scratch/run/redis" ]
  result $? "a store for each node, and nothing else is left"
  "$tailproof" replay specs/redis_wait.tp "$scratch/run/store" --bound reply --set n=3 --set k=$acks \
    >"$scratch/log" 2>&1 && grep -q 'held 150 times' "$scratch/log"
  result $? "each request is an execution of specs/redis_wait.tp"
  "$tailproof" import --out "$scratch/components" "$scratch/run/store" >"$scratch/log" 2>&1 &&
    (cd "$scratch/components" && [ "$(total Apply.tph)" -eq 450 ] && [ "$(total d.Ack.tph)" -eq 450 ] &&
      [ "$(total Set.tph)" -eq 150 ] && [ "$(total Finish.tph)" -eq 150 ] && [ "$(total round.tph)" -eq 150 ])
  result $? "all parts of all requests are in the series"
  rm -rf "$scratch/run" "$scratch/components"
done

"$system" --out "$scratch/run" --replicas 2 --requests 40 --pause-us 20000 >"$scratch/log" 2>&1 &&
  "$tailproof" replay specs/redis_wait.tp "$scratch/run/store" --bound reply --set n=2 --set k=2 >>"$scratch/log" 2>&1 &&
  grep -q 'held 40 times' "$scratch/log"
result $? "pauses between requests: what the servers tell each other meanwhile is none"
rm -rf "$scratch/run"

# The delays are those asked for: no message of 2 ms arrives earlier. The folder is a relative one.
absolute=$(realpath "$system")
(cd "$scratch" && "$absolute" --out run --replicas 1 --requests 50 --delay-us 2000 --spread-us 0) >"$scratch/log" 2>&1 &&
  "$tailproof" import --out "$scratch/components" "$scratch/run/store" >>"$scratch/log" 2>&1 &&
  awk '/^[0-9]+ / && $1 < 1990000 { early = 1 } END { exit early }' "$scratch"/components/d.*.tph
result $? "messages take the delay that stands for the network"
rm -rf "$scratch/run" "$scratch/components"

start() {
  "$system" --out "$scratch/bad" --requests 100000 >"$scratch/log" 2>&1 &
  pid=$!
  children_wait $pid 4
  moves bad
  nodes=$(children $pid)
}

start
kill -INT $pid
wait $pid
# shellcheck disable=SC2086
[ $? -eq 130 ] && [ "$(echo "$nodes" | wc -w)" -eq 4 ] && none_left $nodes && clean ""
result $? "an interrupted run exits with 130 and leaves neither servers nor files"

start
kill -KILL "$(echo "$nodes" | sed -n 2p)"
wait $pid
# shellcheck disable=SC2086
[ $? -eq 70 ] && grep -qE 'killed by signal 9|closed' "$scratch/log" && none_left $nodes && clean ""
result $? "a server that dies ends the run, saying which"

PATH=/nowhere "$system" --out "$scratch/run" >"$scratch/log" 2>&1
[ $? -eq 69 ] && grep -q 'install it (Debian: apt-get install redis-server)' "$scratch/log" && clean ""
result $? "without redis-server"

wrong "$system" "--out $scratch/run --replicas 2 --acks 3" "--acks 3 of 2 replicas"
wrong "$system" "--replicas 2" "--out DIR is missing"
wrong "$system" "--out $scratch/run --replicas 9" "1 to 8"
echo "1..$count"
