#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Comparisons as pictures: the curves of A and B with their bands, where one is slower, and the table
# that is printed.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1
series() { # seed, factor: 4000 latencies in us
  { echo latency_us && awk -v f="$2" 'BEGIN { for (i = 1; i <= 4000; i++) printf "%.3f\n", f * (100 - 20 * log(i / 4001)) }'; } | shuffled "$1"
}
series 1 1 >a.csv
series 2 1.5 >b.csv
series 3 1 >same.csv

run compare a.csv b.csv --json
cp out found
SOURCE_DATE_EPOCH=86400 run compare a.csv b.csv -p 50,90,99 --plot x.svg
check "a picture beside the usual output" 'exits 1' 'quiet_err' 'out "B is slower than A"' 'xmllint --noout x.svg'
curve() { grep -cE "<polyline class=\"stroke-$1\".*<title>$2</title>" x.svg; }
check "A and B, each with its band, in both panels" '[ "$(curve upper "A: a.csv, 4000 observations")" -eq 2 ]' \
  '[ "$(curve observed "B: b.csv, 4000 observations")" -eq 2 ]' '[ "$(curve upper "confidence band of A")" -eq 4 ]' \
  '[ "$(curve observed "confidence band of B")" -eq 4 ]'
check "where B is slower is marked and said" '[ "$(grep -cE ">B is slower at [0-9.]+ [mu]s</text>" x.svg)" -eq 2 ]' \
  'sed -n "/<text/s/<[^>]*>//gp" x.svg | tr "\n" " " | grep -qE "B is slower around [0-9.]+ [mu]s: P\(B &gt;= it\) is at least 0\.[0-9]+, P\(A &gt;= it\) at most 0\.[0-9]+\."'
rows() { sed -nE 's/^  (p[0-9.]+) +([0-9].*[^ ]) +(slower|no difference shown)$/\1 \2 \3/p' out; }
check "the table is the one that is printed" '[ "$(rows | wc -l)" -eq 3 ]' \
  'while read -r p _; do grep -q ">$p</text>" x.svg || exit 1; done < <(rows)' \
  '[ "$(grep -c ">slower</text>" x.svg)" -eq 3 ]'
check "when, where, by which version and command" \
  'grep -qE ">1970-01-02 00:00 UTC, [^,]+, tailproof [0-9.]+(-[a-z]+)?: tailproof compare a.csv b.csv -p 50,90,99 --plot x.svg</text>" x.svg' \
  'grep -q ">A is a.csv</text>" x.svg' 'grep -q ">All intervals hold together with confidence 0.99.</text>" x.svg'
run compare a.csv same.csv -p 50,90,99 --plot same.svg
check "where nothing is shown nothing is marked" 'exits 0' 'grep -q ">B is not shown to be slower</text>" same.svg' '! grep -q "is slower at" same.svg'
run compare a.csv b.csv -p 50,90,99 --margin 2 --plot margin.svg
check "with a margin" 'exits 0' 'grep -q ">B is within the margin, the margin being 2 times A</text>" margin.svg'

# --- folders, laws, bounds ---------------------------------------------------------------------------------
mkdir before after
for name in Grant Accept d; do cp a.csv before/$name.csv; cp same.csv after/$name.csv; done
cp b.csv after/Grant.csv
run compare before after --plot all.html
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
[ -n "$browser" ] || { echo "not ok 1 - a browser is missing (apt-get install chromium)"; exit 69; }
HOME=$scratch timeout 2h "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
  --user-data-dir="$scratch/profile" --virtual-time-budget=2000 --dump-dom "file://$scratch/all.html" >dom 2>browser.err
check "a page has all components" 'exits 1' '[ "$(grep -c "<figure" dom)" -eq 6 ]' '[ "$(grep -oE "<h2>(Accept|Grant|d)</h2>" dom | wc -l)" -eq 3 ]' \
  'grep -q "<h1>B is slower</h1>" dom' 'grep -q "What this rests on" dom'
check "no two parts of it have one name" '[ -z "$(grep -oE " id=\"[^\"]+\"" dom | sort | uniq -d)" ]'
check "it fetches nothing" '! grep -qE "(src|href)=\"?[^#\"]|@import|url\(" all.html'
run compare before after --plot one.svg
check "another picture has the component that is slower" 'exits 1' 'grep -q ">Grant</text>" one.svg' '! grep -q ">Accept</text>" one.svg'
lock=(--bound full_circle --set n=1 --set hops=0 -p 50,99)
run compare before after --protocol "$specs/lock.tp" "${lock[@]}" --plot bound.svg
check "bounds are drawn between their sides" '[ -s bound.svg ]' 'xmllint --noout bound.svg' \
  '[ "$(grep -c "<title>A: before, between its sides</title>" bound.svg)" -eq 4 ]' '! grep -qiE "nan|inf[\", ]" bound.svg'
run percentiles "$specs/lock.tp" "${lock[@]}" --data before --save before.law
run percentiles "$specs/lock.tp" "${lock[@]}" --data after --save after.law
run compare before.law after.law --plot laws.html
check "saved laws too" '[ -s laws.html ]' '[ "$(grep -c "<figure" laws.html)" -eq 2 ]'

# --- mistakes ------------------------------------------------------------------------------------------
run compare a.csv b.csv --plot x.pdf
check "a picture of no known kind" 'exits 64' 'quiet_out' 'err ".svg, .png or .html"'
run compare a.csv b.csv --plot nowhere/x.svg
check "a folder that is not there" 'exits 70' 'err "nowhere/x.svg: cannot be written"'
finish
