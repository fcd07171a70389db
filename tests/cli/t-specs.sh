#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Shipped protocols of systems that people run: their bounds, how tight those are, and that each is refuted where a part of it
# is left out.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

# NAME; the bounds that are tight for some parameters; a part of a bound, which is needed
judged() {
  local name=$1 tight=$2 part=$3 bounds
  bounds=$(grep -c '^bound ' "$specs/$name.tp")
  run verify --json "$specs/$name.tp"
  check "$name: proved, tight where it is said" 'exits 0' \
    '[ "$(jq -r "select(.kind == \"bound\" and .verdict == \"proved\") | .name" out | wc -l)" -eq '"$bounds"' ]' \
    '[ "$(jq -r "select(.kind == \"bound\" and (.tightness.attained | length > 0) or .tight == true) | .name" out | xargs)" = "'"$tight"'" ]' \
    '! json "[.[] | select(.kind == \"bound\")] | any(.never_later)"'
  sed "/^bound /,\$s/$part//" "$specs/$name.tp" >less.tp
  run verify --json less.tp
  check "$name: refuted without $part" '! cmp -s less.tp "$specs/$name.tp"' 'exits 1'
}

judged single_flight "value hit" ' + Query\[q\]'
judged circuit_breaker "served refused" ' + Fallback\[c\]$'
judged connection_pool "served gave_up" ' + Fail\[r\]'
judged quic_handshake connected ' + Flight'
judged saga "booked refused" ' + sum i in 1..k - 1 (Back(i))'
judged foundationdb_commit "" ' + Interval'
judged pod_ready "" ' + Publish'
judged lightweight_transaction "" ' + Finish'
judged majority_write "" ' + Answer'
judged parallel_commits "" ' + Reply'
judged swim "" 'n\*Period + '

# Who has a choice of one helper may ask the dead member: then one that lives is suspected.
if [ -n "${TEST_ALL:-}" ]; then
  sed 's/^param k         : int >= 2/param k         : int >= 1/' "$specs/swim.tp" >alone.tp
  run verify alone.tp
  check "swim: one helper is too few" 'exits 2' 'out "not proved"'
fi
finish
