#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The answers of percentiles, compare and replay as SARIF, JUnit and Markdown: they say what the exit code says, each at its
# place, and what is printed beside them stays as it is.
. "$(dirname "$0")/tap.sh"
command -v xmllint >/dev/null || { echo "not ok 1 - xmllint is missing (apt-get install libxml2-utils)"; exit 69; }
schema=$PWD/tests/cli/junit.xsd
recorded=$PWD/examples/token_ring/recorded
cd "$scratch" || exit 1
cp "$specs/lock.tp" lock.tp
place=$(grep -n '^bound full_circle:' lock.tp | cut -d: -f1)
ring=(lock.tp --bound full_circle --set n=4 --data "$recorded" -p 50,99 --exchangeable)

xpath() { xmllint --xpath "string($1)" all.xml; }
rules() { jq -r '.runs[0].results[] | .ruleId' all.sarif | sort -u | tr '\n' ' '; }
places() { jq -r '.runs[0].results[].locations[0].physicalLocation | "\(.artifactLocation.uri):\(.region.startLine)"' all.sarif | sort -u | tr '\n' ' '; }
plain() { sed -E 's/[0-9]+\.[0-9]+ s/SECONDS/g; s/"(seconds|median_ms|worst_ms)": ?[0-9.e-]+/SECONDS/g; s/"worst": ?"[^"]*"/WORST/'; }
# Runs it as it is and with all documents: the same text and exit code, and documents that agree with the code.
documented() {
  rm -f all.*
  run "$@"
  expected=$status
  plain <out >plain.out
  run "$@" --report all.sarif --report all.xml --report all.md
  plain <out >now.out
  last="$* --report ..."
  failures=$(xpath /testsuites/@failures) errors=$(xpath /testsuites/@errors)
  bad=$(jq '[.runs[0].results[] | select(.level == "error")] | length' all.sarif)
  open=$(jq '[.runs[0].results[] | select(.level == "warning" and (.ruleId | startswith("W") | not))] | length' all.sarif)
}
agrees() {
  xmllint --noout --schema "$schema" all.xml 2>/dev/null && [ "$failures" -eq "$bad" ] && [ "$errors" -eq "$open" ] &&
    [ "$failures" -eq "$(xpath 'count(//failure)')" ] && [ "$errors" -eq "$(xpath 'count(//error)')" ] &&
    grep -qE "^[0-9]+ holds?, $bad do(es)? not, $open open; " all.md || return 1
  case $status in
  0) [ "$bad" -eq 0 ] && [ "$open" -eq 0 ] ;;
  1) [ "$bad" -ge 1 ] ;;
  2 | 3) [ "$bad" -eq 0 ] && [ "$open" -ge 1 ] ;;
  *) false ;;
  esac
}
unchanged() { [ "$status" -eq "$expected" ] && cmp -s plain.out now.out; }

# --- percentiles ---------------------------------------------------------------------------------

documented percentiles "${ring[@]}" --observed "$recorded/round.tph" --slo 'p99<250us'
check "an objective that is met" 'exits 0' unchanged agrees '[ "$(xpath "count(//testcase)")" -eq 4 ]' \
  'grep -qF "| ✅ | full\\_circle: p99&lt;250us | met | lock.tp:$place |" all.md'
check "percentiles are values" 'grep -qE "^\| full._circle: p99 \| lock.tp:$place \| at least 23[0-9.]+ us, at most 23[0-9.]+ us; observed 23[0-9.]+ us \|" all.md' \
  '[ "$(grep -c "^| full._circle: p" all.md)" -eq 2 ]'
documented percentiles "${ring[@]}" --slo 'p99<250us' --slo 'p50<100us'
check "one that is broken, and one that holds if independent" 'exits 1' unchanged agrees '[ "$(rules)" = "R-objective U-objective " ]' \
  '[ "$(places)" = "lock.tp:$place " ]' 'xpath "//failure/@message" | grep -q "^p50<100us is broken: p50 is at least"' \
  'xpath "//error/@message" | grep -q "^p99<250us is met if independent: "'
