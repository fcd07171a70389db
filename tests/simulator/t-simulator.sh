#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocols run as machines would run them. That the simulator can tell: in false/ every bound `wrong`
# must be broken by some run and `right` by none. Then what is proved: the shipped protocols, those
# of tests/cases/proved (half of them each day), and random ones: of each five runs, or twenty and eight where none of five gets to the event, a
# hundred of each of twelve random ones, of two about groups, of twelve about priorities, twenty of
# eight with steps that take no time, two hundred of each in false/; several times as many with
# TEST_ALL, and `make simulate` has thousands.
cd "$(dirname "$0")/../.." || exit 1
simulate=${BUILD:-build}/tests/simulate
[ -x "$simulate" ] || { echo "not ok 1 - $simulate is not built"; exit 69; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0
if [ -n "${TEST_ALL:-}" ]; then few=100 shipped=60 cases=100 random=80 each=100 false=1000; else few=5 shipped=20 cases=8 random=12 each=100 false=200; fi

simulated() { # arguments
  (ulimit -t 600 && exec timeout 7200 "$simulate" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

judge() { # name, expected status, what the output must have, arguments
  local name=$1 expected=$2 says=$3 status
  shift 3
  count=$((count + 1))
  simulated "$@"
  # in a few runs nothing was seen that a bound could be held against
  [ $status -ne 2 ] || [ -z "${more:-}" ] || simulated --all --invariants --runs "$more" "${@: -1}"
  if [ $status -eq "$expected" ] && grep -qF -- "$says" "$scratch/out"; then
    echo "ok $count - $name"
    return
  fi
  echo "not ok $count - $name"
  { echo "ran: simulate $*"; echo "exit: $status"; head -c 4000 "$scratch/out"; head -c 1000 "$scratch/err"; } | sed 's/^/# /'
}

for file in tests/simulator/false/*.tp; do
  name=$(basename "$file" .tp)
  judge "$name: a run breaks the false bound" 1 "wrong: happens at" --all --runs $false --bound wrong "$file"
  judge "$name: none breaks the true one" 0 ", 0 broken" --all --runs $false --bound right "$file"
done
judge "a run breaks the false invariant" 1 "invariant early does not hold" \
  --all --bound right --invariants tests/simulator/false/wait_dropped.tp
for stop in if_for_when two_timers conditional_cost limited_timer limited_relay_advanced; do
  judge "stop_$stop: a run stands still" 1 "no time passes behind" --all --runs 20 tests/cases/unknown/stop_$stop.tp
done
half=$(($(date +%s) / 86400 % 2))
for file in specs/*.tp specs/*/*.tp $(grep -L "within ?" tests/cases/proved/*.tp | awk -v half=$half -v all="${TEST_ALL:-}" 'all != "" || NR % 2 == half'); do
  case $file in specs/*) more=$shipped ;; *) more=$cases ;; esac
  judge "$file: no run breaks a bound or an invariant" 0 ", 0 broken" --all --invariants --runs $((few < more ? few : more)) "$file"
done
more=
judge "random protocols: no run breaks what is proved" 0 "all " --random $random --runs $each --limit 100
# Of the table's rows whose name matches: how many protocols (p), and with a bound proved (q).
enough() { # name, condition of awk, names
  count=$((count + 1))
  if awk -v random=$random -v rows="$3" 'NF > 9 && $0 ~ "^(" rows ") " { p += $(NF - 8); q += $(NF - 7) } END { exit !('"$2"') }' "$scratch/out"; then
    echo "ok $count - $1"
  else
    echo "not ok $count - $1"
    sed 's/^/# /' "$scratch/out" | head -n 60
  fi
}
enough "of many of them something is proved" "p == random && 10 * q >= 3 * random" all
enough "of pairs too" "q >= 1" "pairs|pairs, and back"
enough "of those that choose a node too" "q >= 1" "choice of a node|choice by a guard|choice of what is left"
enough "of streams too" "q >= 1" "stream: .*"
judge "groups, k-th of each: no run breaks what is proved" 0 "all " --random 2 --kind "groups, k-th of each" --runs $each --limit 100
enough "of them too something is proved" "q >= 1" "groups, k-th of each"
judge "rivals of every priority: no run breaks what is proved" 0 "all " --random 12 --kind priority --runs $each --limit 100
enough "of them too something is proved" "q >= 1" "rival: lower priority"
judge "messages that wait for a pacer: no run breaks what is proved" 0 "all " --random 12 --kind paced --runs $each --limit 100
enough "of them too something is proved" "q >= 1" "paced|stream: paced"
judge "steps that take no time: no run of what is proved stands still" 0 "all " --random 8 --kind restless --runs 20 --limit 100
enough "of those that go on something is proved" "q >= 1" "restless: goes on"
enough "of those that stop nothing is" "p >= 2 && q == 0" "restless: stops|restless: limited"
echo "1..$count"
