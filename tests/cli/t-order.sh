#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the order of observations decides: percentiles that do not contradict each other, histograms whose draws nobody knows
# to be independent, what import keeps of an order, and rows that were sorted by something else than time.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
cat >one.tp <<'END'
protocol one
role a
external c
component A
delay d
message Out : a -> c
state a { step : int = 0 }
action a.One cost A { when step == 0  step := 1  send Out }
invariant zero: step == 0 implies time(a) <= 0
bound out: sent Out within A
END
cat >make.py <<'END'
import random, sys
kind, r, level, slow, rows = sys.argv[1], random.Random(4), 0.0, 1, []
for i in range(2593):
    level = 0.97 * level + 0.243 * r.gauss(0, 1)
    if i % 30 == 0:
        slow = r.choice([1, 1, 1, 3])
    value = slow * 3e5 * (1 + (r.random() + r.random()) / 2) if kind == "stretches" else 1e6 * 2.718 ** (level / 2)
    rows.append((r.getrandbits(60), i * 1000, int(value)))
if kind == "shuffled":
    rows.sort()
print("latency_ns" if kind == "rows" else "trace_id,start_ns,A_ns")
for row in rows:
    print(row[2] if kind == "rows" else "%x,%d,%d" % row)
END
python3 make.py stretches >stretches.csv && python3 make.py byname >time.csv && python3 make.py shuffled >shuffled.csv
mkdir rows && python3 make.py rows >rows/A.csv

# --- no percentile contradicts another ---------------------------------------------------------------
run percentiles one.tp --joint stretches.csv -p 50,75,82.5,90,95,99 --json
check "ends rise with the percentile" 'exits 0' \
  'json "[.[] | select(.kind == \"percentile\") | .upper_ns | if . == \"infinite\" then infinite else tonumber end] | . == sort"' \
  'json "[.[] | select(.kind == \"percentile\") | .lower_ns | tonumber] | . == sort"'
upper=$(jq -sr '[.[] | select(.kind == "percentile" and .p == "95")][0].upper_ns' out)
run percentiles one.tp --joint stretches.csv -p 50 --slo "p90<=${upper}ns" --slo "p95<=${upper}ns" --above "${upper}ns" --json
check "an objective is met where a higher percentile meets it, whatever else is asked" 'exits 4' \
  'json "[.[] | select(.kind == \"slo\") | .state] == [\"met in this run\", \"met in this run\"]"' \
  'json "[.[] | select(.kind == \"above\") | .upper | tonumber][0] <= 0.05"'

# --- rows that were sorted -------------------------------------------------------------------------
run percentiles one.tp --joint time.csv -p 50,90 --json
grep '"percentile"' out >time.out
run percentiles one.tp --joint shuffled.csv -p 50,90 --json
check "rows are taken in the order of their stamps" 'exits 0' 'grep "\"percentile\"" out | cmp - time.out' 'out "in the order of column start_ns"'

# --- what import keeps -----------------------------------------------------------------------------
"$program" import --out kept rows/A.csv >/dev/null
sed '/^worth/d' kept/A.tph >A.tph && mkdir old && mv A.tph old/
ask() { run percentiles one.tp --data "$1" -p 50 "${@:2}"; }
ask rows --slo 'p50<1ms' --slo 'p50<900ms'
expected=$status
ask kept --slo 'p50<1ms' --slo 'p50<900ms'
check "a verdict from what import kept is that of the rows" "exits $expected" '[ "$status" -eq 2 ]'
ask old --slo 'p50<10ms'
check "without an order it is met on a condition" 'exits 3' 'out "p50<10ms: met if the draws are independent: p50 is at most"' 'said "keep no order"' 'said "(--exchangeable)"'
ask old --slo 'p50<1us'
check "and broken on a condition" 'exits 3' 'out "p50<1us: broken if the draws are independent: p50 is at least"' '! out "BROKEN"'
ask old --slo 'p50<1us' --slo 'p50<10ms' --exchangeable
check "unless the user asserts it" 'exits 1' 'out "p50<1us: BROKEN"' 'out "p50<10ms: met:"'
ask old --confidence 0 --slo 'p50<10ms'
check "or takes them for the whole truth" 'exits 0'
ask old
check "without a verdict the ledger says so" 'exits 0' 'said "the order of the observations is not known"'
ask old --observed old/A.tph
check "an observation without an order" 'exits 3' 'said "holds if the draws are independent"'

