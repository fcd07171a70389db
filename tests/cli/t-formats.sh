#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --format: SARIF with the properties that the 2.1.0 schema requires, JUnit XML that is well formed and
# adds up; both say the same as the text, and exit alike.
. "$(dirname "$0")/tap.sh"
command -v xmllint >/dev/null || { echo "not ok 1 - xmllint is missing (apt-get install libxml2-utils)"; exit 69; }

here=$PWD
cd "$scratch" || exit 1
cp "$specs/lock.tp" lock.tp
sed '/^bound reply:/,/^$/s/+ d(Ack(b))//' "$specs/primary_backup.tp" >short.tp
sed 's/if acked == backup {/if acked == backup and not started {/' "$specs/primary_backup.tp" >'stuck & "more" <ü>.tp'
printf 'protocol x\nrole a\nparam n : int\nbound b: sent Foo within 3 ms\ninvariant \303\244: y\n' >bad.tp
printf 'protocol x\nrole a\nparam n : int\nbound b: sent Foo within 3 ms\ninvariant y: z\n' >names.tp
printf 'protocol x\nrole a\nrole b[n]\nparam n : int >= 1\n' >claimless.tp
mistakes=$(grep -c . < <("$program" check --json bad.tp | jq -c 'select(.severity == "error")'))

# --- SARIF --------------------------------------------------------------------------------------

# what the schema requires and the types it gives to what we write
cat >sarif.jq <<'END'
def region: .startLine >= 1 and .startColumn >= 1 and [.endLine, .endColumn] >= [.startLine, .startColumn];
def place: (.artifactLocation.uri | test("^[A-Za-z0-9/._~%:-]+$")) and (.region | region);
def result($ids): (.partialFingerprints | to_entries | length == 1 and (.[0].key | test("/v[0-9]+$")) and (.[0].value | test("^[0-9a-f]{64}$"))) and
  ((keys - ["ruleId", "level", "message", "locations", "partialFingerprints"]) == []) and (.message.text | length > 0) and (.level | IN("error", "warning")) and
  (.ruleId | IN($ids[])) and (.locations | length == 1) and (.locations[0].physicalLocation | place);
def rule: (.id | ascii_downcase) as $id | (.id | type == "string") and (.shortDescription.text | length > 0) and
  (.fullDescription.text | length > 0) and (.help.text | length > 0) and (.help.markdown | length > 0) and
  ((keys - ["id", "shortDescription", "fullDescription", "help", "helpUri", "defaultConfiguration"]) == []) and
  (.helpUri | test("^[a-z]+://")) and (.helpUri | endswith("/diagnostics.md#" + $id)) and (.defaultConfiguration.level | IN("error", "warning"));
def run: .columnKind == "unicodeCodePoints" and ((keys - ["tool", "columnKind", "results"]) == []) and
  .tool.driver.name == "tailproof" and (.tool.driver.rules | all(rule)) and
  ([.tool.driver.rules[].id] as $ids | ($ids | length == (unique | length)) and
    (.results | type == "array" and all(result($ids))));
."$schema" == "https://json.schemastore.org/sarif-2.1.0.json" and .version == "2.1.0" and
  ((keys - ["$schema", "version", "runs"]) == []) and (.runs | length == 1) and (.runs[0] | run)
END
sarif() { jq -e -f sarif.jq out >/dev/null; }
results() { jq -r '.runs[0].results[] | "\(.ruleId) \(.level) \(.locations[0].physicalLocation.artifactLocation.uri) \(.locations[0].physicalLocation.region.startLine)"' out; }

run verify --format sarif lock.tp
check "SARIF: all proved, no result" 'exits 0' 'quiet_err' 'sarif' '[ -z "$(results)" ]'
run verify --format sarif short.tp 'stuck & "more" <ü>.tp' lock.tp
line=$(grep -n '^bound reply:' short.tp | cut -d: -f1)
uniform=$(grep -n '^bound reply_uniform:' short.tp | cut -d: -f1)
check "SARIF: refuted and unknown bounds at their places" 'exits 1' 'sarif' \
  '[ "$(results | sort)" = "$(printf "%s\n" "R-refuted error short.tp $line" "U-unknown warning stuck%20%26%20%22more%22%20%3C%C3%BC%3E.tp $line" "U-unknown warning stuck%20%26%20%22more%22%20%3C%C3%BC%3E.tp $uniform" | sort)" ]'
