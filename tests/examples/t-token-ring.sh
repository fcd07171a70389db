#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the token ring records stores that follow specs/lock.tp, cleans up and refuses wrong command
# lines.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
ring=$BUILD/examples/token_ring/token_ring

# A whole histogram of the given name and total, whose counts add up and whose edges increase.
histogram_good() { # histogram_good FILE NAME TOTAL
  awk -v name="$2" -v total="$3" '
    NR == 1 { good = $0 == "tailproof-histogram 1" }
    NR == 2 { good = good && $0 == "name " name }
    NR == 3 { good = good && $0 == "unit ns" }
    NR == 4 { good = good && $0 == "sub_buckets 1024" }
    NR == 5 { good = good && $0 == "total " total }
    NR == 6 { good = good && $1 == "saturated"; sum = $2 }
    NR == 7 { good = good && $0 == "counts"; last = -1 }
    $0 == "end" { ended = NR }
    NR > 7 && NF == 2 { good = good && $1 > last && $2 > 0; last = $1; sum += $2 }
    END { exit !(good && ended == NR && sum == total) }' "$1"
}

for nodes in 1 3; do
  "$ring" --out "$scratch/run" --nodes $nodes --laps 200 --work-us 5 >"$scratch/log" 2>&1
  result $? "a run of $nodes nodes"
  [ "$(ls "$scratch/run/store" | wc -l)" -eq $nodes ] && grep -qx "set n=$nodes" "$scratch/run/run.txt" && clean "run "
  result $? "a store for each, and nothing else is left"
  "$tailproof" replay specs/lock.tp "$scratch/run/store" --bound full_circle --set n=$nodes >"$scratch/log" 2>&1 &&
    grep -q 'held 200 times' "$scratch/log"
  result $? "each lap is an execution of specs/lock.tp"
  "$tailproof" import --out "$scratch/components" "$scratch/run/store" >"$scratch/log" 2>&1 &&
    (cd "$scratch/components" && [ "$(total Grant.tph)" -eq $((200 * nodes)) ] &&
      [ "$(total d.Transfer.tph)" -eq $((200 * nodes)) ] && [ "$(total Accept.tph)" -eq $((200 * nodes)) ] &&
      [ "$(total round.tph)" -eq 200 ])
  result $? "all parts of all laps are in the series"
  rm -rf "$scratch/components"
  [ $nodes -eq 3 ] || rm -rf "$scratch/run"
done

cp -r "$scratch/run" "$scratch/before"
"$ring" --out "$scratch/run" --laps 10 >"$scratch/log" 2>&1
[ $? -eq 70 ] && diff -r "$scratch/run" "$scratch/before" >>"$scratch/log"
result $? "an earlier recording is not overwritten"
rm -rf "$scratch/run" "$scratch/before"

"$ring" --plain --nodes 3 --laps 200 >"$scratch/log" 2>&1 && grep -q 'laps per second' "$scratch/log" && clean ""
result $? "a plain run tells its speed and writes nothing"

"$ring" --out "$scratch/run" --nodes 3 --laps 50 --work-us 10 --sleep --delay-us 300 --spread-us 100 \
  >"$scratch/log" 2>&1 && "$tailproof" import --out "$scratch/components" "$scratch/run/store" >>"$scratch/log" 2>&1 &&
  awk '/^[0-9]+ / { exit !($1 >= 300000) }' "$scratch/components/d.Transfer.tph"
result $? "no message is faster than the relay's delay"
rm -rf "$scratch/run" "$scratch/components"

"$ring" --out "$scratch/run" --nodes 2 --laps 5 --pause-us 300000 >"$scratch/log" 2>&1 &&
  "$tailproof" replay specs/lock.tp "$scratch/run/store" --bound full_circle --set n=2 --out "$scratch/rows.csv" >>"$scratch/log" 2>&1 &&
  cut -d, -f8 "$scratch/rows.csv" | sed 's/.*\.\.//' | awk 'NR == 1 { named = $1 == "request.round_ns" }
    NR > 1 { fast += $1 < 150000000 } END { exit !(named && NR == 6 && fast) }'
result $? "pauses between laps are in no lap: some lap is shorter than the shortest pause"
rm -rf "$scratch/run" "$scratch/rows.csv"

