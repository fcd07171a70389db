#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Systems that people run, without their timing invariants: the order of a bound's addends says by
# when its messages are delivered, and that is proved.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

proved_again() { # spec
  run verify --infer --forget-timing "$specs/$1.tp"
  check "$1: every bound without its timing invariants" 'exits 0' 'quiet_err' 'out ", 0 refuted, 0 unknown"' '! out "0 proved"'
}
for name in circuit_breaker connection_pool foundationdb_commit majority_write parallel_commits quic_handshake saga single_flight; do
  proved_again "$name"
done

if [ -n "${TEST_ALL:-}" ]; then # half a minute
  proved_again lightweight_transaction
fi

# What is false of them is not proved: a bound without one of its addends.
false_of() { # spec, sed's expression
  sed "$2" "$specs/$1.tp" >wrong.tp
  run verify --infer --forget-timing --infer-limit 5 wrong.tp
  check "$1, $2: not proved" '! cmp -s wrong.tp "$specs/$1.tp"' '! exits 0' '! out ", 0 refuted, 0 unknown"'
}
false_of saga 's/ + sum i in 1..k - 1 (Back(i))//'
false_of circuit_breaker 's/min(Timeout, Worked(c)) + Finish/min(Timeout, Worked(c)) - 1 ns + Finish/'
false_of foundationdb_commit 's/+ Version + d(Next) + Read + Checking/+ Version + d(Next) + Checking/'
false_of single_flight 's/^  + wan(Select(q)) + Query\[q\] + wan/  + wan(Select(q)) + wan/'
false_of quic_handshake 's/within 3\*PTO + 2/within 2*PTO + 2/'

finish
