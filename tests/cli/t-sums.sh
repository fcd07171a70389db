#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sums of integers: what is one less than what all may have together is not proved, and where a sum may
# not read something, what the hint says can be written instead.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
model=$OLDPWD/tests/cases/proved/sum_multiples.tp

false_of() { # sed's expression
  sed "$1" "$model" >wrong.tp
  run verify wrong.tp
  check "not proved: $1" '! cmp -s "$model" wrong.tp' '! exits 0' 'out "0 proved"'
}
false_of 's/<= W\*L$/< W*L/'
false_of 's/<= W\*L$/<= W*L - 1/'
false_of 's/<= W\*L$/<= W/'
false_of 's/<= L\*W$/< L*W/'
false_of 's/<= L\*W$/<= (L - 1)*W/'
false_of 's/<= 6 /<= 5 /'
false_of 's/-3 <= sum/-2 <= sum/'
false_of 's/-3 <= sum/-3 < sum/'
false_of 's/<= W\*L$/<= 2*W/'
sed 's/\(x.open <= 1\)/x.open <= 2/; s/open < 1/open < 2/; s/<= W\*L$/<= 2*L*W/' "$model" >twice.tp
run verify twice.tp
check "each at most 2, and the factors in another order" 'exits 0' 'out "1 proved"'
sed 's/<= 2\*L\*W$/<= 2*L*W - 1/' twice.tp >wrong.tp
run verify wrong.tp
check "one less is not proved" '! exits 0' 'out "0 proved"'
sed 's/^param W.*/param W : int/; s/^param L.*/param L : int/' "$model" >negative.tp
run verify negative.tp
check "where there need be no such family nothing is proved" '! exits 0' 'out "0 proved"'

cat >votes.tp <<'END'
protocol votes
timing eager
param n : int >= 1
enum Kind { yes, no }
role v[n]
role p
external user
delay d
message Out(k: int) : p -> user
state v { vote : v = first  kind : Kind = yes }
state p { k : int = 0  leader : v = first  want : Kind = yes  go : bool = true  m : map v to int = 0  some : set of v = {} }
action p.Go at any time { k := k + 1  send Out(k) }
action v x.Inc at any time { vote := x  kind := no }
action p.Lead(x in v) at any time { GUARD leader := x }
invariant a: FORMULA
invariant num: k >= 0 and forall i in int. sent Out(i) iff 1 <= i and i <= k
bound out: from sent Out(k) delivered Out(k) within d(Out(k))
END
refused() { # formula, what the hint has
  sed "s/GUARD//; s/FORMULA/$1/" votes.tp >votes_made.tp
  run verify votes_made.tp
  hint=$2
  check "$1: refused, and says what else" 'exits 65' 'err "E0470"' 'err "$hint"'
}
instead() { # formula, guard
  sed "s/GUARD/$2/; s/FORMULA/$1/" votes.tp >votes_made.tp
  run verify votes_made.tp
  check "$1 $2: proved" 'exits 0' 'out "1 proved"'
}
refused 'sum x in v (if x.vote == leader then 1 else 0) <= n' 'exists w in v. leader == w and'
instead 'forall w in v. leader == w implies sum x in v (if x.vote == w then 1 else 0) <= n' \
  'when exists w in v. leader == w and sum y in v (if y == w then m[y] else 0) < n'
refused 'sum x in v (if x.kind == want then 1 else 0) <= n' 'if want == yes then sum x in v (.. yes ..) else'
instead '(if want == yes then sum x in v (if x.kind == yes then 1 else 0) else 0) <= n'
refused 'sum x in v (if go then 1 else 0) <= n' 'if go then sum x in v (..) else'
instead '(if go then sum x in v (if x.vote == x then 1 else 0) else 0) <= n' 'when (if go then sum y in v (m[y]) else 0) < n'
refused 'sum x in v (if x in some then 1 else 0) <= n' '|some|'
instead '|some| <= n'
refused 'sum x in v (if m[x] >= k then 1 else 0) <= n' 'forall j in int. k == j implies'
instead 'forall j in int. k == j implies sum x in v (if m[x] >= j then 1 else 0) <= n'
refused 'sum x in v (if sent Out(1) then 1 else 0) <= n' 'keep in a state'
finish
