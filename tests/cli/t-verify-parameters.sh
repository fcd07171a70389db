#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Every parameter of an execution is shown with it, also those that are times: where a bound is refuted or
# unknown, of a counterexample to induction, of the slowest execution, as text, as JSON, as a picture and in what is
# found in the cache.
. "$(dirname "$0")/tap.sh"
cases=$PWD/tests/cases
cd "$scratch" || exit 1

# a file with the parameters, invariants and bounds given
lines() {
  cat <<END
protocol times
timing eager
$1
param Timeout : time
param Grace : time
assume Timeout <= Grace
role a
external user
component A
delay d
message N : a -> user
state a { g : bool = false }
action a.Go on timer Timeout + Grace cost A { when not g  g := true  send N }
$2
END
}
lines "" "bound x: sent N within 2*Timeout + A" >one.tp
lines "param n : int >= 1" "bound x: sent N within 2*Timeout + A" >two.tp
# "Timeout=0 ns, Grace=1 ns" of the output, and what it says of the event
shown() { sed -nE 's/.*with (n=1, )?(Timeout=([0-9/]+) ns, Grace=([0-9/]+) ns).* takes ([0-9/]+) ns, the bound being ([0-9/]+) ns.*/\3 \4 \5 \6/p' out; }

run verify --no-cache one.tp
read -r timeout grace time limit < <(shown)
check "the times of a refutation" 'exits 1' 'out "An execution with Timeout="' '[ "$timeout" -lt "$grace" ]'
check "the event comes when they say, and the bound is what they say" 'grep -q "A = 1;" out' \
  '[ "$time" -eq $((timeout + grace + 1)) ]' '[ "$limit" -eq $((2 * timeout + 1)) ]'
run verify --no-cache two.tp
check "behind the integers" 'exits 1' 'out "An execution with n=1, Timeout=$timeout ns, Grace=$grace ns"'
run verify --no-cache --json two.tp
check "as JSON" 'json_lines' \
  'json "map(select(.kind == \"bound\"))[0].counterexample | .scope == {n: 1} and .constants_ns == {Timeout: \"$timeout\", Grace: \"$grace\"}"'
run verify two.tp
run verify two.tp --json
check "of an execution kept" 'json "map(select(.kind == \"bound\"))[0] | .reused and .counterexample.constants_ns.Grace == \"$grace\""'
run verify --no-cache two.tp --plot x.svg
check "in the picture" 'grep -q "with n=1, Timeout=$timeout ns, Grace=$grace ns" x.svg'
run verify --no-cache two.tp --report x.sarif
check "in a report for others" 'grep -q "with n=1, Timeout=$timeout ns, Grace=$grace ns" x.sarif'

lines "param n : int >= 1" "invariant early: a.g implies time(a) <= 2*Timeout + A
bound x: sent N within 2*Timeout + A + n*Grace" >early.tp
run verify --no-cache early.tp
check "of a counterexample to induction" 'exits 2' 'out "to be shown: "' \
  'grep -qE "^    with n=1, Timeout=[0-9/]+ ns, Grace=[0-9/]+ ns$" out'

run verify --no-cache "$cases/unknown/stop_if_for_when.tp"
check "of an execution that shows why a bound is unknown" 'exits 2' 'grep -qE "^  An execution with P=[0-9/]+ ns that shows it:$" out'
run verify --no-cache --json "$cases/unknown/stop_if_for_when.tp"
check "the same as JSON" 'json ".[0] | .scope == {} and (.constants_ns | keys) == [\"P\"] and (.steps | length) > 0"'

lines "" "invariant fresh: not a.g implies time(a) <= 0
bound x: sent N within Timeout + Grace + A" | sed 's/assume .*/assume 2*Timeout < Grace/' >exact.tp
run verify --no-cache --explain exact.tp
check "of the slowest execution" 'exits 0' 'grep -qE "Slowest found: .* ns, with Timeout=[0-9/]+ ns, Grace=[0-9/]+ ns: all" out'
run verify --no-cache --explain --json exact.tp
check "the same as JSON" 'json ".[0].explanation.slowest.constants_ns | (.Timeout | tonumber) * 2 < (.Grace | tonumber)"'

run verify --no-cache "$cases/unknown/sent_twice.tp"
check "of an execution without times, those that are integers" 'exits 2' 'grep -qE "^  An execution (with [a-z]+=[0-9].* )?that shows it:$" out'
lines "" "action a.Again { send N }
bound x: sent N within A" >twice.tp
run verify --no-cache twice.tp
check "without times none is known" 'exits 2' 'out "  An execution that shows it:"'
finish
