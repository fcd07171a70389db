#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Bounds that are asked for: the k-th where a quorum is counted, the earlier of two ways, the work ahead
# of a request; and what was tried where only a larger bound is proved.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

sed 's/^bound reply: .*/bound reply: delivered Reply within ?/; /^bound reply: /,/^$/{/^bound/!d}; /^bound reply_uniform/d' \
  "$specs/redis_wait.tp" >asked.tp
run verify --infer --forget-timing asked.tp
kth='kth(k, r in replica (d(Write(r)) + Queuing(Write(r)) + Apply[r] + d(Ack(r)) + Queuing(Ack(r))))'
check "redis_wait: the k-th answer" 'exits 0' 'quiet_err' 'out "1 proved"' \
  'out "bound reply: delivered Reply within d(Request) + Set + Finish + d(Reply) + $kth"' '! out "not known to be the least"'
found() { # replaces what speaks of times in the file by what was found
  sed '/^invariant [a-z]*_time/,/^$/d; /^bound/d' "$1" >pasted.tp
  sed -nE 's/^    ((invariant|bound) )/\1/p' out >>pasted.tp
}
found asked.tp
run verify pasted.tp
check "redis_wait: what was found can be pasted" 'exits 0' 'quiet_err' 'out "1 proved"'
sed 's/kth(k,/kth(k - 1,/; s/^assume k <= n/assume 2 <= k and k <= n/' pasted.tp >wrong.tp
run verify wrong.tp
check "one fewer is refuted" 'exits 1' 'out "reply: refuted"'
sed 's/if not replied and |acks| >= k {/if not replied and |acks| >= k and first in acks {/; s/and |acks| + 1 >= k then/and |acks| + 1 >= k and (r == first or first in acks) then/; s/^invariant enough.*//; s/^invariant numbered.*/invariant numbered: charged Finish iff replied/' asked.tp >first.tp
run verify --infer --forget-timing first.tp
check "who also waits for one of them in particular: the k-th does not suffice, and it says what was tried" '! out "kth(k, r in"' \
  'out "not known to be the least: tried kth(k, .. in replica ..)" || exits 2'

sed '/^bound commit/,$d' "$specs/semi_sync.tp" >semi.tp
echo 'bound commit: delivered Ok within ?' >>semi.tp
run verify --infer --forget-timing semi.tp
check "semi_sync: whichever comes first, the k-th answer or the time-out; it is tight" 'exits 0' 'quiet_err' \
  'out "+ min(kth(k, r in replica (d(Event(r)) + Queuing(Event(r)) + Relay[r] + d(Ack(r)) + Queuing(Ack(r)))), Timeout)"' \
  'out "    tight"'
sed '/^bound write/,$d' "$specs/quorum_store.tp" >store.tp
echo 'bound write: sent Written within ?' >>store.tp
run verify --infer --forget-timing store.tp
check "quorum_store: a replica may be down, so the w-th of all is not proved; what was tried is said" 'exits 0' \
  'out "# not known to be the least: tried kth(w, .. in replica ..)"' 'out "max r2 in replica ("'
run verify --infer --forget-timing --json store.tp
check "to programs, too" 'exits 0' 'json "[.[] | select(.kind == \"inferred\" and .what == \"bound\") | .tried | test(\"kth\")] == [true]"'

# Work ahead of a request: prefix sums, less what passed since the requests before it were sent.
ahead() { sed '/^invariant clock/,$d; /^let /d' "$1"; }
{ ahead "$specs/work_ahead.tp"; echo 'bound reply: from sent Request(k) sent Reply(k) within ?'; } >ahead.tp
run verify --infer --forget-timing ahead.tp
sums='max j in 1..k (d(Request(j)) - sum i in j + 1..k (Gap[i]) + sum i in j..k - 1 (Serve[i])) + Serve[k]'
check "work_ahead: the bound is found, and tight" 'exits 0' 'quiet_err' 'out "1 proved"' 'out "    tight"' \
  'out "bound reply: from sent Request(k) sent Reply(k) within $sums"'
{ ahead "$specs/work_ahead.tp"; sed -nE 's/^    ((invariant|bound) )/\1/p' out; } >pasted.tp
run verify pasted.tp
check "work_ahead: what was found can be pasted" 'exits 0' 'quiet_err' 'out "1 proved"'
false_of() { # sed's expression
  sed "$1" pasted.tp >wrong.tp
  run verify wrong.tp
  check "not proved: $1" '! cmp -s pasted.tp wrong.tp' '! exits 0' 'out "0 proved"'
}
false_of '/^bound/s/j + 1..k (Gap/j..k (Gap/'
false_of '/^bound/s/j..k - 1 (Serve/j + 1..k - 1 (Serve/'
false_of '/^bound/s/+ Serve\[k\]$/+ Serve[k] - 1 ns/'
false_of '/^bound/s/max j in 1..k/max j in 2..k/'
[ -z "${TEST_ALL:-}" ] || false_of '/^invariant order/s/k..done (Serve/k + 1..done (Serve/'
sed 's/ fifo//' ahead.tp >unordered.tp
run verify --infer --forget-timing unordered.tp
check "work_ahead: not where requests overtake each other" '! exits 0' '! out "1 proved"' '! out "(Serve"'
sed 's/^action client.Ask cost Gap.asked + 1. {/action client.Ask at any time {/; /^component Gap/d; s/ and$//; s/^  (charged Gap.*//' ahead.tp >free.tp
run verify --infer free.tp
check "work_ahead: how far apart they are is asked for where nothing says it" 'exits 2' 'out "arrivals Request every T burst B"'
finish
