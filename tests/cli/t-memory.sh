#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where memory runs out, within the solver too, one line says so, and the exit code is that of no answer.
. "$(dirname "$0")/tap.sh"
[ -z "${SANITIZED:-}" ] || { echo "ok 1 - a sanitizer needs all the addresses there are"; echo 1..1; exit 0; }

limited() { # kilobytes, then what run takes
  local bytes=$1
  shift
  last="$* (ulimit -v $bytes)"
  (ulimit -t 240 -v "$bytes" && exec "$program" "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}
ended=0 answered=0
for ((bytes = 60000; bytes <= 260000; bytes += 20000)); do
  limited $bytes verify "$specs/lock.tp" --no-cache
  case $status in
  0) answered=$((answered + 1)) ;;
  *)
    ended=$((ended + 1))
    check "$bytes kB: what is missing is memory" 'exits 70' '[ "$(grep -c "^tailproof: out of memory" "$scratch/err")" -ge 1 ]' \
      '! grep -qv "^tailproof: out of memory" "$scratch/err"'
    ;;
  esac
done
check "some limits were too small, and some were not" '[ $ended -gt 0 ]' '[ $answered -gt 0 ]'
finish
