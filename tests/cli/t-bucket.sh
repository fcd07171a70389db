#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Steps that send more of a message at once than its arrivals allow are warned of, and no others.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

cat > bucket.tp <<'END'
protocol bucket
param T, J : time
param B : int
role a, b, c, e
external user
delay d
message One(k: int)    : a -> user
message Two(k: int)    : a -> user
message Any(k: int)    : a -> user
message Same(k: int)   : b -> user
message Late(k: int)   : b -> user
message Soon(k: int)   : b -> user
message Free(k: int)   : b -> user
message Either(k: int) : c -> user
message Each(k: int)   : c -> user
message None(k: int)   : e -> user
arrivals One every T burst 1
arrivals Two every T burst 2
arrivals Any every T burst B
arrivals Same every T jitter J
arrivals Late every 1 ms jitter 3 ms
arrivals Soon every 1 ms jitter 900 us
arrivals Free every 0 ms burst 1
arrivals Either every T burst 1
arrivals Each every 1 ms burst 2
arrivals None every T jitter 0 ms
state a { k : int = 0 }
state c { k : int = 0 }
action a.Go at any time { k := k + 2  send One(k)  send One(k + 1)  send Two(k)  send Two(k + 1)  send Any(k)  send Any(k + 1) }
action a.Three at any time { send Two(-1)  if k > 3 { send Two(-2)  send Two(-3) } }
action b.Go at any time {
  send Same(1)  send Same(2)  send Free(1)  send Free(2)
  send Late(1)  send Late(2)  send Late(3)  send Late(4)
  send Soon(1)  send Soon(2)
}
action b.More at any time { send Late(5)  send Late(6)  send Late(7)  send Late(8)  send Late(9) }
action c.Go at any time {
  if k > 3 { send Either(1) } else { send Either(2) }
  if k > 3 { send Each(1) } else { send Each(2)  send Each(3) }
  if k < 2 { send Each(4) }
  if k > 8 { send Each(5)  if k > 9 { send Each(6)  send Each(7) } }
}
action e.Go at any time { send None(1)  send None(2) }
bound one: from sent One(k) sent One(k + 1) within 0 ms
END
run check --json bucket.tp
cat > expected <<'END'
29 "a.Go" sends "One" 2 times at once, which "every T burst 1" allows only where that time is 0
30 "a.Three" sends "Two" 3 times at once, which "every T burst 2" allows only where that time is 0
34 "b.Go" sends "Soon" 2 times at once, which "every 1 ms jitter 900 us" never allows
36 "b.More" sends "Late" 5 times at once, which "every 1 ms jitter 3 ms" never allows
41 "c.Go" sends "Each" 3 times at once, which "every 1 ms burst 2" never allows
43 "e.Go" sends "None" 2 times at once, which "every T jitter 0 ms" allows only where that time is 0
END
check "a step that sends more than the bucket holds" 'exits 0' \
  'diff expected <(gojq -r "select(.code == \"W0510\") | \"\\(.line) \\(.message)\"" "out")'

cat > zero.tp <<'END'
protocol zero
param T : time
role a
external user
delay d
message Job(k: int) : a -> user
arrivals Job every T burst 1
state a { k : int = 0 }
action a.Go at any time { when k == 0  k := 2  send Job(1)  send Job(2) }
bound both: from sent Job(1) sent Job(2) within 0 ms
END
run verify zero.tp
check "verify says so beside a bound that holds for T = 0 alone" 'exits 0' 'err "W0510" "burst 2"'
sed -i 's/^delay/assume T > 0 ms\n&/' zero.tp
run verify zero.tp
check "where T is above 0 the step is never taken" '! exits 0'
finish
