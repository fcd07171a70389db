#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the mutants of the core, of which a few are tried (more: make prove-mutants).
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/tap.sh
trap 'exit 130' INT TERM
export BUILD="$scratch/build"

proofs/mutate.sh --list ring_judge >"$scratch/log" 2>&1 &&
  grep -q '^measure/core/ring.c ring_judge [0-9]* [0-9]* == !=$' "$scratch/log" &&
  grep -q '^measure/core/ring.c ring_judge [0-9]* [0-9]* 0 (0+1)$' "$scratch/log" &&
  ! grep -q 'ring_slot' "$scratch/log"
report $? "comparisons and constants of one function are found"
proofs/mutate.sh --list >"$scratch/all" 2>&1
grep -v '^#' proofs/functions.list | cut -d' ' -f2 | sort >"$scratch/listed"
cut -d' ' -f2 "$scratch/all" | sort -u | comm -23 - "$scratch/listed" >"$scratch/log"
[ "$(wc -l <"$scratch/all")" -gt 150 ] && [ ! -s "$scratch/log" ]
report $? "all of them are in functions that are listed"
proofs/mutate.sh --list --slips round_enter >"$scratch/log" 2>&1 &&
  grep -qE '^measure/throughput/core/round.c round_enter [0-9]+ 3 state->epoch~=~epoch; ;$' "$scratch/log" &&
  ! grep -qE ' (==|<|>|[0-9]+) [^ ]*$' "$scratch/log"
report $? "statements are left out"
# What is in the place of each is what the list says.
awk '!($1 in lines) { lines[$1] = 0; while ((getline text <$1) > 0) body[$1, ++lines[$1]] = text }
  { old = $5; if ($6 == ";") gsub(/~/, " ", old) }
  substr(body[$1, $3], $4, length(old)) != old { print $1 ":" $3 ":" $4 ": not " $5 }' "$scratch/all" >"$scratch/log"
[ ! -s "$scratch/log" ]
report $? "each stands where the list says"
proofs/mutate.sh --sample 3 ticks_between >"$scratch/log" 2>&1 &&
  grep -q '^caught .*ticks_between.* typed_ticks_between_' "$scratch/log" &&
  grep -q '^mutate: 3 of 3 mutants caught, 100.0 %; 0 survived, 0 do not compile$' "$scratch/log"
report $? "wrong code is noticed, and the goal is named"
proofs/mutate.sh --sample 1 ring_slot >"$scratch/log" 2>&1 && grep -q '1 of 1 mutants caught' "$scratch/log"
report $? "a sample"
proofs/mutate.sh no_such_function >"$scratch/log" 2>&1
[ $? -eq 64 ] && grep -q 'no_such_function: not listed' "$scratch/log"
report $? "an unknown function"
proofs/mutate.sh --sample few >"$scratch/log" 2>&1
[ $? -eq 64 ] && grep -q '^usage:' "$scratch/log"
report $? "no number"

finish
