#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Executions as pictures: a lane for each node, a box for each step where it was, an arrow for each
# message, the bound and the event; and all of it in words. Whatever the names and times are, nothing
# written lies on anything else that is.
. "$(dirname "$0")/tap.sh"
cases=$PWD/tests/cases
protocol=$specs/primary_backup.tp
cd "$scratch" || exit 1
sed 's/+ d(Ack(b)) + Queuing(Ack/+ Queuing(Ack/' "$protocol" >forgot.tp

run verify forgot.tp --bound reply --json
cp out steps
SOURCE_DATE_EPOCH=86400 run verify forgot.tp --bound reply --plot x.svg
check "a picture beside the usual output" 'exits 1' 'quiet_err' 'out "reply: refuted"' 'xmllint --noout x.svg'
steps=$(jq '.counterexample.steps | length' steps | head -n 1)
messages=$(jq '.counterexample.messages | length' steps | head -n 1)
check "JSON has the same execution" '[ "$steps" -ge 3 ]' '[ "$messages" -ge 3 ]' \
  'jq -es ".[0].counterexample | (.steps | length) as \$n | (.messages | all(.sent_by < \$n and (has(\"received_by\") | not) or .received_by > .sent_by)) and
    (.steps | all((.start_ns | tonumber) <= (.end_ns | tonumber))) and (.messages | any(.name == \"Reply\" and .receiver == \"client\"))" steps >/dev/null'
check "a box for each step, an arrow for each message" '[ "$(grep -c "<polygon class=\"fill-upper\"" x.svg)" -eq "$steps" ]' \
  '[ "$(grep -cE "<polyline class=\"stroke-(observed|muted)\".*<title>" x.svg)" -eq "$messages" ]'
check "lanes, bound and event have names" 'grep -q ">primary</text>" x.svg' 'grep -q ">backup\[0\]</text>" x.svg' 'grep -q ">client</text>" x.svg' \
  "grep -q '>bound $(jq -r 'select(.counterexample) | .counterexample.bound_ns' steps | head -n 1) ns</text>' x.svg" \
  "grep -q '>event $(jq -r 'select(.counterexample) | .counterexample.time_ns' steps | head -n 1) ns</text>' x.svg"
check "what each step does is written below" 'grep -q ">backup\[0\]: Handle on Request(0), " x.svg' 'grep -q "takes BackupRequest\[0\] = " x.svg'
check "when, where, by which version and command" 'grep -qE ">1970-01-02 00:00 UTC, [^,]+, tailproof [0-9.]+(-[a-z]+)?: tailproof verify forgot.tp --bound reply --plot x.svg</text>" x.svg' \
  'grep -q "<desc.*Made 1970-01-02" x.svg'

# The boxes begin and end where the steps do, on one scale.
jq -r 'select(.counterexample) | .counterexample.steps[] | "\(.start_ns) \(.end_ns)"' steps | head -n "$steps" >times
sed -nE 's/.*<polygon class="fill-upper".* points="([0-9.]+),[0-9.]+ ([0-9.]+),.*/\1 \2/p' x.svg | paste -d' ' times - >placed
scale() { awk 'function off(ns, x) { if (k == 0) return 0; d = x - (x0 + (ns - t0) * k); return d < 0 ? -d : d }
  NR == 1 { t0 = $1; x0 = $3; k = ($4 + 1 - $3) / ($2 - $1) } off($1, $3) > 1 || off($2, $4 + 1) > 1 { bad++ } END { print NR, bad + 0 }' placed; }
check "steps are drawn where they were" '[ "$(scale)" = "$steps 0" ]'

check "no text lies on another" '[ -z "$(overlaps x.svg)" ]'
for case in refuted/quorum_of_two refuted/second_lap refuted/advanced_timer refuted/enc_quorum_rank unknown/sent_twice; do
  run verify "$cases/$case.tp" --plot case.svg -t 2
  check "no text lies on another: $case" '[ -s case.svg ]' 'xmllint --noout case.svg' '[ -z "$(overlaps case.svg)" ]' '! grep -qiE "nan|inf[\", ]" case.svg'
  rm -f case.svg
done
long=$(printf 'AVeryLongName%.0s' {1..9})
sed "s/BackupRequest/Step$long/g; s/\bbackup\b/$long/g" forgot.tp >long.tp
run verify long.tp --bound reply --plot long.svg
check "nor do names of any length" 'exits 1' 'xmllint --noout long.svg' '[ -z "$(overlaps long.svg)" ]'

# --- a page ----------------------------------------------------------------------------------------------
sed 's/^bound reply:/bound again: sent Reply within PrimaryRequest\nbound reply:/' forgot.tp >two.tp
run verify two.tp --plot two.html
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "not ok 1 - a browser is missing (apt-get install chromium)"; exit 69; }
HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
  --user-data-dir="$scratch/profile" --virtual-time-budget=2000 --dump-dom "file://$scratch/two.html" >dom 2>browser.err
check "a page has all executions, each with a table of its steps" 'exits 1' '[ "$(grep -c "<svg" dom)" -eq 2 ]' '[ "$(grep -c "<table" dom)" -eq 2 ]' \
  'grep -q "<th scope=\"col\" class=\"left\">what it does</th>" dom' 'grep -q "again is refuted" dom' 'grep -q "reply is refuted" dom'
check "and fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" two.html' 'grep -q "default-src .none." two.html'

# --- nothing to draw, and mistakes -------------------------------------------------------------------------
run verify "$protocol" --plot none.svg
check "where every bound is proved nothing is drawn" 'exits 0' 'err "none.svg is not written: no execution breaks a bound"' '[ ! -e none.svg ]'
run verify "$protocol" "$specs/lock.tp" --plot x.svg
check "of one protocol only" 'exits 64' 'quiet_out' 'err "name one file"' '[ "$(wc -l <err)" -eq 1 ]'
run verify "$protocol" --plot x.pdf
check "a picture of no known kind" 'exits 64' 'quiet_out' 'err ".svg, .png or .html"'
run verify forgot.tp --plot nowhere/x.svg
check "a folder that is not there" 'exits 70' 'err "nowhere/x.svg: cannot be written"'
finish