mkdir -p "$scratch/build/examples/token_ring"
ln -s "$(realpath "$tailproof")" "$scratch/build/tailproof"
ln -s "$(realpath "$ring")" "$scratch/build/examples/token_ring/token_ring"
BUILD=$scratch/build examples/common/run.sh token_ring --nodes 2 --laps 400 >"$scratch/log" 2>&1
code=$?
{ [ $code -eq 0 ] || [ $code -eq 2 ]; } && grep -q '^Row by row: ' "$scratch/log" && grep -q -e '--observed request.round' "$scratch/log" &&
  grep -qE '^  p50 .* (dominated|cannot tell)$' "$scratch/log" && grep -q 'Each of the 400 requests took no longer' "$scratch/log" &&
  [ $code -eq "$(($(grep -c '^Exit code 2' "$scratch/log") * 2))" ]
result $? "make example: from the run to the bound, row by row, and its exit code"
BUILD=$scratch/build examples/common/run.sh token_ring --nodes 0 >"$scratch/log" 2>&1
[ $? -eq 64 ] && ! grep -q '^Row by row' "$scratch/log"
result $? "a run that fails ends it"
rm -rf "$scratch/build"

"$ring" --out "$scratch/killed" --laps 100000000 >"$scratch/log" 2>&1 &
pid=$!
children_wait $pid 4
nodes=$(children $pid)
kill -TERM $pid
wait $pid
[ $? -eq 130 ] && [ "$(echo "$nodes" | wc -w)" -eq 4 ]
result $? "a terminated run exits with 130"
# shellcheck disable=SC2086
none_left $nodes && clean ""
result $? "and leaves neither processes nor files"

"$ring" --out "$scratch/stuck" --laps 100000000 --timeout 1 >"$scratch/log" 2>&1 &
pid=$!
children_wait $pid 4
nodes=$(children $pid)
moves stuck
stopped=$(echo "$nodes" | head -n 1)
kill -STOP "$stopped"
wait $pid
[ $? -eq 70 ] && grep -q 'no token for 1 s' "$scratch/log"
result $? "a token that does not come back ends the run, saying so"
# shellcheck disable=SC2086
none_left $nodes && clean ""
result $? "and leaves neither processes nor files"

"$ring" --out "$scratch/lost" --nodes 2 --laps 100000 --work-us 0 --timeout 1 --loss-ppm 100000 >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'a message was lost' "$scratch/log" && clean ""
result $? "so does one that is lost"

wrong "$ring" "" "--out DIR is missing"
wrong "$ring" "--out $scratch/x --plain" "--plain records nothing"
wrong "$ring" "--out $scratch/x --bogus 3" "unknown option --bogus"
wrong "$ring" "--out" "--out needs a value"
wrong "$ring" "--out $scratch/x --nodes 0" "--nodes 0: a whole number from 1 to 64"
wrong "$ring" "--out $scratch/x --nodes 65" "--nodes 65: a whole number from 1 to 64"
wrong "$ring" "--out $scratch/x --laps -1" "--laps -1: a whole number"
wrong "$ring" "--out $scratch/x --laps 1e3" "--laps 1e3: a whole number"
wrong "$ring" "--out $scratch/x --laps 99999999999999999999" "a whole number"
wrong "$ring" "--out $scratch/x --nodes 64 --work-us 1000000" "longer than --timeout"
wrong "$ring" "--out $scratch/x more" "unexpected argument more"

"$ring" --out "$scratch/none/x" >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'No such file or directory' "$scratch/log"
result $? "a directory that cannot be made"

"$ring" --out "$scratch/x" --netns none >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'netns.sh makes them' "$scratch/log" && clean ""
result $? "namespaces that are not there"

prefix=t$(echo $$ | tr 0-9 a-j)
examples/common/netns.sh up "$prefix" 2 >"$scratch/log" 2>&1
status=$?
if [ $status -eq 69 ]; then
  echo "# skip: $(cat "$scratch/log")"
else
  "$ring" --out "$scratch/run" --nodes 2 --laps 200 --netns "$prefix" >>"$scratch/log" 2>&1 &&
    "$tailproof" replay specs/lock.tp "$scratch/run/store" --bound full_circle --set n=2 >>"$scratch/log" 2>&1
  result $? "nodes in namespaces of their own"
  examples/common/netns.sh down "$prefix"
  rm -rf "$scratch/run"
fi

recorded=examples/token_ring/recorded
laps=$(total $recorded/round.tph)
hops=$((laps * $(cat $recorded/nodes)))
histogram_good $recorded/Grant.tph Grant $hops && histogram_good $recorded/d.tph d $hops &&
  histogram_good $recorded/Accept.tph Accept $hops && histogram_good $recorded/round.tph round "$laps"
result $? "the recorded run is whole"
echo "1..$count"
