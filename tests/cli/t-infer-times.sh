#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Inference behind timers, ticks, pacers and messages that bounds count from: with all their timing
# invariants left out these protocols are proved again, and what is false of them is not.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

for name in semi_sync retransmission client_retry request_stream token_bucket flush_ticker; do
  run verify --infer --forget-timing "$specs/$name.tp"
  check "$name: every bound without its timing invariants" 'exits 0' 'quiet_err' 'out ", 0 refuted, 0 unknown"' '! out "0 proved"'
done

# A pacer: who keeps up with it. What the checker itself says of pacers is never left out.
sed 's/ within (B - 1).*/ within ?/' "$specs/token_bucket.tp" >asked.tp
run verify --infer --forget-timing asked.tp
check "token_bucket: the bound is found, and is as small as one can be" 'exits 0' \
  'out "bound alarm: from sent Report(k) sent Alarm(k) within (B - 1)*T + d + Handle[k]"' 'out "    tight"'
{
  sed '/^invariant in_turn/,/paced/d; /^invariant keeps_up/d; /^invariant rested/d; /^bound/d' "$specs/token_bucket.tp"
  sed -nE 's/^    ((invariant|bound) )/\1/p' out
} >pasted.tp
run verify pasted.tp
check "what was found can be pasted" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'
sed 's/^assume Handle <= T.*/assume Handle <= 2*T/' "$specs/token_bucket.tp" >slow.tp
run verify --infer --forget-timing --infer-limit 2 slow.tp
check "who does not keep up has no such invariant" 'exits 1' 'out "alarm: refuted"' '! out "time(server) <= paced(Report(done))"'
if [ -n "${TEST_ALL:-}" ]; then
  sed 's/^message Report.* fifo/message Report(k: int) : sensor -> server/' "$specs/token_bucket.tp" >unordered.tp
  run verify --infer --forget-timing unordered.tp
  check "nor is it so where reports overtake each other" '! exits 0' '! out "1 proved"'
fi
sed 's/within (B - 1)\*T + D/within (B - 1)*T + D - 1 ns/' "$specs/token_bucket.tp" >short.tp
run verify --infer --forget-timing --infer-limit 2 short.tp
check "a bound that is a nanosecond too small is refuted" 'exits 1' 'out "alarm: refuted"'
# A tick: late by what was gathered since the one before, and no further away than a period.
if [ -n "${TEST_ALL:-}" ]; then # redis_wait and client_retry stand for it (t-infer.sh, t-infer-ended.sh)
  run verify --infer --forget-timing --forget-untimed "$specs/flush_ticker.tp"
  check "flush_ticker: also without any invariant of its own" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'
fi
sed '/^bound durable/,$c\bound durable for all w in writer: delivered Durable(w) within ?' "$specs/flush_ticker.tp" >asked.tp
run verify --infer --forget-timing asked.tp
check "its bound is found" 'exits 0' 'quiet_err' 'out "1 proved"' 'said "+ sum w2 in writer (Append[w2]) + sum w2 in writer (Write[w2]) + Sync + d(Durable(w))"'
{
  sed '/^# The tick comes in time/,$d' "$specs/flush_ticker.tp"
  sed -nE 's/^    ((invariant|bound) )/\1/p' out
} >pasted.tp
run verify pasted.tp
check "and can be pasted" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'
false_of() { # sed's expression, the verdict with its reason, its exit code, what must not be found
  sed "$1" "$specs/flush_ticker.tp" >wrong.tp
  run verify --infer --forget-timing --infer-limit $([ -n "${TEST_ALL:-}" ] && echo 60 || echo 2) wrong.tp
  verdict=$2 code=$3 wrong=$4
  check "$1: $2" '! cmp -s wrong.tp "$specs/flush_ticker.tp"' 'exits $code' 'quiet_err' 'out "$verdict"' '! out "$wrong"'
}
if [ -n "${TEST_ALL:-}" ]; then # each takes seconds
  # A flusher that falls behind is late by more with each lap: longer executions than the search tries.
  behind='durable: unknown: unbounded: each lap through flusher.Tick adds time'
  false_of 's/^assume n.Append.*//' "$behind" 2 'time(flusher) <= next_tick'
  false_of 's/^assume n.Append.*/assume n*Append + Sync <= Period/' "$behind" 2 'time(flusher) <= next_tick'
  false_of 's/+ Period + sum v/+ sum v/' 'durable: refuted' 1 'durable: proved'
  false_of 's/next_tick := next_tick + Period/next_tick := next_tick + 2*Period/' 'durable: refuted' 1 'next_tick <= now + Period'
fi

# Clocks that are read, steps at once, timers that are a maximum or set from what was read.
cat >clocks.tp <<'END'
protocol clocks
timing eager
param P : time
param R : time
role a
role b
external user
component A, B, C, L
delay d
queueing Q
message M : a -> b
message N : b -> user
message O : a -> user
message Late : b -> user
state a { g : bool = false  due : time = max(P, R)  told : bool = false }
state b { since : time = 0 ms  noted : bool = false  late : bool = false }
action a.Go at once reads t cost A { when not g  when t >= P - P  g := true  due := max(due, t + P)  send M }
action a.Next on timer due reads t cost C { when g  when not told  told := true  send O }
action b.Do on M reads t cost B { since := t  noted := true  send N }
action b.Tell on timer since + P cost L { when noted  when not late  late := true  send Late }
bound n: sent N within ?
bound o: sent O within ?
bound late: sent Late within ?
END
run verify --infer clocks.tp
check "timers, at once and clocks read are followed" 'exits 0' 'out "3 proved, 0 refuted, 0 unknown"' \
  '! out "is not followed"' 'out "bound n: sent N within A + d(M) + Q(M) + B"' \
  'out "bound o: sent O within max(R, A + P) + C"' 'out "bound late: sent Late within A + d(M) + Q(M) + B + P + L"'
sed 's/^bound n.*/bound n: sent N within A + d(M) - 1 ns + B/; s/^bound o.*/bound o: sent O within max(P, R, A) + C/; s/^bound late.*/bound late: sent Late within d(M) + B + P + L/' clocks.tp >wrong.tp
run verify --infer wrong.tp
check "what leaves a term out is refuted" '! exits 0' '! out ": proved"'
cat >any.tp <<'END'
protocol any
timing eager
role a
role b
external user
component B[int]
delay d
queueing Q
message Req(k: int) : a -> b
message Rep(k: int) : b -> user
state a { k : int = 0 }
action a.Go at any time { k := k + 1  send Req(k) }
action b.Do on Req(k) reads t cost B[k] { send Rep(k) }
invariant num: k >= 0 and forall i in int. sent Req(i) iff 1 <= i and i <= k
bound n: from sent Req(k) sent Rep(k) within ?
bound m: from sent Req(k) delivered Rep(k) within ?
END
run verify --infer any.tp
check "at any time: counted from the message, nothing is asked for" 'exits 0' '! out "is not followed"' '! out "by when"' \
  'out "bound n: from sent Req(k) sent Rep(k) within d(Req(k)) + Q(Req(k)) + B[k]"'
finish
