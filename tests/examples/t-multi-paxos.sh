#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the replicas of the state machine agree, also when the leader is killed or messages are lost;
# what they record follows specs/multi_paxos.tp. That they agree is proved of the file that their steps
# are generated of.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
system=$BUILD/examples/multi_paxos/multi_paxos

for failures in 1 2; do
  "$system" --out "$scratch/run" --failures $failures --requests 150 --epoch-ms 2000 --heartbeat-ms 100 >"$scratch/log" 2>&1 &&
    grep -qF "the logs of $((2 * failures + 1)) replicas agree: 150 operations, each of 150 requests executed once" \
      "$scratch/log" && clean "run "
  result $? "f = $failures: all logs agree, each request is executed once"
  "$tailproof" replay specs/multi_paxos.tp "$scratch/run/store" --bound reply --set f=$failures >"$scratch/log" 2>&1 &&
    grep -q 'held 150 times' "$scratch/log"
  result $? "each request is an execution of specs/multi_paxos.tp"
  "$tailproof" import --out "$scratch/components" "$scratch/run/store" "$scratch/run/loop" >"$scratch/log" 2>&1 &&
    (cd "$scratch/components" && for part in Decide Execute Count TakePropose Queuing.Propose delay.Accepted reply; do
      case $part in
      reply) expected=150 ;;
      Count) expected=$((150 * (2 * failures + 1) * (2 * failures + 1))) ;;
      *) expected=$((150 * (2 * failures + 1))) ;;
      esac
      [ "$(total $part.tph)" -eq $expected ] || { echo "$part: $(total $part.tph)"; exit 1; }
    done) >>"$scratch/log" 2>&1
  result $? "every replica decides, executes and accepts every request"
  [ $failures -eq 2 ] || rm -rf "$scratch/run"
  rm -rf "$scratch/components"
done

"$system" --out "$scratch/run" >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'not empty' "$scratch/log"
result $? "an earlier recording is not overwritten"
rm -rf "$scratch/run"

# Each of these runs ends only when the request during which the leader was killed is answered, and
# with the right value.
"$system" --out "$scratch/run" --kills 4 --epoch-ms 40 >"$scratch/log" 2>&1 &&
  [ "$(grep -c '^the logs of 3 replicas agree: .* each of 7 requests executed once; 1 killed' "$scratch/log")" -eq 4 ] &&
  grep -q '^set EL=40ms' "$scratch/run/run.txt"
result $? "requests survive the leader's kill"
"$tailproof" import --out "$scratch/components" "$scratch/run/store" >>"$scratch/log" 2>&1 &&
  [ "$(total "$scratch/components/fail_over.tph")" -ge 1 ]
result $? "a new leader has answered"
rm -rf "$scratch/run" "$scratch/components"

"$system" --out "$scratch/run" --kills 3 --failures 2 --epoch-ms 20 --loss-ppm 50000 --seed 7 >"$scratch/log" 2>&1
result $? "they agree with one message of twenty lost, too"
rm -rf "$scratch/run"

"$system" --out "$scratch/run" --requests 100 --loss-ppm 1000000 >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'no reply to request 1 .*: a message was lost' "$scratch/log" && clean ""
result $? "without a kill a lost message ends the run, and nothing is claimed"

# Bytes from strangers, to every socket of the run.
"$system" --out "$scratch/run" --requests 300 --epoch-ms 2000 >"$scratch/log" 2>&1 &
pid=$!
children_wait $pid 5
strangers $pid
wait $pid && grep -q 'each of 300 requests executed once' "$scratch/log" &&
  "$tailproof" replay specs/multi_paxos.tp "$scratch/run/store" --bound reply --set f=1 >"$scratch/log" 2>&1 &&
  grep -q 'held 300 times' "$scratch/log"
result $? "bytes that are no message of the run change nothing"
rm -rf "$scratch/run"

"$system" --out "$scratch/run" --requests 1000000 >"$scratch/log" 2>&1 &
pid=$!
children_wait $pid 5
nodes=$(children $pid)
kill -INT $pid
wait $pid
# shellcheck disable=SC2086
[ $? -eq 130 ] && [ "$(echo "$nodes" | wc -w)" -eq 5 ] && none_left $nodes && clean ""
result $? "an interrupted run exits with 130 and leaves neither processes nor files"

"$tailproof" verify examples/multi_paxos/paxos.tp >"$scratch/log" 2>&1 && grep -q '^examples/multi_paxos/paxos.tp: voted: proved$' "$scratch/log"
result $? "paxos.tp is proved, with what it says of agreement"

wrong "$system" "--out $scratch/run --failures 3" "--failures"
wrong "$system" "--requests 5" "--out DIR is missing"
echo "1..$count"
