#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A file that a command does not read is refused by the name of its format, with what to do. The formats themselves are
# tested by tests/unit/format/t-tell.c.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

printf 'response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\n0.1,0,0,0,0,0,200,0\n' >hey.csv
printf '# callgrind format\n' >callgrind.out
printf '{"data":[{"traceID":"1","spans":[]}]}\n' >jaeger.json
printf 'main;work 3\n' >a.folded
printf '{"mine":1,"of":2}\n' >mine.json

refusal='callgrind.out: is a profile of callgrind, which counts instructions and no samples; sample the program: tailproof profile -- PROGRAM'
for asked in "verify" "check" "tail" "trace path" "trace merge --out o.fold" "draft --out d" "profile show" "arrivals" "whatif latency"; do
  # shellcheck disable=SC2086
  run $asked callgrind.out
  check "$asked: callgrind.out" 'exits 65' "err '$refusal'" quiet_out
  test "$asked" = arrivals && continue # takes tables with another header
  # shellcheck disable=SC2086
  case $asked in
    tail) continue ;; # a table of calls is one
    *) run $asked hey.csv ;;
  esac
  check "$asked: hey.csv" 'exits 65' 'err "hey.csv: is a table of hey, and holds no "' \
    'err "give it to: tailproof percentiles --data FOLDER, compare or import"' quiet_out
done
for asked in "verify" "trace path" "draft --out d" "arrivals"; do
  # shellcheck disable=SC2086
  run $asked a.folded
  check "$asked: folded stacks" 'exits 65' 'err "a.folded: is folded stacks, and holds no "' \
    'err "give it to: tailproof profile show, or diff"' quiet_out
done
mkdir d && cp jaeger.json d/A.json
for asked in "verify" "profile show" "arrivals" "compare jaeger.json"; do
  # shellcheck disable=SC2086
  run $asked jaeger.json
  check "$asked: traces" 'exits 65' 'err "traces of Jaeger, and holds no "' 'err "give it to: tailproof tail, or trace path"' quiet_out
done
for asked in "trace path" "profile show" "tail"; do
  # shellcheck disable=SC2086
  run $asked mine.json
  check "$asked: JSON of its own" 'exits 65' "err 'mine.json: is JSON with the keys \"mine\", \"of\", and holds no '" quiet_out
done
gzip -k hey.csv
run trace path hey.csv.gz
check "compressed" 'exits 65' 'err "hey.csv.gz: is a table of hey, and holds no traces"' quiet_out
mkfifo pipe
cat callgrind.out >pipe &
run verify pipe
check "a pipe" 'exits 65' 'err "pipe: is a profile of callgrind"'
finish
