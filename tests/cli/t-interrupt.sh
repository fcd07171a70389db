#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C at any moment of a long run: the program stops at once, with 130, and what it says until then
# is no verdict.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
# without its invariants the bound takes seconds of searching
sed '/^invariant ack_time/,/^$/d' "$specs/primary_backup.tp" >loose.tp
for delay in 0.1 0.3 0.6 1; do
  "$program" verify --bound reply loose.tp loose.tp loose.tp >out 2>err </dev/null &
  sleep $delay
  kill -INT $!
  SECONDS=0
  wait $!
  status=$? last="verify, interrupted after $delay s"
  check "interrupted after $delay s: 130, soon" 'exits 130' '[ $SECONDS -le 2 ]' '! out ": proved"' '! out ": refuted"'
done
finish
