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

# --- clocks that are a little apart: in the samples it can be seen ---
mkdir idle
python3 "$make" idle 0.25 0 3 8000
run tail idle/traces.json --above p95 --profile idle/profile.txt --json
check "clocks that agree" 'exits 0' 'json "$hot[0].name == \"render_table\" and $hot[0].significant"' \
  'json "[.[] | select(.kind == \"joined_profile\")][0] | .clock_inside == .clock_samples and (.clock_best_ns | fabs) < 400000"'
for shift in 0.002 -0.002 0.010 -0.010 0.3 3; do
  awk -v shift=$shift '/cpu-clock:$/ { sub(":", "", $3); $3 = sprintf("%.6f:", $3 - shift) } { print }' idle/profile.txt >idle/shifted.txt
  run tail idle/traces.json --above p95 --profile idle/shifted.txt --json
  check "put back by $shift s nothing is named" 'exits 2' 'json "$hot == []"' \
    'json "[.[] | select(.kind == \"joined_profile\")][0] | .verdict == \"clocks\" and (.clock_best_ns - 1e9 * $shift | fabs) < 400000 and .clock_best_share > 0.98"'
done
run tail idle/traces.json --above p95 --profile idle/shifted.txt
check "and the offset is said" 'exits 2' 'said "since nobody can see that the profile'\''s clock is that of the requests"' 'said "or say --profile-offset 3.0" || said "or say --profile-offset 2.999"' \
  'said "of 1500 requests are left out of what functions say"' 'said "warning: "'
run tail idle/traces.json --above p95 --profile idle/shifted.txt --profile-offset 3s --json
check "with it the function is found" 'exits 0' 'json "$hot[0].name == \"render_table\" and $hot[0].significant"'
run tail idle/traces.json --above p95 --profile idle/profile.txt --profile-offset 10ms
check "a wrong one is obeyed, with a warning" 'exits 0' 'said "warning: put forward by" && said "--profile-offset does not fit"'
sed "s/ [0-9]* cpu-clock:/ 1 cpu-clock:/" idle/profile.txt >idle/unweighed.txt
run tail idle/traces.json --above p95 --profile idle/unweighed.txt
check "without a rate no part of a processor is said" 'exits 0' 'out "render_table"' '! grep "render_table" out | grep -q "%"' 'said "The numbers are samples for each second"'
run tail idle/traces.json --above p95 --profile idle/unweighed.txt --json
check "nor in JSON" 'json "[.[] | select(.kind == \"joined_profile\")][0] | .of_processor == false and .rate == 0"' 'json "$hot[0].slow > 100"'
# the same with the rate that a recording of ours says, whatever the times between samples are
"$program" profile show idle/unweighed.txt --format pprof --out idle/unrated.pb
sed "s/rate=0 assumed=0/rate=1000       /" idle/unrated.pb >idle/rated.pb
run tail idle/traces.json --above p95 --profile idle/rated.pb --json
check "with a rate it is" 'json "[.[] | select(.kind == \"joined_profile\")][0] | .of_processor and .rate == 1000"' 'json "$hot[0] | .slow > 0.2 and .slow < 0.3"'

# an event loop: 30 % of all samples are in the collector, whichever request runs or waits
python3 "$log" loop 3000 1 gc=25
awk 'BEGIN { srand(2); for (i = 0; i < 40000; i++) { printf "node 4711/4711 %d.%06d: 500000 cpu-clock:\n", i / 2000, i % 2000 * 500
  printf rand() < 0.3 ? "\t10 v8::internal::Heap::CollectGarbage (node)\n" : "\t10 Builtins_JSEntry (node)\n"; print "\t20 main (node)\n" } }' >loop.txt
run tail loop --above p95 --profile loop.txt --json
check "of event loops: what runs while requests wait, and parts of the runtime" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"joined_profile\")] | map(.while) == [\"executing\", \"waiting\"] and all(.[]; .verdict == \"nothing\" and .slow_samples > 500)"' \
  'json "$hot | map(select(.of == \"runtime\" and .name == \"garbage collection\")) | length == 2 and all(.[]; .slow > 0.25 and .slow < 0.35 and (.significant | not))"'
run tail loop --above p95 --profile loop.txt
check "the same in words" 'exits 0' 'said "while they are waiting behind others"' 'out "garbage collection"'

finish