check "SARIF: the execution is in the message" 'jq -e "[.runs[0].results[] | select(.ruleId == \"R-refuted\")][0].message.text | test(\"Broadcast\")" out >/dev/null'
run check --format sarif names.tp
check "SARIF: names" 'exits 65' 'quiet_err' 'sarif' 'results | grep -q "^E0205 error names.tp 4$"'
run check --format sarif claimless.tp
check "SARIF: warnings" 'exits 0' 'sarif' 'results | grep -q "^W0501 warning claimless.tp 1$"'
run check --format sarif bad.tp lock.tp
check "SARIF: diagnostics" 'exits 65' 'quiet_err' 'sarif' \
  '[ "$(results | grep -c " error ")" -eq "$mistakes" ]'
run check --json bad.tp
jq -r 'select(.kind == "diagnostic") | "\(.code) \(.severity) bad.tp \(.line)"' out >wanted
run check --format sarif bad.tp
check "SARIF: the same as JSON" '[ "$(results)" = "$(cat wanted)" ]'
run check --format sarif no-such-file.tp
check "SARIF: a file that cannot be read" 'exits 66' 'sarif' '[ "$(results)" = "F-unreadable error no-such-file.tp 1" ]'
run check --format sarif "$scratch/bad.tp"
check "SARIF: an absolute path is a URI" 'sarif' 'results | grep -q " file://$scratch/bad.tp "'
run verify --format sarif claimless.tp
check "SARIF: nothing claimed" 'exits 2' 'sarif' 'results | grep -q "^U-unknown warning claimless.tp"'

# A fingerprint stays when lines are added above, and tells two mistakes of one kind apart.
prints() { jq -r '.runs[0].results[] | "\(.ruleId) \(.partialFingerprints[])"' out | sort; }
run verify --format sarif short.tp
prints >before
sed '1s/^/# a line more\n\n/' short.tp >moved.tp
run verify --format sarif moved.tp
check "SARIF: a fingerprint does not depend on the line" 'sarif' '[ -s before ]' '[ "$(prints)" = "$(cat before)" ]' \
  '[ "$(results | cut -d" " -f4)" -eq $((line + 2)) ]'
printf 'protocol x\nrole a\ninvariant y: z\ninvariant u: z\ninvariant  u: z\n' >twins.tp
run check --format sarif twins.tp
check "SARIF: and is each result's own" 'sarif' '[ "$(prints | grep -c "^E0202 ")" -ge 3 ]' '[ -z "$(prints | uniq -d)" ]'
printf 'protocol x\nrole a\ninvariant y: z\n\n\n  invariant u: z\ninvariant u: z\n' >twins.tp
prints >before
run check --format sarif twins.tp
check "SARIF: blanks mean nothing" '[ "$(prints)" = "$(cat before)" ]'
page() { jq -r '.runs[0].tool.driver.rules[] | select(.id == "E0205") | .helpUri' out; }
page_file=$(page | sed 's|^file://||; s|#.*||; s|%20| |g')
check "SARIF: help is on a page that is there" '[ -f "$page_file" ]' 'grep -qx "## E0205" "$page_file"'
TAILPROOF_DOCUMENTS=https://example.org/docs run check --format sarif twins.tp
check "SARIF: or where TAILPROOF_DOCUMENTS says" '[ "$(page)" = "https://example.org/docs/diagnostics.md#e0205" ]'
cp "$program" alone
./alone check --format sarif twins.tp >out
check "SARIF: a program without documents refers to none" '[ "$(page)" = null ]'
check "docs/diagnostics.md is what the program says" 'diff <("$here/scripts/diagnostics.sh" "$program") "$here/docs/diagnostics.md"'

# --- JUnit --------------------------------------------------------------------------------------

