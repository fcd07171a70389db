#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Proofs that do not hang on the solver's luck: other seeds and other names, the same verdicts.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

# An invariant "some v equals E and has P" whose E chooses between two values; two quorums in a row; sums that are
# compared with products.
cp "$specs/../examples/multi_paxos/paxos.tp" "$specs/lightweight_transaction.tp" "$specs/performal/lock.tp" .
seeds='2 5'
[ -n "${TEST_ALL:-}" ] && seeds='1 2 3 4 5 6 7 8'
for seed in $seeds; do
  run verify --no-cache --seed $seed paxos.tp lightweight_transaction.tp
  check "seed $seed: two rounds of quorums, and an operation of a log" 'exits 0' 'out "2 proved, 0 refuted, 0 unknown"'
done
run verify --no-cache --seed 1 --bound in_net lock.tp
check "seed 1: a lock on its way" 'exits 0' 'out "1 proved, 0 refuted, 0 unknown"'

sed -E 's/\bvoter\b/acceptor/g; s/\bvoted\b/balloted/g; s/\bpromised\b/kept_to/g; s/\bleader\b/ballot/g; s/\bAccepted\b/Zv/g' paxos.tp >renamed.tp
run verify --no-cache renamed.tp
check "other names" '! cmp -s paxos.tp renamed.tp' 'exits 0' 'out "1 proved, 0 refuted, 0 unknown"'
finish
