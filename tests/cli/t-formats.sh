#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# --format: SARIF with the properties that the 2.1.0 schema requires, JUnit XML that is well formed and
# adds up; both say the same as the text, and exit alike.
. "$(dirname "$0")/tap.sh"
command -v xmllint >/dev/null || { echo "not ok 1 - xmllint is missing (apt-get install libxml2-utils)"; exit 69; }

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
def result($ids): (.message.text | length > 0) and (.level | IN("error", "warning")) and
  (.ruleId | IN($ids[])) and (.locations | length == 1) and (.locations[0].physicalLocation | place);
def rule: (.id | type == "string") and (.shortDescription.text | length > 0) and
  (.fullDescription.text | length > 0) and (.defaultConfiguration.level | IN("error", "warning"));
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

# --- JUnit --------------------------------------------------------------------------------------

xpath() { xmllint --xpath "string($1)" out; }
# Of junit-10.xsd, which Jenkins' xUnit plugin checks reports against, what concerns the elements here.
cat >junit.xsd <<'END'
<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
  <xs:simpleType name="seconds"><xs:restriction base="xs:string">
    <xs:pattern value="(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]{0,3})?"/></xs:restriction></xs:simpleType>
  <xs:complexType name="problem" mixed="true">
    <xs:attribute name="type" type="xs:string"/><xs:attribute name="message" type="xs:string"/></xs:complexType>
  <xs:element name="testsuites"><xs:complexType>
    <xs:sequence><xs:element ref="testsuite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
    <xs:attribute name="name" type="xs:string"/><xs:attribute name="time" type="seconds"/>
    <xs:attribute name="tests" type="xs:string"/><xs:attribute name="failures" type="xs:string"/>
    <xs:attribute name="errors" type="xs:string"/></xs:complexType></xs:element>
  <xs:element name="testsuite"><xs:complexType>
    <xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element ref="testcase"/></xs:choice>
    <xs:attribute name="name" type="xs:string" use="required"/><xs:attribute name="tests" type="xs:string" use="required"/>
    <xs:attribute name="failures" type="xs:string"/><xs:attribute name="errors" type="xs:string"/>
    <xs:attribute name="time" type="seconds"/><xs:attribute name="skipped" type="xs:string"/></xs:complexType></xs:element>
  <xs:element name="testcase"><xs:complexType>
    <xs:choice minOccurs="0" maxOccurs="unbounded"><xs:element name="error" type="problem"/>
      <xs:element name="failure" type="problem"/><xs:element name="system-out" type="xs:string"/></xs:choice>
    <xs:attribute name="name" type="xs:string" use="required"/><xs:attribute name="classname" type="xs:string"/>
    <xs:attribute name="time" type="seconds"/></xs:complexType></xs:element>
</xs:schema>
END
# the counts of every level are those of the cases below
adds_up() { # and is what the schema allows
  xmllint --noout --schema junit.xsd out 2>/dev/null || return 1
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

# --- all ----------------------------------------------------------------------------------------

run verify --format json lock.tp
check "json is --json" 'exits 0' 'json_lines' 'json ".[-1].proved == 3"'
run verify --format text lock.tp
check "text is the default" 'exits 0' 'out "3 proved, 0 refuted, 0 unknown"'
for format in sarif junit; do
  for file in lock.tp short.tp bad.tp claimless.tp; do
    run verify "$file"
    expected=$status
    run verify --format $format "$file"
    check "$format: exit code of $file" 'exits $expected'
  done
done
run verify --format xml lock.tp
check "no such format" 'exits 64' 'quiet_out' 'err "text, json, sarif or junit"'
run verify --format sarif
check "no file, no document" 'exits 64' 'quiet_out'

finish