# Only the observation has none: rows that are independent, and their histogram. What it breaks or shows rests on its draws.
awk 'BEGIN { srand(3); print "A_ns"; for (i = 0; i < 3000; i++) print int(1e6 + 1e6 * rand()) }' >free.csv
awk 'NR == 1 { print "latency_ns"; next } { print $1 + 3000000 }' free.csv >late.csv
"$program" import --out seen late.csv >/dev/null && sed '/^worth/d' seen/late.tph >late.tph
run percentiles one.tp --joint free.csv --observed late.csv -p 50 --slo 'p50<3ms'
check "an ordered observation breaks an objective" 'exits 1' 'out "p50<3ms: BROKEN: the system was observed"'
run percentiles one.tp --joint free.csv --observed late.tph -p 50 --slo 'p50<3ms'
check "one without an order does so on a condition" 'exits 3' '! out BROKEN' 'out "p50<3ms: broken if the draws are independent"'
run percentiles one.tp --joint free.csv --observed late.tph -p 50 --slo 'p50<3ms' --exchangeable
check "unless that is asserted" 'exits 1' 'out "p50<3ms: BROKEN: the system was observed"'

# --- round trips -----------------------------------------------------------------------------------
sed '1s/.*/A_ns,rtt_ns/; 1!s/.*/&,&/' free.csv >rtt.csv
run percentiles one.tp --joint rtt.csv --observed rtt -p 50 --json
check "a column of a table is what it says, whole" 'exits 0' 'json "[.[] | select(.kind == \"percentile\")][0] | (.observed_ns | tonumber) > 1400000"'
mkdir series && sed '1s/.*/rtt_ns/' free.csv >series/A.csv
run percentiles one.tp --joint series -p 50
check "a file of a folder is halved for no step" 'exits 65' 'err "has round trips"'
cp series/A.csv series/seen.csv && sed '1s/.*/latency_ns/' free.csv >series/A.csv
run percentiles one.tp --joint series --observed seen -p 50
check "nor for an observation" 'exits 65' 'err "has round trips"'

# --- compare ---------------------------------------------------------------------------------------
awk 'NR == 1 { print; next } { print 3 * $1 }' rows/A.csv >slower.csv && mkdir apart && "$program" import --out apart/s slower.csv >/dev/null
sed '/^worth/d' apart/s/slower.tph >slower.tph
run compare old/A.tph slower.tph -p 50
check "slower, if the draws are independent" 'exits 3' 'said "If the draws are independent: B is slower than A"'
run compare old/A.tph slower.tph -p 50 --exchangeable
check "slower, where the user says so" 'exits 1'
run compare rows/A.csv slower.csv -p 50 --json
expected=$status worth=$(jq -s '[.[] | .a_worth, .b_worth | values]' out)
run compare kept/A.tph apart/s/slower.tph -p 50 --json
check "imported series are worth what the rows are, and decide the same" "exits $expected" '[ "$worth" = "$(jq -s "[.[] | .a_worth, .b_worth | values]" out)" ]'

# --- merge -----------------------------------------------------------------------------------------
"$program" merge --out whole kept/A.tph >/dev/null
mkdir other && sed '/^worth/d; s/^from .*/from file sha256=other/' kept/A.tph >other/A.tph
"$program" merge --out both kept/A.tph other/A.tph >/dev/null
check "merge keeps what all know" 'grep -q "^worth all" whole/A.tph' '[ -e both/A.tph ]' '! grep -q "^worth" both/A.tph'
sed -i 's/^worth all .*/worth all 999999 settled/' kept/A.tph
ask kept
check "worth more than there is" 'exits 65' 'err "which cannot be worth more"'

# --- few rows, and one run ---------------------------------------------------------------------------
mkdir few && python3 -c 'import random
r, level = random.Random(3), 0.0
print("latency_ns")
for i in range(60):
    level = 0.9 * level + 0.436 * r.gauss(0, 1)
    print(int(1e6 * 2.718 ** (level / 2)))' >few/A.csv
run percentiles one.tp --data few -p 50 --slo 'p50<0.4ms' --slo 'p50<10ms'
check "60 rows with a memory decide nothing" 'exits 2' 'out "the 60 observations in few/A.csv do not look independent"' '! out "BROKEN"' '! out ": met"'
run percentiles one.tp --data few -p 50 --slo 'p50<0.4ms' --slo 'p50<10ms' --exchangeable
check "unless their order means nothing" 'exits 1' 'out "p50<10ms: met"'
finish
