#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bounds that choose with `if`, and powers: in percentiles, instances, simulations and C.
. "$(dirname "$0")/tap.sh"
cases=$specs/../tests/cases
cd "$scratch" || exit 1

cat >sync.tp <<'END'
protocol sync
param durable, k : int >= 0
role a
external user
component Work, Sync
delay d
message Done : a -> user
state a { s : bool = false }
action a.Go cost Work + (if durable == 1 then Sync else 0) { when not s  s := true  send Done }
invariant idle: not s implies time(a) <= 0 ms
bound done: delivered Done within Work + (if durable == 1 then Sync else 0 ms) + (2^k - 1)*Sync + d(Done)
END
mkdir data
echo us >data/Work.csv; seq 101 200 >>data/Work.csv
echo us >data/Sync.csv; seq 1001 1100 >>data/Sync.csv
echo us >data/d.csv; seq 1 100 >>data/d.csv
p50() { jq -r 'select(.kind == "percentile" and .p == "50") | .upper_ns' out; }

run percentiles sync.tp --data data -p 50
check "what it chooses by has to be said" 'exits 64' 'err "parameters are not given: --set durable=... --set k=..."'
run percentiles sync.tp --data data -p 50 --set durable=0 --set k=0 --confidence 0 --json
check "the branch that is not chosen costs nothing" 'exits 0' '[ "$(p50)" -lt 310000 ]'
run percentiles sync.tp --data data -p 50 --set durable=1 --set k=0 --confidence 0 --json
check "the one that is does" 'exits 0' '[ "$(p50)" -gt 1150000 ]' '[ "$(p50)" -lt 1400000 ]'
run percentiles sync.tp --data data -p 50 --set durable=0 --set k=3 --confidence 0 --json
check "a power multiplies" 'exits 0' '[ "$(p50)" -gt 7150000 ]' '[ "$(p50)" -lt 8010000 ]'
run bound sync.tp --set durable=1 --set k=2
check "an instance shows what is chosen" 'exits 0' 'out "= Work + Sync + 3*Sync + d(Done)"'
run bound sync.tp --set durable=1 --set k=64
check "a power that does not fit" 'exits 65' 'err "an index or factor of the bound is too large at these parameters"'

run simulate "$cases/proved/doubling.tp" --bound read --set k=3 --set PTO=10ms --always d=1ms --always Deliver=1ms \
  --lose Data=0.4 --requests 200 --json
check "simulated, the slowest loses k copies and takes all of the bound" 'exits 0' \
  'jq -es "any(.kind == \"simulated_percentile\" and .p == \"99\" and .ns == \"73000000\" and .bound_same_times_ns == .ns)" out >/dev/null' \
  'jq -es "any(.kind == \"simulation\" and .exceeding == 0)" out >/dev/null'

run generate "$cases/proved/doubling.tp" --out steps
check "there is no C of an open power" 'exits 65' 'err "a power whose exponent is not a number has no C"' '[ ! -e steps ]'

sed 's/(2^k - 1)\*Sync/(2^(k - 1) - 1)*Sync/' sync.tp >below.tp
run percentiles below.tp --data data -p 50 --set durable=1 --set k=0
check "a bound that k = 0 would make negative is not proved, or not evaluated" '! exits 0'

sed 's/if durable == 1 then Sync else 0 ms/if Sync <= Work then Sync else Work/' sync.tp >times.tp
run check times.tp
check "times choose nothing, and what to write instead is said" 'exits 65' 'err "what a bound chooses by cannot depend on times"' 'err "max(A, B)"'
sed 's/if Sync <= Work then Sync else Work/min(Sync, Work)/' times.tp >advised.tp
run check advised.tp
check "which can be written" 'exits 0'
finish
