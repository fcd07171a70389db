#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A search that ends before it is over, by Ctrl-C or by its limit: what was proved by then is printed
# and nothing else, and is proved when it is pasted.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
file=$specs/client_retry.tp
sed '/^invariant /,/^\(bound\|#\|$\)/{/^bound/!d}' "$file" >bare.tp

# Of what was found each is inductive with the others: none of it is open, even if the bound is.
pasted_holds() {
  { cat bare.tp && sed -nE 's/^    (invariant )/\1/p' out; } >pasted.tp
  "$program" verify --all-goals pasted.tp >pasted.out 2>pasted.err
  ! grep -E "(keeps|has) invariant " pasted.out && ! grep -q error pasted.err
}
catches_interrupt() {
  local mask
  [ "$(cat "/proc/$1/comm" 2>/dev/null)" = tailproof ] || return 1
  mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
  [ -n "$mask" ] && (((16#$mask >> 1) & 1))
}
# Each of these searches and proofs takes seconds.
delays=1 limits=0.5
[ -n "${TEST_ALL:-}" ] && delays='0 0.1 0.3 0.6 1 1.5 2' limits='0.05 0.5 1 60'
interrupted_after() { # seconds; whether the search was still under way
  cp bare.tp written.tp
  "$program" verify --infer --write written.tp >out 2>err </dev/null &
  pid=$!
  until_true 'catches_interrupt $pid || ! kill -0 $pid'
  sleep "$1"
  kill -INT $pid 2>/dev/null
  wait $pid
  status=$? last="verify --infer --write, interrupted after $1 s"
  [ $status -eq 130 ]
}
found=0
for delay in $delays; do
  # on a machine where it was over before: sooner
  for divisor in 1 2 4 8 16 0; do
    after=$(awk "BEGIN { print $divisor == 0 ? 0 : $delay / ($divisor + !$divisor) }")
    interrupted_after "$after" && break
  done
  check "interrupted after $delay s or sooner: what was found is proved, and nothing is written" '[ $status -eq 130 ]' \
    'cmp -s bare.tp written.tp' '! out ": proved"' '! out "written into"' '! out "    bound "' 'out "when the search was ended"' 'pasted_holds'
  grep -q '^    invariant ' out && found=$((found + 1))
done
check "some was interrupted when something had been found" '[ $found -gt 0 ]'

sizes=
for limit in $limits; do
  run verify --infer --infer-limit $limit --forget-timing --forget-untimed "$file"
  sizes="$sizes $(grep -c '^    invariant ' out)"
  check "a limit of $limit s: what was found is proved" 'exits 0 || exits 2' 'quiet_err' 'pasted_holds' \
    'out "0 refuted"' '! out "0 unknown" || exits 0'
done
[ -z "${TEST_ALL:-}" ] || check "with time enough all is proved, as without a limit" 'exits 0' '! out "was ended"' 'out "2 proved"'
run verify --infer --infer-limit 0.001 bare.tp
check "without time nothing is found, and the reason says so" 'exits 2' 'out "when the search was ended"' \
  'said "the search ended before it was over (a larger --infer-limit may find more)"' 'out "0 proved"'
run verify --infer-limit 1 bare.tp
check "--infer-limit is about --infer" 'exits 64' 'err "--infer"'
if command -v script >/dev/null; then
  last="verify --infer on a terminal"
  script -qec "'$program' verify --infer --forget-timing '$specs/lock.tp'" /dev/null >out 2>err </dev/null
  check "on a terminal it says what it searches" 'out "searching: who is idle when"' 'out "candidates"'
fi
finish
