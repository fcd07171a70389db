#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What is printed by default is short: what the reader must know, each warning once; --full has the
# rest, JSON has all with its level. Lines are no longer than the terminal is wide.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
lock="$specs/lock.tp"
measure() { # folder, then names: 200 observations each, in an order that means nothing
  local folder=$1 name
  shift
  mkdir -p "$folder"
  for name in "$@"; do
    { echo latency_us && seq 101 300; } | shuffled "$((${#name} % 9 + 1))" >"$folder/$name.csv"
  done
}
measure data Grant Accept d
ask=(percentiles "$lock" --bound full_circle --set n=1 --set hops=0 -p 50)

# --- what a result rests on ----------------------------------------------------------------------------
run "${ask[@]}" --data data
check "what the reader could be wrong about, and how much there is besides" 'exits 0' 'quiet_err' \
  'grep -qE "^    dist    independence: " out' 'out "    model   n >= 1 (stated in the protocol)"' \
  'grep -qE "^    and on [0-9]+ standard assumptions: --full lists them\.$" out' '! out "latencies are rounded"' '! out "Z3 "'
standard=$(sed -nE 's/.* on ([0-9]+) standard.*/\1/p' out)
run "${ask[@]}" --data data --full
check "all of it" 'exits 0' 'out "latencies are rounded up"' 'out "Z3 "' '! out "--full"' 'out " obligations, "'
lines=$(sed -n '/This rests on/,$p' out | grep -cE '^    (dist|data|model|solver) ')
run "${ask[@]}" --data data --json
check "JSON has the same lines, each with its level" 'exits 0' 'json_lines' \
  "json '[.[] | select(.kind == \"assumption\")] | length == $lines and
    ([.[] | select(.level == \"standard\")] | length) == $standard and all(.level | IN(\"standard\", \"notable\"))'" \
  'json "[.[] | select(.level == \"notable\") | .text] | any(startswith(\"independence: \"))"'
run "${ask[@]}" --data data --law d=1us --cap Grant=9ms:because --assume independent --exchangeable --together Grant,Accept
check "what was said on the command line is not standard" 'exits 0' 'out "the law of d is 1us (given with --law)"' \
  'out "(given with --cap)"' 'said "(asserted with --assume independent)"' 'said "(asserted with --exchangeable)"' 'out "(--together)"'
run "${ask[@]}" --data data --confidence 0
check "nor is that samples are all there is" 'exits 0' 'out "what was measured is the whole truth (asserted with --confidence 0)"' \
  '[ "$(grep -c "whole truth" out)" -eq 1 ]'

# What is the same for several files is said once.
for name in Grant Accept d; do printf 'latency_us\n150\n160' >"data/half$name.csv"; done
run "${ask[@]}" --data data --law Grant=halfGrant --law Accept=halfAccept --law d=halfd
check "notes of several files are one line" 'exits 0' '[ "$(grep -c "the last line has no end" out)" -eq 1 ]' \
  'said "halfGrant.csv, data/halfAccept.csv, data/halfd.csv: the last line has no end"'
run "${ask[@]}" --data data --law Grant=halfGrant --law Accept=halfAccept --law d=halfd --full
check "with --full a line each" 'exits 0' '[ "$(tr -s "\n " " " <out | grep -o "the last line has no end" | wc -l)" -eq 3 ]'

# --- warnings --------------------------------------------------------------------------------------------
measure drift Grant Accept
{ echo latency_us && seq 101 300; } >drift/d.csv
warned() { tr -s '\n ' ' ' <"$1" | grep -o 'the observations in drift/d.csv are not independent' | wc -l; }
run "${ask[@]}" --data drift
check "a warning stands with the result, once" 'exits 0' 'quiet_err' '[ "$(warned out)" -eq 1 ]' 'out "  warning: the observations in drift/d.csv"'
run "${ask[@]}" --data drift --full
check "also with --full" 'exits 0' 'quiet_err' '[ "$(warned out)" -eq 1 ]'
run "${ask[@]}" --data drift --json
check "where programs read the result, people are told on stderr" 'exits 0' 'err "tailproof: warning: the observations in drift/d.csv"' \
  'json "[.[] | select(.level == \"warning\") | .text] == [.[] | select(.kind == \"assumption\") | .text | select(startswith(\"warning: \"))] and
    ([.[] | select(.level == \"warning\")] | length) == 1"'
sed 's/+ Accept\[k\]//; s/Grant + d + Accept/Grant + d/' "$lock" >wrong.tp
run percentiles wrong.tp --bound full_circle --set n=1 --set hops=0 --data drift -p 50 -t 1
check "without a result too" '! exits 0' 'err "tailproof: warning: the observations in drift/d.csv"' '[ "$(warned out)" -eq 0 ]'
run compare data/d.csv drift/d.csv
check "compare" 'quiet_err' '[ "$(warned out)" -eq 1 ]'
run plan "$lock" --bound full_circle --set n=1 --set hops=0 -p 50 --data drift --budget 100s
check "plan" 'quiet_err' '[ "$(warned out)" -eq 1 ]'

# --- verdicts ------------------------------------------------------------------------------------------
run "${ask[@]}" --data data
check "a verdict on the way to percentiles is one line" 'grep -qE "lock.tp: full_circle: proved$" out' '! out " within sum "' '! out tight'
run bound "$lock" --bound full_circle
check "bound: its claim, and whether it is tight" 'exits 0' 'out " within sum "' 'grep -qE "^    tight$" out' '! out " obligations"'

# --- widths --------------------------------------------------------------------------------------------
# Columns that no line is longer than, but for one word: the path of this folder may be longer.
fits() { ! sed "s#$specs/#specs/#g" out | grep -qE ".{$(($1 + 1))}"; }
for columns in 60 72 100 140; do
  export COLUMNS=$columns
  for question in "${ask[*]} --data data --dependence both --observed data/d.csv --full -p 50,99.9" \
    "${ask[*]} --data data --contributions 50 --slo p50<1us" "compare data drift" \
    "plan $lock --bound full_circle --set n=1 --set hops=0 -p 50 --data data --budget 100s" \
    "verify --explain --full $specs/primary_backup.tp" "verify wrong.tp --bound full_circle -t 1" "audit $lock"; do
    # shellcheck disable=SC2086
    run $question
    check "$columns columns: ${question##*/}" '[ -s out ]' "fits $columns"
  done
done
COLUMNS=10 run compare data drift
check "never fewer than 60" 'fits 60' '! fits 40'
unset COLUMNS
terminal() { # columns, then arguments: on a terminal of so many
  NO_COLOR=1 script -qec "stty cols $1; '$program' ${*:2}" /dev/null </dev/null | tr -d '\r' >out
}
terminal 66 compare data drift
check "a terminal's width is asked for" '[ -s out ]' 'fits 66' '! fits 55'
terminal 132 compare data drift
check "a wide one is used" 'grep -qE "^  +A +B +B / A  B is$" out'
run compare data drift
check "what is no terminal has 100 columns" 'fits 100' 'grep -qE "^  +A +B +B / A  B is$" out'

# --- names of any length ---------------------------------------------------------------------------------
long=Component$(printf 'OfAVeryLongName%.0s' {1..8})
sed "s/\bGrant\b/$long/g" "$lock" >long.tp
mkdir long && cp data/d.csv data/Accept.csv long && cp data/Grant.csv "long/$long.csv"
run percentiles long.tp --bound full_circle --set n=1 --set hops=0 --data long -p 50 --contributions 50
check "a name longer than a line is broken" 'exits 0' "grep -qE '^    Component.* +[0-9.]+ us +\(-[0-9.]+ us\)$' out" \
  '! sed -n "/took no time/,/This rests/p" out | grep -qE ".{101}"'
finish
