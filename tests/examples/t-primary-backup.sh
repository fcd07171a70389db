#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the primary and its backups record stores that follow specs/primary_backup.tp, clean up, and
# say what is missing.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
system=$BUILD/examples/primary_backup/primary_backup

for backups in 1 8; do
  "$system" --out "$scratch/run" --backups $backups --requests 100 >"$scratch/log" 2>&1
  result $? "a run of $backups backups"
  [ "$(ls "$scratch/run/store" | wc -l)" -eq $((backups + 2)) ] && clean "run "
  result $? "a store for each node, and nothing else is left"
  "$tailproof" replay specs/primary_backup.tp "$scratch/run/store" --bound reply --set n=$backups \
    >"$scratch/log" 2>&1 && grep -q 'held 100 times' "$scratch/log"
  result $? "each request is an execution of specs/primary_backup.tp"
  "$tailproof" import --out "$scratch/components" "$scratch/run/store" >"$scratch/log" 2>&1 &&
    (cd "$scratch/components" && for part in BackupRequest PrimaryAck d.Request d.Ack Queuing.Request Queuing.Ack; do
      [ "$(total $part.tph)" -eq $((100 * backups)) ] || exit 1
    done && [ "$(total PrimaryRequest.tph)" -eq 100 ] && [ "$(total reply.tph)" -eq 100 ])
  result $? "all parts of all requests are in the series"
  rm -rf "$scratch/run" "$scratch/components"
done

# With housekeeping all the time requests wait for it: Queuing(Request) is real.
"$system" --out "$scratch/run" --backups 2 --requests 100 --tidy-every-us 100 --tidy-us 2000 >"$scratch/log" 2>&1 &&
  "$tailproof" replay specs/primary_backup.tp "$scratch/run/store" --bound reply --set n=2 >>"$scratch/log" 2>&1 &&
  "$tailproof" import --out "$scratch/components" "$scratch/run/store" >>"$scratch/log" 2>&1 &&
  awk '/^[0-9]+ / { most = $1 } END { exit !(most > 100000) }' "$scratch/components/Queuing.Request.tph"
result $? "a request waits while its backup tidies up"
rm -rf "$scratch/run" "$scratch/components"

"$system" --out "$scratch/run" --backups 2 --requests 100 --busy --delay-us 0 --spread-us 0 >"$scratch/log" 2>&1 &&
  "$tailproof" replay specs/primary_backup.tp "$scratch/run/store" --bound reply --set n=2 >>"$scratch/log" 2>&1
result $? "busy backups without a relay follow the protocol, too"
rm -rf "$scratch/run"

# Under an open loop: each request waits for the work ahead of it and no longer. The bound of its own steps is its service.
mkdir -p "$scratch/build/examples/primary_backup"
cp "$tailproof" "$scratch/build/tailproof"
cp "$system" "$scratch/build/examples/primary_backup/primary_backup"
BUILD=$scratch/build examples/primary_backup/load.sh 80 60 >"$scratch/log" 2>&1 &&
  awk '$1 == "60%" { n++; bad += $3 != 80 || $14 != 80 || $5 < 1 || $8 < $7 } END { exit n != 4 || bad }' "$scratch/log"
result $? "requests that fall due whatever the replies are within the work ahead of each"
awk -F, 'NR > 1 { bad += $2 < $1 || $3 <= $2 || $1 <= before || $2 < answered; before = $1; answered = $3 } END { exit NR != 81 || bad }' \
  "$scratch/build/examples/primary_backup/load/poisson-60/requests.csv"
result $? "none is asked before it is due, or before the one before is answered"
examples/primary_backup/load.sh 0 >"$scratch/log" 2>&1
[ $? -eq 64 ] && grep -q "is no whole number" "$scratch/log"
result $? "load.sh refuses a number of requests that is none"
rm -rf "$scratch/build"

# Bytes from strangers, to every socket of the run.
for pause in 5000 50000 500000; do # longer where it was over before they came
  rm -rf "$scratch/run"
  "$system" --out "$scratch/run" --backups 2 --requests 600 --pause-us $pause >"$scratch/log" 2>&1 &
  pid=$!
  children_wait $pid 5
  strangers $pid
  wait $pid
  code=$?
  grep -qE '^[1-9][0-9]* datagrams that were no message of the run were ignored' "$scratch/log" && ignored=yes && break
done
[ $code -eq 0 ] && [ "${ignored:-}" = yes ] &&
  "$tailproof" replay specs/primary_backup.tp "$scratch/run/store" --bound reply --set n=2 >"$scratch/log" 2>&1 && grep -q 'held 600 times' "$scratch/log"
result $? "bytes that are no message of the run are counted and change nothing"
rm -rf "$scratch/run"

start() { # start ARGUMENTS: in the background; $pid, and $nodes that it has started
  # shellcheck disable=SC2086
  "$system" --out "$scratch/bad" --requests 10000000 $1 >"$scratch/log" 2>&1 &
  pid=$!
  children_wait $pid 6
  nodes=$(children $pid)
}

# A node that is stopped before all are ready keeps the others waiting for ever: wait until it waits for messages.
waits_for_messages() {
  until grep -q poll "/proc/$1/wchan" 2>/dev/null || ! kill -0 $pid 2>/dev/null; do sleep 0.01; done
}

gone() { # neither processes nor files
  # shellcheck disable=SC2086
  none_left $nodes && clean ""
}

start ""
kill -INT $pid
wait $pid
[ $? -eq 130 ] && [ "$(echo "$nodes" | wc -w)" -eq 6 ] && gone
result $? "an interrupted run exits with 130 and leaves neither processes nor files"

start ""
kill -KILL "$(echo "$nodes" | sed -n 2p)"
wait $pid
[ $? -eq 70 ] && grep -q 'was killed by signal 9' "$scratch/log" && gone
result $? "a peer that is gone ends the run, saying which"

start "--timeout 1"
silent=$(echo "$nodes" | sed -n 3p)
waits_for_messages "$silent"
kill -STOP "$silent"
wait $pid
[ $? -eq 70 ] && grep -q 'no acknowledgement for 1 s from backup\[[0-2]\]:' "$scratch/log" && gone
result $? "one that does not answer, too"

start "--timeout 1 --loss-ppm 50000"
wait $pid
[ $? -eq 70 ] && grep -q 'a message was lost' "$scratch/log" && gone
result $? "and a lost message"

start ""
kill -KILL $pid
wait $pid 2>/dev/null
# shellcheck disable=SC2086
for ((tries = 0; tries < 2000; tries++)); do none_left $nodes && break; sleep 0.05; done
# shellcheck disable=SC2086
none_left $nodes
result $? "nodes do not outlive a parent that is killed"
rm -rf "$scratch"/bad.*

wrong "$system" "" "--out DIR is missing"
wrong "$system" "--out $scratch/x --backups 0" "--backups 0: a whole number from 1 to 8"
wrong "$system" "--out $scratch/x --backups 9" "--backups 9: a whole number from 1 to 8"
wrong "$system" "--out $scratch/x --requests x" "--requests x: a whole number"

"$system" --out "$scratch/x" --netns none >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'netns has delays of its own' "$scratch/log" && clean ""
result $? "a relay between namespaces is refused"
echo "1..$count"
