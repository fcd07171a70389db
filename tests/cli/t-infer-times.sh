#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Inference behind timers, ticks, pacers and messages that bounds count from: with all their timing
# invariants left out these protocols are proved again, and what is false of them is not.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

for name in semi_sync retransmission client_retry request_stream token_bucket; do
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
run verify --infer --forget-timing slow.tp
check "who does not keep up has no such invariant" '! exits 0' '! out "1 proved"' '! out "time(server) <= paced(Report(done))"'
sed 's/^message Report.* fifo/message Report(k: int) : sensor -> server/' "$specs/token_bucket.tp" >unordered.tp
run verify --infer --forget-timing unordered.tp
check "nor is it so where reports overtake each other" '! exits 0' '! out "1 proved"'
sed 's/within (B - 1)\*T + D/within (B - 1)*T + D - 1 ns/' "$specs/token_bucket.tp" >short.tp
run verify --infer --forget-timing short.tp
check "a bound that is a nanosecond too small is refuted" 'exits 1' 'out "alarm: refuted"'
finish
