#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Mistakes in calls of percentiles, plan and compare: one line that names the mistake, the exit code
# of its kind, and nothing on stdout or on disk.
. "$(dirname "$0")/tap.sh"

ring=$PWD/examples/token_ring/recorded
cd "$scratch" || exit 1
mkdir data
for name in Grant Accept d; do
  { echo latency_ns; seq 1000 1199; } >data/$name.csv
done
lock=(--bound full_circle --set n=2 --set hops=0 --data data)

mistake() { # exit code, words expected, arguments
  local code=$1 words=$2
  shift 2
  run "$@"
  check "tailproof ${*//"$specs"\//}" "exits $code" 'quiet_out' 'err "$words"' '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
}

# --- a confidence whose rest is lost in the arithmetic would take the samples as the whole truth --
for command in percentiles plan; do
  if [ $command = plan ]; then more=(--budget 5s); else more=(); fi
  mistake 64 "to 0.999999999999" $command "$specs/lock.tp" "${lock[@]}" -p 50 "${more[@]}" --confidence 0.99999999999999999999
done
mistake 64 'to 0.999999999999' compare data data --confidence 0.9999999999999
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data "$ring" --confidence 0.999999999999 -p 50
check "the greatest confidence there is" 'exits 0' 'out "with confidence 0.999999999999"'

# --- units for nothing ---------------------------------------------------------------------------
mistake 64 '--unit dd=us' percentiles "$specs/lock.tp" "${lock[@]}" --unit dd=us
mistake 64 '--unit observed=us' percentiles "$specs/lock.tp" "${lock[@]}" --unit observed=us
mistake 64 '--unit dd=us' plan "$specs/lock.tp" "${lock[@]}" -p 50 --budget 5s --unit dd=us
mistake 64 'there is A, B' compare data/d.csv data/Grant.csv --unit d=us
mistake 64 'there is Accept, Grant, d' compare data data --unit A=us
finish
