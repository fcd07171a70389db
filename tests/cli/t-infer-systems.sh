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
for name in circuit_breaker quic_handshake saga single_flight \
  ${TEST_ALL:+connection_pool foundationdb_commit majority_write parallel_commits}; do
  proved_again "$name"
done

if [ -n "${TEST_ALL:-}" ]; then # half a minute
  proved_again lightweight_transaction
fi

# What is false of them is refuted: a bound without one of its addends.
false_of() { # spec, sed's expression, the bound
  sed "$2" "$specs/$1.tp" >wrong.tp
  bound=$3
  run verify --infer --forget-timing --infer-limit 2 wrong.tp
  check "$1, $2: refuted" '! cmp -s wrong.tp "$specs/$1.tp"' 'exits 1' 'out "$bound: refuted"'
}
[ -z "${TEST_ALL:-}" ] || false_of saga 's/ + sum i in 1..k - 1 (Back(i))//' refused
[ -z "${TEST_ALL:-}" ] || false_of circuit_breaker 's/min(Timeout, Worked(c)) + Finish/min(Timeout, Worked(c)) - 1 ns + Finish/' served
[ -z "${TEST_ALL:-}" ] || false_of foundationdb_commit '/^bound /,$s/ + Interval//' committed
false_of single_flight 's/^  + wan(Select(q)) + Query\[q\] + wan/  + wan(Select(q)) + wan/' value
false_of quic_handshake 's/within 3\*PTO + 2/within 2*PTO + 2/' connected

# A batch that lingers: who joins it waits no longer than who opened it.
cat >linger.tp <<'END'
protocol linger
timing eager
param n : int >= 1
param b : int
param Linger : time
role sender[n]
role batcher
delay d
queueing Queuing
message Record(s: sender) : sender s -> batcher
message Ack(s: sender, i: int) : batcher -> sender s
state sender { asked : bool = false }
state batcher { open : bool = false  due : time = 0 ms  batch : int = 0  inside : set of sender = {} }
action sender s.Ask at any time { when not asked  asked := true  send Record(s) }
action batcher.Add on Record(s) reads t {
  if not open { open := true  due := t + Linger }
  inside := inside + {s}
}
action batcher.Flush on timer due {
  when open
  open := false
  send Ack(s, batch) for all s in inside
  inside := {}
  batch := batch + 1
}
invariant inside: forall s in sender. s in inside implies open and received Record(s)
invariant answered: batch >= 0 and forall s in sender, i in int. sent Ack(s, i) implies received Record(s) and i < batch
bound acked: from sent Record(s) sent Ack(s, b) within d(Record(s)) + Queuing(Record(s)) + Linger
END
run verify --infer linger.tp
check "linger: proved" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'
sed 's/ + Linger$/ + Linger - 1 ns/' linger.tp >wrong.tp
run verify --infer wrong.tp
check "linger: not within a nanosecond less" '! cmp -s linger.tp wrong.tp' 'exits 1' 'out "acked: refuted"'

# What is left out is left out, in whatever formula it stands: these are false, so that nothing would be proved with one of them.
cat >false.tp <<'END'
protocol false_times
timing eager
role a
role b
external user
component A
component B
delay d
queueing Q
message M(i: int) : a -> b
message N(i: int) : b -> user
state a { went : bool = false  mark : time = 0 ms }
action a.Go reads t cost A { when not went  went := true  mark := t + 1 ms  send M(1) }
action b.Do on M(i) cost B { send N(i) }
invariant number: forall i in int. sent M(i) implies i == 1
invariant alone:  time(a) <= 0 ms
invariant state_of_time: mark <= 0 ms
invariant given:  went implies went and time(a) <= 0 ms
invariant every:  forall i in int. sent M(i) implies i == 1 and time(M(i)) <= 0 ms
invariant some:   sent M(1) implies exists i in 1..2. sent M(i) and time(M(i)) <= 0 ms
invariant either: not went or (went and mark <= 0 ms)
invariant same:   went iff time(a) >= 1 ms
invariant if_late: time(a) > 0 ms implies not went
bound n: sent N(1) within A + d(M(1)) + Q(M(1)) + B
END
run verify --infer false.tp
check "with false invariants on times nothing is proved" '! exits 0' '! out "1 proved"'
run verify --infer --forget-timing false.tp
check "they are left out wherever they stand" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'

finish
