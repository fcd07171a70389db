#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the token ring records complete histograms, cleans up and refuses wrong command lines.
set -u
cd "$(dirname "$0")/../.." || exit 70
ring=${BUILD:-build}/examples/token_ring/token_ring
scratch=$(mktemp -d) || exit 70
trap 'rm -rf "$scratch"' EXIT

count=0
result() { # result OK DESCRIPTION
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    sed 's/^/# /' "$scratch/log"
  fi
}

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

rounds_good() { # rounds_good DIRECTORY NODES LAPS
  histogram_good "$1/Grant.tph" Grant $(($2 * $3)) && histogram_good "$1/d.tph" d $(($2 * $3)) &&
    histogram_good "$1/Accept.tph" Accept $(($2 * $3)) && histogram_good "$1/round.tph" round "$3" &&
    [ "$(cat "$1/nodes")" = "$2" ]
}

clean() { # nothing but the named entries is in the scratch directory
  [ "$(ls -A "$scratch" | grep -vx log | tr '\n' ' ')" = "$1" ]
}

children() { grep -lsx "PPid:[[:space:]]*$1" /proc/[0-9]*/status | cut -d/ -f3; }

children_wait() { # children_wait PID: until there are four
  for _ in $(seq 100); do
    [ "$(children "$1" | wc -l)" -ge 4 ] && break
    sleep 0.05
  done
}

for nodes in 1 3; do
  "$ring" --out "$scratch/run" --nodes $nodes --laps 200 --work-us 5 >"$scratch/log" 2>&1
  result $? "a run of $nodes nodes"
  rounds_good "$scratch/run" $nodes 200
  result $? "its four histograms are whole"
  # In whole nanoseconds at the upper edges, a round is at least the least of each part.
  awk '/^[0-9]/ { print $1; exit }' "$scratch/run/round.tph" >"$scratch/log"
  awk -v n=$nodes 'FNR == 1 { part++ } /^[0-9]+ / && !seen[part]++ { least[part] = $1 }
    END { exit !(least[4] * (1 + 1 / 1024) >= n * (least[1] + least[2] + least[3]) * (1 - 1 / 1024)) }' \
    "$scratch/run/Grant.tph" "$scratch/run/d.tph" "$scratch/run/Accept.tph" "$scratch/run/round.tph"
  result $? "no round is shorter than the shortest of its parts"
  clean "run "
  result $? "nothing else is left"
  [ $nodes -eq 3 ] || rm -rf "$scratch/run"
done

cp -r "$scratch/run" "$scratch/before"
"$ring" --out "$scratch/run" --laps 10 >"$scratch/log" 2>&1
[ $? -eq 70 ] && diff -r "$scratch/run" "$scratch/before" >>"$scratch/log"
result $? "an earlier recording is not overwritten"
rm -rf "$scratch/run" "$scratch/before"

"$ring" --out "$scratch/killed" --laps 100000000 >"$scratch/log" 2>&1 &
pid=$!
children_wait $pid
children=$(children $pid)
kill -TERM $pid
wait $pid
[ $? -eq 130 ] && [ "$(echo "$children" | wc -w)" -eq 4 ]
result $? "a terminated run exits with 130"
left=0
for child in $children; do kill -0 "$child" 2>/dev/null && left=1; done
[ $left -eq 0 ] && clean ""
result $? "and leaves neither processes nor files"

"$ring" --out "$scratch/stuck" --laps 100000000 --timeout 1 >"$scratch/log" 2>&1 &
pid=$!
children_wait $pid
stopped=$(children $pid | head -n 1)
kill -STOP "$stopped"
wait $pid
[ $? -eq 70 ] && grep -q 'no token for 1 s' "$scratch/log"
result $? "a token that does not come back ends the run, saying so"
! kill -0 "$stopped" 2>/dev/null && clean ""
result $? "and leaves neither processes nor files"

# wrong ARGUMENTS MESSAGE: exit code 64 and one line
wrong() {
  # shellcheck disable=SC2086
  "$ring" $1 >"$scratch/log" 2>&1
  [ $? -eq 64 ] && [ "$(wc -l <"$scratch/log")" -eq 1 ] && grep -qF -e "$2" "$scratch/log" && clean ""
  result $? "token_ring $1"
}
wrong "" "--out DIR is missing"
wrong "--out $scratch/x --bogus 3" "unknown option --bogus"
wrong "--out" "--out needs a value"
wrong "--out $scratch/x --nodes 0" "--nodes 0: a whole number from 1 to 64"
wrong "--out $scratch/x --nodes 65" "--nodes 65: a whole number from 1 to 64"
wrong "--out $scratch/x --laps -1" "--laps -1: a whole number"
wrong "--out $scratch/x --laps 1e3" "--laps 1e3: a whole number"
wrong "--out $scratch/x --laps 99999999999999999999" "a whole number"
wrong "--out $scratch/x --nodes 64 --work-us 1000000" "longer than --timeout"
wrong "--out $scratch/x more" "unexpected argument more"

"$ring" --out "$scratch/none/x" >"$scratch/log" 2>&1
[ $? -eq 70 ] && grep -q 'No such file or directory' "$scratch/log"
result $? "a directory that cannot be made"

rounds_good examples/token_ring/recorded "$(cat examples/token_ring/recorded/nodes)" \
  "$(sed -n 's/^total //p' examples/token_ring/recorded/round.tph)"
result $? "the recorded run is whole"
echo "1..$count"
