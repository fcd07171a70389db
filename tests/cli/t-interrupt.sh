#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C at any moment of a long run: the program stops at once, with 130, and what it says until then
# is no verdict.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
# without its invariants the bound takes seconds of searching
sed '/^invariant ack_time/,/^$/d' "$specs/primary_backup.tp" >loose.tp
# the shell starts background commands with SIGINT ignored: wait until the program catches it
catches_interrupt() {
  local mask
  mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
  [ -n "$mask" ] && (((16#$mask >> 1) & 1))
}

for delay in 0 0.3 0.6 1; do
  "$program" verify --bound reply loose.tp loose.tp loose.tp loose.tp >out 2>err </dev/null &
  for ((tries = 0; tries < 600; tries++)); do
    catches_interrupt $! && break
    sleep 0.05
  done
  sleep $delay
  kill -INT $!
  wait $!
  status=$? last="verify, interrupted after $delay s"
  check "interrupted after $delay s: 130, before the last file" 'exits 130' '[ "$(grep -c "^loose.tp: reply" out)" -lt 4 ]' \
    '! out ": proved"' '! out ": refuted"'
done
finish
