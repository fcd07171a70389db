#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# `percentiles --stream`: a bound for each request of a recorded stream. The values are held against
# Lindley's recursion, which awk computes; the ways in which a maximum is computed, against each other.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
work=$specs/work_ahead.tp
x='x = x*48271 % 2147483647'

# Gap, Serve and d of 400 requests; the bound of each by the recursion, and the same as an observation.
awk 'BEGIN { x = 7; for (k = 1; k <= 400; k++) { '"$x"'; g = x % 2500; '"$x"'; s = 300 + x % 800; '"$x"'; print g, s, x % 90 } }' >times
lindley() { # "least" or "most": what is subtracted counts at its other end
  awk -v most="$1" '{ g = $1; s = $2; d = $3; b = (NR == 1 || b - g < d ? d : b - g) + s; print b }' times
}
lindley | sort -n >bounds
{ echo Gap_us,Serve_us,d.Request_us,request_us; paste -d' ' times <(lindley) | tr ' ' ,; } >stream.csv
nth() { awk -v n="$1" 'NR == n { print $1 * 1000 }' bounds; }
of() { jq -r "select(.kind == \"percentile\" and .p == \"$1\") | .$2" "$scratch/out"; }

ask() { run percentiles "$@" --observed request --json --confidence 0; }
ask "$work" --stream stream.csv -p 25,50,90,99
check "each request has the bound of the recursion" 'exits 0' quiet_err json_lines \
  '[ "$(of 25 upper_ns)" = "$(nth 100)" ]' '[ "$(of 50 upper_ns)" = "$(nth 200)" ]' \
  '[ "$(of 90 upper_ns)" = "$(nth 360)" ]' '[ "$(of 99 upper_ns)" = "$(nth 396)" ]'
cp out followed
run percentiles "$work" --stream stream.csv --observed request -p 50
check "and is held against its own time" 'exits 0' \
  'out "Each of the 400 requests took no longer than the bound evaluated for it."' \
  'said "row k of stream.csv is request k of one stream"'
awk -F, 'NR == 8 { $4++ } { print }' OFS=, stream.csv >late.csv
run percentiles "$work" --stream late.csv --observed request -p 50
check "one that took 1 us more is counted" '! out "Each of the 400 requests"' 'out "1 of the 400 requests"'

# The same maximum where it cannot be followed from row to row, and with the work of a family
sed 's/within max j in 1..k (\(.*\))$/within max j in 1..k (max(0 ms, \1))/' "$work" >plain.tp
ask plain.tp --stream stream.csv -p 25,50,90,99
check "computed one by one it is the same" 'exits 0' '[ "$(of 50 upper_ns)" = "$(nth 200)" ]' \
  '[ "$(of 90 upper_ns)" = "$(nth 360)" ]' '[ "$(of 99 upper_ns)" = "$(nth 396)" ]'

sed 's/within max j in 1..k (\(.*\))$/within if k == 1 then d(Request(1)) + Serve[1] else max j in 1..k (if 2^(1 - j) > 0 then \1 else \1)/' "$work" >chosen.tp
ask chosen.tp --stream stream.csv -p 25,50,90,99
check "chosen request by request it is the same" 'exits 0' '[ "$(of 25 upper_ns)" = "$(nth 100)" ]' \
  '[ "$(of 50 upper_ns)" = "$(nth 200)" ]' '[ "$(of 99 upper_ns)" = "$(nth 396)" ]'
sed 's/within max j/within (if k == 400 then 9 s else 0 s) + max j/' "$work" >last.tp
ask last.tp --stream stream.csv -p 99.9
check "what the last request alone has" 'exits 0' \
  '[ "$(of 99.9 upper_ns)" = $(($(lindley | tail -1) * 1000 + 9000000000)) ]'

# Cells that are known in part: less gap and more work make the upper end
awk -F, 'NR > 1 { $1 = ($1 > 5 ? $1 - 5 : 0) ".." $1; $2 = $2 ".." $2 + 3 } { print }' OFS=, stream.csv >ranges.csv
awk '{ g = $1 > 5 ? $1 - 5 : 0; s = $2 + 3; d = $3; b = (NR == 1 || b - g < d ? d : b - g) + s; print b }' times | sort -n >bounds
ask "$work" --stream ranges.csv -p 50,99
check "ranges are rounded outward" 'exits 0' '[ "$(of 50 upper_ns)" = "$(nth 200)" ]' '[ "$(of 99 upper_ns)" = "$(nth 396)" ]'
awk -F, 'NR == 390 { $2 = "inf" } { print }' OFS=, stream.csv >endless.csv
ask "$work" --stream endless.csv -p 50,99
check "behind work without an end nothing has one" '[ "$(of 50 upper_ns)" != infinite ]' '[ "$(of 99 upper_ns)" = infinite ]'
awk -F, 'NR == 390 { $1 = "" } { print }' OFS=, stream.csv >unknown.csv
ask "$work" --stream unknown.csv -p 50
check "a gap that was not measured may have been none" 'exits 0' '[ "$(of 50 upper_ns)" != infinite ]'

# Mistakes
cut -d, -f2- stream.csv >lacks.csv
ask "$work" --stream lacks.csv -p 50
check "a column that is missing" 'exits 65' quiet_out 'err "lacks.csv has no column Gap: what each request took of it (in ns: \"Gap_ns\")"'
sed '4s/^[0-9]*/-/' stream.csv >absent.csv
ask "$work" --stream absent.csv -p 50
check "a request that did not happen" 'exits 65' 'err "row 3 says that Gap did not happen"'
run percentiles "$work" --stream stream.csv --joint stream.csv -p 50
check "a table of another kind beside it" 'exits 64' 'err "leave out --data, --joint and --law"'
run percentiles "$work" --joint stream.csv -p 50
check "without --stream no law is that of a request" 'exits 65' 'err "--stream"'
run percentiles "$specs/redis_wait.tp" --bound reply --set n=3 --set k=2 --stream stream.csv -p 50
check "a bound that counts from time 0" 'exits 64' 'err "the bound \"reply\" has to count from one numbered message"'
finish
