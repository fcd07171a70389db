#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# audit: every assumption with its kind and what would discharge it; data make the invented measured.
. "$(dirname "$0")/tap.sh"

repository=$PWD
cd "$scratch" || exit 1
run audit "$specs/lock.tp"
check "without data every component is invented" 'exits 0' 'quiet_err' 'grep -qE "protocol lock: 2 stated, [0-9]+ of the model, 0 measured, 3 invented" out' \
  'grep -qE "stated +model +n >= 1 " out' 'out "put Grant.csv"' 'said "certify --check --with cvc5"' 'out "no duplicates"'
check "each line has a remedy" \
  '[ "$(grep -cE "^  (stated|model|measured|invented) " out)" -eq "$(grep -cE "^ +-> .{10}" out)" ]'
run audit "$specs/lock.tp" --data "$repository/examples/token_ring/recorded"
check "with data they are measured" 'exits 0' 'out "3 measured, 0 invented"' 'out "the 240000 observations in"'
mkdir data
printf 'latency_ns\n1\n2\n' | tee data/Grant.csv >data/d.Transfer.csv
run audit "$specs/lock.tp" --data data --json
check "some of them, as JSON" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"audit\" and .status == \"measured\") | .text] | length == 2 and any(test(\"Grant.csv\")) and any(test(\"d.Transfer.csv\"))"' \
  'json "[.[] | select(.status == \"invented\") | .text] == [\"the law of Accept is invented until it is measured\"]"' \
  'json "[.[] | select(.kind == \"audit\")] | all((.status | IN(\"stated\", \"model\", \"measured\", \"invented\")) and (.source | IN(\"model\", \"solver\", \"dist\", \"data\")) and (.discharge | length > 10))"' \
  'json ".[-1] | .kind == \"audit_summary\" and .stated == 2 and .measured == 2 and .invented == 1"'
echo broken >data/Accept.csv
run audit "$specs/lock.tp" --data data
check "a data file with mistakes" 'exits 65' 'err "Accept.csv"'
printf 'latency_ns\n1\n' >data/Accept.csv
cp data/Accept.csv data/Accept.tph
run audit "$specs/lock.tp" --data data
check "two files for one component" 'exits 65' 'err "keep one of them"'
run audit "$specs/lock.tp" --data nowhere
check "no such folder" 'exits 66' 'quiet_out' 'err "nowhere"'

cat >clock.tp <<'END'
protocol clock
timing eager
param limit : time <= 1 s
role a
role b
repeated Poll
component Work
timeout T0
delay d
queueing Queuing
message M(k: int) : a -> b fifo
message N : b -> a
state a { n : int = 0  last : time = limit }
state b { got : bool = false }
assume Work <= 3 ms
action a.Send reads t cost Work { when t >= last and n == 0  n := 1  send M(n) }
action b.Get on M(k) cost Poll { when not got  got := true  send N }
action a.Wait on timeout T0 { when n == 1  n := 2 }
action a.End on N { n := 3 }
bound end: sent N within 1 s + Work + Poll
END
run audit clock.tp
check "the premises of what the protocol uses" 'exits 0' 'quiet_err' 'out "(eager timing model)"' 'out "M from one node to another are received in the order"' \
  'out "clocks of all nodes"' 'out "a clock that a step reads"' 'out "--fresh: the executions of Poll"' 'out "the time limit is what"' \
  'out "put T0.csv"' 'out "put Poll.csv"' 'grep -A 1 "Work <= 3 ms (stated" out | grep -q "measure the components"'
run audit "$specs/lock.tp"
check "and no others" '! out "timing model)"' '! out "clock"' '! out "--fresh"' '! out "are received in the order"'
others=("$specs"/*/*.tp)
[ -n "${TEST_ALL:-}" ] && [ -z "${SANITIZED:-}" ] || others=() # the slow ones
small=("$specs"/{lock,primary_backup,redis_wait}.tp)
[ -z "${TEST_ALL:-}" ] || small=("$specs"/*.tp)
for spec in "${small[@]}" "${others[@]}"; do
  "$program" verify --json "$spec" 2>/dev/null | jq -r 'select(.kind == "assumption") | .text' >ledger
  run audit --json "$spec"
  jq -r .text out >audited
  check "what verify rests on is in the audit: ${spec#"$specs"/}" 'exits 0' '[ -s ledger ]' '! grep -vxFf audited ledger | grep -q .'
done
run audit "$specs/lock.tp" missing.tp
check "a file that is not there" 'exits 66' 'err "missing.tp"'

finish
