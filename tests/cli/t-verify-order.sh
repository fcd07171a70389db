#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A bound from what comes later to what comes first is proved, and says nothing: a warning at the verdict, and
# none where the event can come later.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
flat() { tr -s '\n ' ' ' <out; }

cat >order.tp <<'END'
protocol order
role a, b
external user
delay d
queueing Q
component A, B
message M : a -> b
message N, Twin : b -> user
state a { k : int = 0 }
action a.Go cost A { when k < 1  k := 1  send M }
action b.Do on M cost B { send N  send Twin }
bound swapped: from sent N delivered M within 0 ms
bound swapped_loose: from sent N sent M within A
bound right: from sent M sent N within d(M) + Q(M) + B
bound twin: from sent N sent Twin within 0 ms
bound arrives: from sent N delivered Twin within d(Twin)
bound before: from sent N when k == 1 at a within A
bound start: sent M within A
END
invariant='invariant first: (k <= 0 implies time(a) <= 0) and (sent M implies time(a) <= time(M)) and (k >= 1 iff sent M)'
sed -i "s/^bound swapped:/$invariant\n&/" order.tp
run verify --json order.tp
marked() { jq -r 'select(.kind == "bound" and .never_later) | .name' out | xargs; }
check "those of which the event never comes later" 'exits 0' '[ "$(marked)" = "swapped swapped_loose twin before" ]'
run verify --json order.tp
check "kept verdicts know it" 'json "[.[] | select(.kind == \"bound\")] | all(.reused)"' \
  '[ "$(marked)" = "swapped swapped_loose twin before" ]'
run verify order.tp --bound swapped
check "what to write" 'exits 0' 'flat | grep -qF "warning: in no execution that was tried it comes later than what it counts from"' \
  'out "if it comes first, write: from sent M(..) sent N(..) within .."'
run verify order.tp --bound before
check "of a condition" 'exits 0' 'out "write behind \"from\" what comes first"'
run verify order.tp --bound right
check "no warning of a bound the right way round" 'exits 0' '! out "warning"'
finish
