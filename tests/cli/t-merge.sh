#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# merge: what several hosts imported is added up, each recording once.
. "$(dirname "$0")/tap.sh"
case $BUILD in /*) tools=$BUILD/tests/tools ;; *) tools=$PWD/$BUILD/tests/tools ;; esac
recorder=$tools/recorder
[ -x "$recorder" ] || { echo "not ok 1 - $recorder is not built"; exit 69; }
cd "$scratch" || exit 70
counts() { sed -n '/^counts$/,/^end$/p' "$1" | sed '1d;$d' | tr '\n' ';'; }
for host in a b; do
  "$recorder" --folder $host --node "node[$host]" component Grant 10 "$([ $host = a ] && echo 100 || echo 900)" component Only_$host 1 5
  "$program" import --out $host.parts $host >/dev/null
done
run merge --out both a.parts b.parts
check "imported folders" 'exits 0' 'quiet_err' '[ "$(counts both/Grant.tph)" = "100 10 99;900 10 899;" ]' '[ -e both/Only_a.tph ]' '[ -e both/Only_b.tph ]' \
  '[ "$(grep -c "^from store" both/Grant.tph)" -eq 2 ]' 'out "3 series of 0 stores and 4 files"'
run import --out direct a b
check "the same as importing all at once" 'exits 0' 'cmp <(counts direct/Grant.tph) <(counts both/Grant.tph)'
run merge --out mixed a.parts b
check "an imported folder and stores" 'exits 0' '[ "$(counts mixed/Grant.tph)" = "100 10 99;900 10 899;" ]'
run merge --by node --out by a.parts b.parts
check "--by node" 'exits 0' '[ "$(counts "by/node[a]/Grant.tph")" = "100 10 99;" ]' '[ "$(counts "by/node[b]/Grant.tph")" = "900 10 899;" ]'
run merge --by host --out by.host a b
check "--by host" 'exits 0' '[ "$(find by.host -mindepth 1 -type d | wc -l)" -eq 1 ]'
run merge --json --out both a.parts b.parts
check "JSON" 'exits 0' 'json_lines' 'json "[.[] | select(.kind == \"series\")] | length == 3"'

run merge --out wrong a.parts a
check "a recording twice" 'exits 65' 'err "counts a recording that is counted already (store node=node[a]"' '[ ! -e wrong ]'
run merge --out wrong both b.parts
check "also within a sum" 'exits 65' 'err "counted already"' '[ ! -e wrong ]'
run merge --by node --out wrong both
check "what was added up cannot be taken apart" 'exits 65' 'err "adds up recordings of several nodes"' '[ ! -e wrong ]'
mkdir coarse && sed 's/^sub_buckets 1024/sub_buckets 64/; /^from/d' a.parts/Grant.tph >coarse/Grant.tph
run merge --out wrong b.parts coarse
check "histograms of two shapes" 'exits 65' 'err "has 64 buckets a doubling, but 1024 elsewhere"' '[ ! -e wrong ]'
cp -r a.parts confused && cp a/*.tps confused
run merge --out wrong confused
check "stores beside series" 'exits 65' 'err "holds both stores (.tps) and series (.tph)"'
run merge --out wrong direct/..
check "neither" 'exits 66' 'err "holds no store (.tps) and no series (.tph)"'
{ echo latency_ms,success; for i in $(seq 80); do echo "$((i * 37 % 11 + 1)),true"; done; echo 9,false; } >A.csv
"$program" import --out one A.csv >/dev/null
sed 1d A.csv | cut -d, -f1 | { echo latency_ms; cat; } >again.csv && mkdir told && mv again.csv told/A.csv
"$program" import --out two told/A.csv >/dev/null
run merge --out sum one two
check "evidence travels: what one does not know the sum does not" 'exits 0' 'grep -q "^evidence failed 1$" one/A.tph' \
  '! grep -q "^evidence failed" two/A.tph' 'grep -q "^evidence failed 1 or-more$" sum/A.tph' 'grep -q "^evidence runs 2$" sum/A.tph' \
  'grep -q "^worth all" sum/A.tph' '[ "$(grep -c "^from file" sum/A.tph)" -eq 2 ]'
run merge
check "nothing to merge" 'exits 64' 'err "tailproof merge: name a store"'
run import --out wrong a.parts
check "import wants stores or files" 'exits 66' 'err "a.parts: holds no store (.tps); what was imported already is added up by"'
finish
