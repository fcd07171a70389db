#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Lists of parameters, roles and messages, chains of any length, and what is said where a word cannot stand.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

cat >lists.tp <<'END'
protocol lists
param n,f : int>=1
param P , R : time # two times
role a,b[n],c[b],e[ b,f ] # four
external user, log[2]
component A
delay d
message Yes( i:b ),No(i:b):b i->a over d fifo
message Go : a->user
END
run format lists.tp
check "lists stay lists" 'exits 0' 'grep -qx "param n, f : int >= 1" out' 'grep -qE "^param P, R : time +# two times$" out' \
  'grep -qE "^role a, b\[n\], c\[b\], e\[b, f\] +# four$" out' 'grep -qx "external user, log\[2\]" out' \
  'grep -qx "message Yes(i: b), No(i: b) : b i -> a over d fifo" out' 'grep -qx "message Go : a -> user" out'
cp out again.tp
run format again.tp
check "twice is once" 'cmp -s out again.tp'

parameters="param n : int >= 1"
declared() { # roles, messages: each declared alone or in lists
  printf '%s\n' "protocol same" "$parameters" "$1" "external u" "component A, B" "delay d" "$2" \
    "state a { s : bool = false }" "action a.Go cost A { when not s  s := true  send M }" \
    "action b.Do on M cost B { send N }" "action c.Do on N { send O }" "bound x: sent O within A"
}
declared $'role a\nrole b\nrole c' $'message M : a -> b\nmessage N : b -> c\nmessage O : c -> u' >alone.tp
declared "role a, b, c" $'message M : a -> b\nmessage N : b -> c\nmessage O : c -> u' >listed.tp
run verify --no-cache --json alone.tp
jq -c 'select(.kind == "bound") | del(.file, .seconds, .median_ms, .worst_ms, .worst)' out >alone
run verify --no-cache --json listed.tp
jq -c 'select(.kind == "bound") | del(.file, .seconds, .median_ms, .worst_ms, .worst)' out >listed
check "a list means what its parts mean" '[ -s alone ]' 'cmp -s alone listed'

declared "role a, b, b" "message M, M : a -> b" >twice.tp
run check twice.tp
check "a name twice in one list, and where" 'exits 65' 'err "twice.tp:3:12: error"' 'err "twice.tp:7:12: error"'
parameters="param n, n : int >= 1"
declared "role a, b, c" "message M : a -> b" >twice.tp
run check twice.tp
check "of parameters too" 'exits 65' 'err "twice.tp:2:10: error"'
parameters="param n : int >= 1"
declared "role a, , c" "message M : a -> b" >hole.tp
run check hole.tp
check "a hole in a list" 'exits 65' 'err "hole.tp:3:9: error[E0101]"'

chain() { # terms, between them
  printf 'protocol chain\nrole a\nexternal u\ncomponent A\nmessage M : a -> u\ndelay d\nstate a { s : bool = false }\naction a.Go cost A { when not s  s := true  send M }\n'
  printf '%s' "$3"
  for ((i = 1; i < $1; i++)); do printf '%s %s ' "$4" "$2"; done
  printf '%s\n' "$4"
}
chain 1500 + "bound x: sent M within " A >sum.tp
run check sum.tp
check "a sum of 1500 terms is not nested" 'exits 0' 'quiet_err'
chain 1500 and "invariant i: " "not a.s" >and.tp
run check and.tp
check "nor are 1500 conditions" 'exits 0'
{ chain 2 + "bound x: sent M within " A | sed '$d'; printf 'bound x: sent M within '; for ((i = 0; i < 450; i++)); do printf 'max(A, '; done; printf A; for ((i = 0; i < 450; i++)); do printf ')'; done; echo; } >deep.tp
run check deep.tp
check "450 levels are" 'exits 65' 'err "nested too deeply (the limit is 400 levels)"'
chain 5000 + "bound x: sent M within " A >long.tp
run check long.tp
check "5000 terms are too many, and that is what is said" 'exits 65' 'err "too many terms (the limit is 4000)"' '! err "nested"'

cat >range.tp <<'END'
protocol range
param n : int >= 1
role a
external u
component A[int]
delay d
message M : a -> u
state a { s : bool = false }
action a.Go cost sum i in 1..max(n, 2) (A[i]) { when not s  s := true  send M }
bound x: sent M within A[1]
END
run check range.tp
check "an end of a range is a maximum, without parentheses" 'exits 0'
sed 's/max(n, 2)/if n > 2 then n else 2/' range.tp > chosen.tp
run check chosen.tp
check "an expression that needs parentheses is no mistaken name" 'exits 65' 'err "hint: put the expression in parentheses: (if ...)"' \
  '! err "choose another name"'
sed -i 's/if n > 2 then n else 2/(&)/' chosen.tp
run check chosen.tp
check "with them it is what was meant" 'exits 0'
sed 's/max(n, 2)/kth(1, r in w (index(r)))/; s/external u/external u, w[n]/' range.tp > kth.tp
run check kth.tp
check "a k-th smallest is one too" 'exits 0'
run format kth.tp
check "the formatter leaves it as it is" 'exits 0' 'out "in 1..kth(1, r in w (index(r))) (A"'
finish
