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
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data "$ring" --confidence 0.999999999999 -p 50 --json
check "the greatest confidence there is" 'exits 0' \
  'json "[.[] | select(.kind == \"assumption\") | .text] | any(contains(\"with confidence 1999999999999/2000000000000\"))"'

# --- units for nothing ---------------------------------------------------------------------------
mistake 64 '--unit dd=us' percentiles "$specs/lock.tp" "${lock[@]}" --unit dd=us
mistake 64 '--unit observed=us' percentiles "$specs/lock.tp" "${lock[@]}" --unit observed=us
mistake 64 '--unit dd=us' plan "$specs/lock.tp" "${lock[@]}" -p 50 --budget 5s --unit dd=us
mistake 64 'there is A, B' compare data/d.csv data/Grant.csv --unit d=us
mistake 64 'there is Accept, Grant, d' compare data data --unit A=us

# --- what compare and plan want ------------------------------------------------------------------
mistake 64 'name a pair to compare' compare data
mistake 64 'name a pair to compare' compare data data data
for factor in 0x10 inf ' 2' 1 ''; do
  mistake 64 'give a number above 1' plan "$specs/lock.tp" "${lock[@]}" -p 50 --budget 5s --factor "$factor"
done

# --- where files are written ---------------------------------------------------------------------
for option in --data --save --observed; do
  mistake 64 'an empty name' percentiles "$specs/lock.tp" "${lock[@]}" $option ''
done
kept() { [ "$(cat "$1")" = before ]; }
echo before >target
ln -s target link
chmod 600 target
run percentiles "$specs/lock.tp" "${lock[@]}" -p 50 --save link
check "a link stays one, and the file its permissions" 'exits 0' '[ -L link ]' '! kept target' '[ "$(stat -c %a target)" = 600 ]'
mkfifo pipe
cat pipe >through &
run percentiles "$specs/lock.tp" "${lock[@]}" -p 50 --save pipe
wait
check "a pipe is written to" 'exits 0' '[ -p pipe ]' 'cmp -s through target'
if mknod full c 1 7 2>/dev/null && : >full; then
  run percentiles "$specs/lock.tp" "${lock[@]}" -p 50 --save full
  check "a device is not replaced" 'exits 70' '[ -c full ]' 'err "No space left"'
fi
echo before >small.svg
(ulimit -f 8 && exec "$program" percentiles "$specs/lock.tp" "${lock[@]}" -p 50 --plot small.svg) >/dev/null 2>"$scratch/err"
status=$? last='percentiles --plot small.svg, with a limit on files'
check "what cannot be written whole leaves the file as it was" 'exits 70' 'kept small.svg' 'err "small.svg: cannot be written"' \
  '[ "$(ls small.svg*)" = small.svg ]'
run compare pipe data/d.csv
check "a pipe that nobody writes to" 'exits 66' 'err "is a pipe, and nothing came through it; start what writes to it first"'
"$program" compare --exchangeable <(cat data/d.csv) <(gzip -c data/Grant.csv) >"$scratch/out" 2>"$scratch/err"
status=$? last='compare of two pipes'
check "measurements come through pipes" 'exits 2' 'out "A: 200 observations, B: 200"'

# --- what is printed: lines that fit a terminal, nothing that steers it ------------------------------
{ echo latency_ns; yes 900000000 | head -n 100; } >slow.csv
run percentiles "$specs/lock.tp" --bound full_circle --set n=4 --data "$ring" --dependence both -p 50,99.99 --slo 'p99.99<20s' \
  --exchangeable --above 20ms --contributions 99 --observed slow.csv --cap "$(printf 'd=1s:a\033[31m\nb')"
check "at most 100 columns" 'exits 1' '! grep -v "^    when " out | grep -qE "^.{101}"' 'out "NOT DECIDABLE"' 'out "NOT DOMINATED"'
check "reasons are printable" 'out "exceeds 1s: a?[31m?b (given"'
for command in percentiles plan compare; do
  run $command --help
  check "$command --help in 100 columns" 'exits 0' '! grep -qE "^.{101}" out'
done

finish