documented percentiles "${ring[@]}" --slo 'p99<250us'
check "if independent alone" 'exits 3' unchanged agrees '[ "$(rules)" = "U-objective " ]'
documented percentiles "${ring[@]}" --slo 'p99<250us' --assume independent --json
check "asserted, beside JSON" 'exits 0' unchanged agrees json_lines
documented percentiles "${ring[@]}" --slo 'p99<234us' --assume independent
check "one that is not decided" 'exits 2' unchanged agrees '[ "$(rules)" = "U-objective " ]'
documented percentiles "${ring[@]}" --slo 'p50<100us' --slo 'p99<10s' --dependence both
check "of two curves the one that decides" '[ "$status" -ne 2 ]' unchanged agrees '[ "$(xpath "count(//testcase[contains(@name, \"<\")])")" -eq 2 ]'
{ echo latency_us; for i in $(seq 500); do echo 9000; done; } >slow.csv
documented percentiles "${ring[@]}" --observed slow.csv
check "an observation above the bound" 'exits 1' unchanged agrees '[ "$(rules)" = "R-observed " ]' 'grep -q "not dominated: at p" all.md'
{ echo latency_us; echo 200; } >few.csv
documented percentiles lock.tp --bound full_circle --set n=4 --data "$recorded" --observed few.csv -p 50,99.9999
check "one that cannot be judged" 'exits 2' unchanged agrees '[ "$(rules)" = "U-observed " ]'
sed '/^bound reply:/,/^$/s/+ d(Ack(b))//' "$specs/primary_backup.tp" >short.tp
mkdir zeros
for name in PrimaryRequest BackupRequest PrimaryAck d Queuing; do { echo latency_us; seq 1 600; } >zeros/$name.csv; done
documented percentiles short.tp --bound reply --set n=2 --data zeros -p 50 --slo 'p50<1s'
check "a bound that is refuted has no percentiles" 'exits 1' unchanged agrees '[ "$(rules)" = "R-refuted " ]'
run percentiles "${ring[@]}" --slo 'p99<250us' --format markdown
check "alone on stdout" 'exits 3' '[ "$(head -n 1 out)" = "## ⚠️ tailproof" ]' 'quiet_err || ! grep -v warning err'
run percentiles "${ring[@]}" --slo 'p99<250ps' --report none.md
check "of a mistake there is no report" 'exits 64' '[ ! -e none.md ]'

# --- compare -------------------------------------------------------------------------------------

cp "$recorded/round.tph" before.tph
documented compare before.tph "$recorded/round.tph" -p 50,90 --margin 1.05 --exchangeable
check "within the margin" 'exits 0' unchanged agrees '[ "$(xpath "count(//testcase[starts-with(@name, \"p\")])")" -eq 2 ]' \
  '[ "$(xpath /testsuites/testsuite/@name)" = "$recorded/round.tph" ]'
documented compare before.tph slow.csv -p 50 --margin 1.05 --exchangeable
check "slower" 'exits 1' unchanged agrees '[ "$(rules)" = "R-slower " ]' '[ "$(places)" = "slow.csv:1 " ]' 'xpath "//failure/@message" | grep -q "the margin is 1.05 times A"'
documented compare before.tph "$recorded/round.tph" -p 99.9 --margin 1.05 --exchangeable
check "not decidable" 'exits 2' unchanged agrees '[ "$(rules)" = "U-compared " ]'
documented compare before.tph slow.csv -p 50 --exchangeable
check "without a margin" 'exits 1' unchanged agrees
mkdir a b
for folder in a b; do cp "$recorded/Grant.tph" "$recorded/d.tph" $folder; done
cp slow.csv b/Accept.csv
{ echo latency_us; for i in $(seq 500); do echo 5000; done; } >a/Accept.csv
documented compare a b -p 50 --margin 1.05 --exchangeable
check "folders: each component by its name" 'exits 1' unchanged agrees '[ "$(xpath "//testcase[failure]/@name")" = "Accept: p50" ]' \
  '[ "$(xpath "count(//testcase[@name=\"Grant: p50\"])")" -eq 1 ]'
documented compare --protocol lock.tp --bound full_circle --set n=4 -p 50 --exchangeable "$recorded" "$recorded" --margin 1.1
check "a bound: its proof, and each percentile" 'exits 0' unchanged agrees '[ "$(xpath "count(//testsuite)")" -eq 2 ]' \
  '[ "$(xpath "count(//testcase[@name=\"full_circle\"])")" -eq 1 ]'

# --- replay --------------------------------------------------------------------------------------

cat >lap <<'END'
node[0] action node.Grant 7 1000000 1010000
node[0] send Transfer 7 1010000 1 1
node[1] arrive Transfer 7 1010000 1110000 1
node[1] action node.Accept 7 1110000 1115000 1
node[1] action node.Grant 7 1115000 1125000
node[1] send Transfer 7 1125000 2 0
node[0] arrive Transfer 7 1125000 1235000 2
node[0] action node.Accept 7 1235000 1240000 2
node[0] request round 7 1000000 1240000
END
stores() { rm -rf run && "${program%/*}/tests/tools/script_stores" run; }
stores <lap
documented replay lock.tp run --set n=2
check "a run that follows: the run, and each bound that was judged" 'exits 0' unchanged agrees \
  '[ "$(xpath "count(//testcase)")" -eq 4 ]' 'grep -qF "| ✅ | bound full\\_circle | held | lock.tp:$place | held 1 times; closest 240.000 us of 240.000 us, in instance 7 |" all.md'
sed '/Accept.*1$/d' lap | stores
documented replay lock.tp run --set n=2
check "one that does not: the event, and what was allowed" 'exits 1' unchanged agrees '[ "$(rules)" = "R-replay " ]' \
  'xpath "//failure/@message" | grep -q "instance 7, 115.000 us after its start: .*node\[1\].Grant is not enabled"' \
  'grep -q "node\[1\].Accept on Transfer(1)" all.md'
sed '/request/d;/node.0. action node.Accept/d' lap | stores
documented replay lock.tp run --set n=2
check "nothing that could be judged" 'exits 2' unchanged agrees '[ "$(rules)" = "U-replay " ]'

# --- which commands have documents ---------------------------------------------------------------

run plan "${ring[@]}" --report all.md
check "not those that judge nothing" 'exits 64' 'err "unusable option \"--report\""'
finish
