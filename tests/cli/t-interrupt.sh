#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Ctrl-C at any moment of a long run: the program stops at once, with 130, and what it says until then
# is no verdict.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
# without its invariants the bound takes seconds of searching
sed '/^invariant ack_time/,/^$/d' "$specs/primary_backup.tp" >loose.tp
# The shell starts background commands with SIGINT ignored: wait until it is the program that runs,
# no longer the shell's copy of itself, and until it catches the signal.
catches_interrupt() {
  local mask
  [ "$(cat "/proc/$1/comm" 2>/dev/null)" = tailproof ] || return 1
  mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null)
  [ -n "$mask" ] && (((16#$mask >> 1) & 1))
}

for delay in 0 0.3 0.6 1; do
  "$program" verify --bound reply loose.tp loose.tp loose.tp loose.tp >out 2>err </dev/null &
  until_true "catches_interrupt $!"
  sleep $delay
  kill -INT $!
  wait $!
  status=$? last="verify, interrupted after $delay s"
  check "interrupted after $delay s: 130, before the last file" 'exits 130' '[ "$(grep -c "^loose.tp: reply" out)" -lt 4 ]' \
    '! out ": proved"' '! out ": refuted"'
done
finish
