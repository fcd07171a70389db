#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Which functions slow requests run more of: of a made-up server with and without a planted function, with clocks
# that agree and that do not; and mistakes.
. "$(dirname "$0")/tap.sh"

make=$PWD/tests/cli/made_profile.py
log=$PWD/examples/node/known_log.py
cd "$scratch" || exit 1
mkdir with without apart
python3 "$make" with 0.25
python3 "$make" without 0
python3 "$make" apart 0.2 1600000000.25
hot='[.[] | select(.kind == "hot")]'

run tail with/traces.json --above p95 --profile with/profile.txt --json
check "the planted function is ranked first, and alone" 'exits 0' 'quiet_err' 'json_lines' \
  'json "$hot | .[0] | .name == \"render_table\" and .of == \"own\" and .significant"' \
  'json "$hot | map(select(.significant and .of == \"own\")) | length == 1"' \
  'json "$hot | .[0] | .least < 0.24 and .most > 0.23 and .rest < 0.02"' \
  'json "$hot | .[0].called_by == \"render < serve < main < server\""'
check "all samples in requests are counted" \
  'json "($hot | map(select(.of == \"own\") | .slow_samples + .rest_samples) | add) - ([.[] | select(.kind == \"joined_profile\")][0].matched) | fabs < 20"'
run tail with/traces.json --above p95 --profile with/profile.txt
check "the same in words" 'exits 0' 'said "Functions that run more in slow requests, in the same time, while they are executing"' \
  'out "render_table"' 'said "render < serve < main"' '! out "not significant"'
run tail with/traces.json --above p95 --profile with/profile.txt --full
check "all functions with --full" 'exits 0' 'out "not significant"' 'out "with what it calls"'

# 20 servers with a planted function and 20 without; of those without a 5 % of 20 is one
if [ -n "${TEST_ALL:-}" ]; then
  first=0 found=0
  mkdir many
  for ((seed = 100; seed < 120; seed++)); do
    python3 "$make" many 0.25 0 $seed
    run tail many/traces.json --above p95 --profile many/profile.txt --json
    json "$hot | .[0] | .name == \"render_table\" and .significant" && first=$((first + 1))
    python3 "$make" many 0 0 $seed
    run tail many/traces.json --above p95 --profile many/profile.txt --json
    json "any(.[]; .kind == \"joined_profile\" and .verdict == \"found\")" && found=$((found + 1))
  done
  last="the planted function is first in $first of 20; without one something is significant in $found of 20"
  check "planted functions, and none" '[ "$first" -ge 19 ]' '[ "$found" -eq 0 ]'
  echo "# $last"
fi

run tail without/traces.json --above p95 --profile without/profile.txt
check "nothing is named where nothing is planted" 'exits 0' \
  'said "No function runs significantly more in slow requests, in the same time, while they are executing"'
run tail with/traces.json --above p99.9 --profile with/profile.txt
check "too few slow requests: cannot tell" 'exits 2' 'said "cannot be told: the profile has"' 'said "or choose a lower --above"'

run tail apart/traces.json --above p95 --profile apart/profile.txt
check "clocks that do not agree are refused" 'exits 65' 'quiet_out' 'err "apart/profile.txt: its clock is not that of the requests"' \
  'err "--profile-offset 1.5s"'
run tail apart/traces.json --above p95 --profile apart/profile.txt --profile-offset 1600000000.25s --json
check "unless it is said how far they are apart" 'exits 0' 'json "$hot[0].name == \"render_table\" and $hot[0].significant"' \
  'json "any(.[]; .kind == \"assumption\" and (.text | contains(\"put forward by 1600000000.25s\")))"'
run tail apart/traces.json --above p95 --profile apart/profile.txt --profile-offset 5s
check "and not so" 'exits 65' 'err "its clock is not that of the requests"'
run tail with/traces.json --profile with/profile.txt --profile-offset 5
check "a time without a unit" 'exits 64' 'err "--profile-offset 5: give a time with its unit, such as 1.5s or -20ms"'
run tail with/traces.json --profile-offset 5s
check "an offset of nothing" 'exits 64' 'err "give --profile FILE, too"'
printf 'main;f 3\n' >folded.txt
run tail with/traces.json --profile folded.txt
check "a profile without times" 'exits 65' 'err "folded.txt: its samples have no times"'
run tail with/traces.json --profile missing
check "a missing profile" 'exits 66' 'err "missing"'
printf 'Latency,a\n1,2\n' >table.csv
run tail table.csv --profile with/profile.txt
check "a table has no times" 'exits 64' 'err "a table has no times"'

# an event loop: 30 % of all samples are in the collector, whichever request runs or waits
python3 "$log" loop 3000 1 gc=25
awk 'BEGIN { srand(2); for (i = 0; i < 40000; i++) { printf "node 4711/4711 %d.%06d: 1 cpu-clock:\n", i / 2000, i % 2000 * 500
  printf rand() < 0.3 ? "\t10 v8::internal::Heap::CollectGarbage (node)\n" : "\t10 Builtins_JSEntry (node)\n"; print "\t20 main (node)\n" } }' >loop.txt
run tail loop --above p95 --profile loop.txt --json
check "of event loops: what runs while requests wait, and parts of the runtime" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"joined_profile\")] | map(.while) == [\"executing\", \"waiting\"] and all(.[]; .verdict == \"nothing\" and .slow_samples > 500)"' \
  'json "$hot | map(select(.of == \"runtime\" and .name == \"garbage collection\")) | length == 2 and all(.[]; .slow > 0.25 and .slow < 0.35 and (.significant | not))"'
run tail loop --above p95 --profile loop.txt
check "the same in words" 'exits 0' 'said "while they are waiting behind others"' 'out "garbage collection"'

finish