xpath() { xmllint --xpath "string($1)" out; }
# the counts of every level are those of the cases below
adds_up() { # and is what the schema allows
  xmllint --noout --schema "$here/tests/cli/junit.xsd" out 2>/dev/null || return 1
  local suite
  xmllint --noout out || return 1
  for suite in /testsuites /testsuites/testsuite[1] /testsuites/testsuite[last\(\)]; do
    [ "$(xpath "$suite/@tests")" -eq "$(xpath "count($suite//testcase)")" ] &&
      [ "$(xpath "$suite/@failures")" -eq "$(xpath "count($suite//failure)")" ] &&
      [ "$(xpath "$suite/@errors")" -eq "$(xpath "count($suite//error)")" ] || return 1
  done
}
run verify --format junit lock.tp
check "JUnit: a case for each bound, and one for the file" 'exits 0' 'quiet_err' 'adds_up' '[ "$(xpath "/testsuites/@tests")" -eq 4 ]' \
  '[ "$(xpath "/testsuites/@failures")$(xpath "/testsuites/@errors")" = 00 ]' \
  '[ "$(xpath "/testsuites/testsuite/testcase[2]/@name")" = full_circle ]'
run verify --format junit short.tp 'stuck & "more" <ü>.tp' bad.tp lock.tp claimless.tp
check "JUnit: refuted is a failure, unknown and mistakes are errors" 'adds_up' '[ "$(xpath "count(/testsuites/testsuite)")" -eq 5 ]' \
  '[ "$(xpath "/testsuites/testsuite[1]/@failures")" -eq 1 ]' '[ "$(xpath "/testsuites/testsuite[2]/@errors")" -eq 2 ]' \
  '[ "$(xpath "/testsuites/testsuite[3]/@errors")" -eq 1 ]' '[ "$(xpath "/testsuites/testsuite[5]/@errors")" -eq 1 ]' \
  '[ "$(xpath "/testsuites/testsuite[2]/@name")" = "stuck & \"more\" <ü>.tp" ]'
check "JUnit: the execution is in the failure" 'xpath "//failure" | grep -q Broadcast' 'xpath "//failure/@message" | grep -q "bound reply is refuted"'
check "JUnit: each mistake has a line" '[ "$(xpath "/testsuites/testsuite[3]//error" | grep -cE "^bad.tp:[0-9]+:[0-9]+: E")" -eq "$mistakes" ]'
run check --format junit bad.tp lock.tp
check "JUnit: check has one case for each file" 'exits 65' 'adds_up' '[ "$(xpath "/testsuites/@tests")" -eq 2 ]' '[ "$(xpath "/testsuites/@errors")" -eq 1 ]'
printf 'protocol x\nrole a\ninvariant b: \001 \033[31m \377' >control.tp
run check --format junit control.tp
check "JUnit: no controls in XML" 'exits 65' 'adds_up'

SOURCE_DATE_EPOCH=86400 run check --format junit lock.tp
check "JUnit: when and where" 'adds_up' '[ "$(xpath "/testsuites/testsuite/@timestamp")" = 1970-01-02T00:00:00 ]' \
  '[ "$(xpath "/testsuites/testsuite/@hostname")" = "$(hostname)" ]'

# --- Markdown -----------------------------------------------------------------------------------

run verify --format markdown lock.tp
check "Markdown: all proved" 'exits 0' 'quiet_err' 'out "## ✅ tailproof"' 'out "3 hold, 0 do not, 0 open; 0 errors, 0 warnings"' \
  '[ "$(grep -c "^| ✅ |" out)" -eq 3 ]' '! out "<details>"'
run verify --format markdown short.tp 'stuck & "more" <ü>.tp' names.tp claimless.tp
check "Markdown: what does not hold, and why" 'out "## ❌ tailproof"' 'out "1 hold, 1 do not, 3 open; 2 errors, 1 warning"' \
  'grep -qF "| ❌ | reply | refuted | short.tp:$line | bound reply is refuted: " out' 'grep -qE "^    .*Broadcast" out' \
  'out "| ❌ | E0205 | names.tp:4 | unknown message \"Foo\" |"' 'out "| ⚠️ | reply | unknown | stuck &amp; \"more\" &lt;ü&gt;.tp:"'
columns() { sed 's/\\|//g' out | awk -F'|' '/^\|/ { print NF }' | sort -u | tr '\n' ' '; }
check "Markdown: rows have as many cells as headings" '[ "$(columns)" = "6 7 " ]'
check "Markdown: blocks are closed" '[ "$(grep -c "^<details>" out)" -eq "$(grep -c "^</details>" out)" ]' '[ $(($(grep -c "^\`\`\`" out) % 2)) -eq 0 ]'
printf 'protocol x\nrole a|b\n' >marks.tp
run check --format markdown marks.tp
check "Markdown: marks are text" 'exits 65' '[ "$(columns)" = "6 " ]' 'out "unexpected \"\\|\", expected a declaration or \"\\[\""'

for format in markdown csv html prometheus; do
  for command in "bound bad.tp" "plan bad.tp --data . --budget 1s -p 99" "generate bad.tp --out g" "certify bad.tp --out c"; do
    # shellcheck disable=SC2086
    run $command --format $format
    check "a command without reports says on stderr what is wrong with the file: $format" 'exits 65' 'quiet_out' 'err "bad.tp:5:"'
  done
done
run check --format markdown names.tp lock.tp
check "Markdown: the report, then what is in the files that have no mistake" 'exits 65' 'out "## ❌ tailproof"' 'out "✅ lock.tp: **protocol lock**: 2 actions"'
run check --format markdown lock.tp
check "and of one without mistakes both" 'exits 0' 'quiet_err' '[ "$(head -n 1 out)" = "## ✅ tailproof" ]' 'out "✅ lock.tp: **protocol lock**: 2 actions"'

# --- documents beside what is printed -----------------------------------------------------------

for format in sarif junit markdown; do
  SOURCE_DATE_EPOCH=0 run verify --format $format short.tp names.tp
  cp out wanted.$format
done
run verify short.tp names.tp
cp out wanted.text
cp err wanted.err
plain() { sed -E 's/[0-9]+\.[0-9]+ s/SECONDS/g; s/time="[0-9.]+"/SECONDS/g' "$1"; }
SOURCE_DATE_EPOCH=0 run verify --report a.sarif --report a.xml --report a.md short.tp names.tp
check "--report: all at once, beside the text" 'exits 65' '[ "$(plain out)" = "$(plain wanted.text)" ]' 'cmp -s err wanted.err' \
  'cmp -s a.sarif wanted.sarif' '[ "$(plain a.xml)" = "$(plain wanted.junit)" ]' 'cmp -s a.md wanted.markdown'
run verify --json --report b.md short.tp
check "beside JSON" 'exits 1' 'json_lines' 'grep -q "^| ❌ | reply |" b.md'
run verify --format markdown --report b.sarif short.tp
check "beside another document" 'exits 1' 'out "## ❌ tailproof"' '[ "$(jq ".runs[0].results | length" b.sarif)" -eq 1 ]'
run verify --report c.pdf short.tp
check "a report of no known kind" 'exits 64' 'quiet_out' 'err "c.pdf"' 'err ".sarif, .xml (JUnit) or .md"' '[ "$(wc -l <err)" -eq 1 ]'
run verify --report nowhere/c.md lock.tp
check "a folder that is not there" 'exits 70' 'err "nowhere/c.md: cannot be written"'
run verify --report d.md --bound nobody lock.tp
check "a question that was not asked has none" 'exits 64' '[ ! -e d.md ]'

# --- all ----------------------------------------------------------------------------------------

run verify --format json lock.tp
check "json is --json" 'exits 0' 'json_lines' 'json ".[-1].proved == 3"'
run verify --format text lock.tp
check "text is the default" 'exits 0' 'out "3 proved, 0 refuted, 0 unknown"'
for format in sarif junit markdown; do
  for file in lock.tp short.tp bad.tp claimless.tp; do
    run verify "$file"
    expected=$status
    run verify --format $format "$file"
    check "$format: exit code of $file" 'exits $expected'
  done
done
run verify --format xml lock.tp
check "no such format" 'exits 64' 'quiet_out' 'err "text, json, markdown, csv, html, prometheus, sarif or junit"'
run verify --format sarif
check "no file, no document" 'exits 64' 'quiet_out'

finish
