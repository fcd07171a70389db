#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Certificates: cvc5 agrees on every obligation of the shipped protocols; changed, missing and surplus
# files, other answers, silence and other protocols are noticed. Without TEST_ALL three of the protocols; where a sample of
# one obligation is asked for below, what is to be noticed does not depend on a solver's answer.
. "$(dirname "$0")/tap.sh"

repository=$PWD
cd "$scratch" || exit 1
for solver in cvc5 z3 cvc4; do
  command -v $solver >/dev/null || { echo "not ok 1 - $solver is missing (apt-get install $solver)"; exit 69; }
done

# --- the shipped protocols, by cvc5 -------------------------------------------------------------

shipped=$(cd "$repository" && ls specs/*.tp specs/*/*.tp 2>/dev/null | sed "s|^|$repository/|")
every=8 many=500
if [ -z "${TEST_ALL:-}" ]; then # those that take long are for later
  shipped=$(grep -e /lock -e redis_wait <<<"$shipped") every=80 many=3
fi
if [ -n "${SANITIZED:-}" ]; then # it is cvc5 that takes long
  shipped="$repository/specs/lock.tp $repository/specs/raft.tp" every=4 many=20
fi
# shellcheck disable=SC2086
LIMIT=1200 run certify --out all $shipped
check "the shipped protocols are certified" 'exits 0' 'quiet_err' '[ -f all/manifest.json ]'
# All files are certified and their digests compared; of the nearly ten thousand obligations every
# eightieth of some is answered again here, every eighth of all with TEST_ALL, all of them by `make certify`.
LIMIT=1200 run certify --check all --with cvc5 --timeout 20 --every $every --json
number() { jq -s "map(select(.kind == \"recheck\"))[0].$1" out; }
check "cvc5 disagrees with none, and all files are there" 'exits 0 || exits 2' '[ "$(number disagree)" -eq 0 ]' \
  '[ "$(number changed)$(number missing)$(number surplus)" = 000 ]'
# 0.1 % take longer than that; `make certify` lists them all.
check "cvc5 answers 97 % of them in its processor time" \
  '[ $(( ($(number timeouts) + $(number unknown)) * 100 )) -le $(( 3 * $(number agree) )) ]' \
  '[ "$(number agree)" -gt $many ]' '[ $(( $(number agree) + $(number left_out) + $(number timeouts) + $(number unknown) )) -eq "$(number obligations)" ]'
jq -r 'select(.problem) | "# \(.problem): \(.file): \(.text)"' out

# --- the folder ---------------------------------------------------------------------------------

run certify --out ring "$specs/lock.tp"
check "one protocol, and what it does not show" 'exits 0' 'quiet_err' 'out "that one comes at all, tailproof verify says"' 'grep -qE "^ring: [0-9]+ obligations of 1 protocol$" out'
check "the manifest says what each query is" 'jq -e "
  .kind == \"certificate\" and (.tailproof | length) > 0 and (.solver | test(\"Z3\")) and
  (.protocols | length) == 1 and .protocols[0].protocol == \"lock\" and (.protocols[0].sha256 | length) == 64 and
  (.protocols[0].obligations | length > 20 and all(
     (.id | length) > 0 and (.kind | length) > 0 and (.text | length) > 0 and .expected == \"unsat\" and
     (.sha256 | test(\"^[0-9a-f]{64}\$\")))) and
  ([.protocols[0].obligations[] | select(.bound == \"full_circle\")] | length) > 1" ring/manifest.json >/dev/null'
jq -r '.protocols[].obligations[].facts[]' all/manifest.json | sort -u >facts
check "it names what is taken for granted, which is proved" '[ "$(wc -l <facts)" -ge 5 ]' \
  'for fact in $(cat facts); do grep -q "FACT_$fact\b" "$repository/proofs/theory/Facts.v" || exit 1; done' \
  'jq -e ".protocols[0].obligations | any(.facts | index(\"OCCURRENCE\")) and any(.facts | index(\"SUM_GROWS\") | not)" ring/manifest.json >/dev/null'
jq -r '.protocols[].obligations[] | "\(.sha256)  ring/\(.file)"' ring/manifest.json >sums
check "the digests are SHA-256" 'sha256sum --check --quiet sums >/dev/null 2>&1'
check "the protocol is named by its digest" \
  '[ "$(jq -r ".protocols[0].sha256" ring/manifest.json)" = "$(sha256sum <"$specs/lock.tp" | cut -d" " -f1)" ]'
check "each query is a complete script" \
  '[ -z "$(grep -L "^(set-logic ALL)" ring/lock/*)$(grep -L "^(check-sat)" ring/lock/*)" ]' \
  '! grep -qE ":weight|:qid" ring/lock/*'
run certify --jobs 1 --out again "$specs/lock.tp"
check "the same text with one thread" 'exits 0' 'diff -r ring again'
run certify --json --out again "$specs/lock.tp"
check "as JSON" 'exits 0' 'json_lines' 'json ".[0] | .kind == \"certified\" and .folder == \"again\" and .obligations > 20 and .protocols == 1"'
run certify --out ring "$specs/lock.tp" "$specs/primary_backup.tp"
check "an older certificate is replaced" 'exits 0' '[ -d ring/primary_backup ]' '[ "$(ls -d ring*)" = ring ]'
run certify --out ring "$specs/lock.tp" "$specs/lock.tp"
check "two protocols of one name" 'exits 0' '[ -d ring/lock ]' '[ -d ring/lock-2 ]' '[ ! -d ring/primary_backup ]'
run certify --out ring/ "$specs/lock.tp"
check "a slash behind the name" 'exits 0' '[ ! -d ring/lock-2 ]' '[ -d ring/lock ]'

mkdir foreign empty
echo precious >foreign/notes
for there in foreign foreign/notes; do
  run certify --out $there "$specs/lock.tp"
  check "$there is not overwritten" 'exits 64' 'quiet_out' 'err "is no certificate"' '[ "$(cat foreign/notes)" = precious ]'
done
run certify --out again "$specs/lock.tp"
echo precious >again/lock/notes
run certify --out again "$specs/lock.tp"
check "nor a certificate with something else in it" 'exits 64' 'err "lock/notes"' '[ "$(cat again/lock/notes)" = precious ]'
run certify --out empty "$specs/lock.tp"
check "an empty folder is" 'exits 0' '[ -f empty/manifest.json ]'
run certify --out no/such/place "$specs/lock.tp"
check "nowhere to write" 'exits 70' 'err "no/such/place"'
sed '/^invariant numbered/,/^$/d' "$specs/lock.tp" >open.tp
run certify --timeout 0.1 --out open open.tp
check "no certificate of what is not proved" 'exits 2' 'quiet_out' 'grep -qE "open.tp: no certificate: [0-9]+ obligations? (is|are) not proved, for example: action" err' \
  '[ -z "$(ls -d open open.new* 2>/dev/null)" ]'
{ sed '/^bound /,$d' "$specs/lock.tp"; echo 'bound after_hops: when held and epoch == hops at first within ?'; } >ask.tp
{ cat "$specs/lock.tp"; echo 'assume n <= 0'; } >never.tp
sed '/^bound /,$d' "$specs/lock.tp" >claimless.tp
for why in 'ask.tp: no certificate: bound after_hops has no expression' 'never.tp: no certificate: the assumptions contradict each other' \
  'claimless.tp: no certificate: there is no bound'; do
  run certify --out open "${why%%:*}"
  check "${why%%:*}: nor where it would say nothing" 'exits 2' 'quiet_out' 'err "$why"' '[ -z "$(ls -d open open.new* 2>/dev/null)" ]'
done
echo 'protocol p bound' >wrong.tp
run certify --out open "$specs/lock.tp" wrong.tp
check "nor of a file with mistakes" 'exits 65' '[ -z "$(ls -d open open.new* 2>/dev/null)" ]'

# --- checking -----------------------------------------------------------------------------------

run certify --check ring --with z3 "$specs/lock.tp"
check "z3 agrees, and the list is the protocol's" 'exits 0' 'quiet_err' 'grep -qE "^z3: ([0-9]+) of \1 obligations agree, 0 " out' \
  'said "0 differences"'
run certify --check ring --every 7
check "cvc5 is the default; without a file the list is not compared" 'exits 0' 'out "cvc5: "' 'said "was not compared"'
{ cat "$specs/lock.tp"; echo '# a comment'; } >later.tp
run certify --check ring --with z3 --every 1000 later.tp
check "another version of the file" 'exits 1' 'out "earlier version of it"'

broken() { rm -rf broken; cp -r ring broken; }
manifest() { jq "$1" ring/manifest.json >broken/manifest.json; }
file=broken/$(jq -r '.protocols[0].obligations[7].file' ring/manifest.json)

broken; echo '(assert false)' >>"$file"
run certify --check broken --with z3 --every 1000
check "a changed query" 'exits 1' 'grep -qE "^changed: lock/00008.smt2: " out' 'said "1 changed, 0 missing"'
broken; rm "$file"
run certify --check broken --with z3 --every 1000
check "a missing query" 'exits 1' 'grep -qE "^missing: lock/00008.smt2: " out' 'said "0 changed, 1 missing"'
broken; cp "$file" broken/lock/99999.smt2; cp "$file" broken/top.smt2
run certify --check broken --with z3 --every 1000
check "surplus files" 'exits 1' 'out "surplus: lock/99999.smt2"' 'out "surplus: top.smt2"' 'said "2 surplus"'
broken; rm "$file"; manifest 'del(.protocols[0].obligations[7])'
run certify --check broken --with z3 --every 1000
check "an obligation taken out everywhere passes as long as no protocol is named" 'exits 0'
run certify --check broken --with z3 --every 1000 "$specs/lock.tp"
check "and is found missing when it is" 'exits 1' 'out "the certificate lacks it"' 'said "1 differences"'
broken; printf '(set-logic ALL)\n(assert false)\n(check-sat)\n' >"$file"
manifest ".protocols[0].obligations[7].sha256 = \"$(sha256sum <"$file" | cut -d' ' -f1)\""
run certify --check broken --with z3 --every 1000 "$specs/lock.tp"
check "an easier query in its place" 'exits 1' 'out "or has another query or description for it"'
broken; printf '(set-logic ALL)\n(check-sat)\n' >"$file"
manifest ".protocols[0].obligations[7].sha256 = \"$(sha256sum <"$file" | cut -d' ' -f1)\""
for solver in z3 cvc5; do
  run certify --check broken --with $solver --every 7 --json
  check "a query that is sat, by $solver" 'exits 1' 'json_lines' \
    'json ".[-1] | .kind == \"recheck\" and .disagree == 1 and .solver == \"'$solver'\""' \
    'json ".[0] | .kind == \"recheck_problem\" and .problem == \"disagree\" and .file == \"lock/00008.smt2\""'
done

# --- scripts that a solver would obey: none of them is given to it ---------------------------------

# obey SCRIPT: the eighth query is this one, with its digest.
obey() {
  broken; printf "$1" >"$file"
  manifest ".protocols[0].obligations[7].sha256 = \"$(sha256sum <"$file" | cut -d' ' -f1)\""
}
# Every line of hostile_scripts, with each solver in turn; of what the program and what it starts opens, under strace where that
# can be had, nothing is for writing but /dev/null. A sample, with TEST_ALL each line with each solver.
obeyed=0 number=0 solvers=(z3 cvc5 cvc4)
writes='O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^[0-9]+ +(creat|truncate|rename|unlink|link|symlink|mkdir|mknod|socket|connect)'
trace=(strace -f -qq -o trace -e 'trace=open,openat,creat,truncate,/rename,/unlink,/link,/mkdir,/mknod,socket,connect')
"${trace[@]}" true 2>/dev/null || trace=()
hostile() {
  "${trace[@]}" "$program" certify --check broken --with "$1" "$specs/lock.tp" >out 2>err
  status=$?
  [ $status -eq 65 ] && [ ! -s out ] && [ "$(wc -l <err)" -eq 1 ] && [ ! -e owned ] &&
    grep -q "^tailproof: broken/lock/00008.smt2:[12]: .*; no solver was given anything of this certificate: .*(tailproof certify)" err &&
    ! { [ -n "${trace[*]}" ] && grep -vE '"/dev/(null|tty)"' trace | grep -qE "$writes"; }
}
while IFS= read -r script; do
  number=$((number + 1))
  [ -n "${TEST_ALL:-}" ] || [ $((number % 8)) -eq 1 ] || continue
  obey "$script\n"
  ask=("${solvers[number / 8 % 3]}")
  [ -z "${TEST_ALL:-}" ] || ask=("${solvers[@]}")
  for solver in "${ask[@]}"; do
    hostile "$solver" || { echo "# $solver: $script"; obeyed=$((obeyed + 1)); }
  done
done <"$repository/tests/cli/hostile_scripts"
check "no solver is given one that would do more than answer, and nothing is written (of $number)" '[ $obeyed -eq 0 ]' '[ $number -ge 75 ]'
[ -n "${trace[*]}" ] || echo "# without strace"

# One that says where it runs. It can write nothing: that it was asked it says by a signal.
mkdir -p spy
printf '#!/bin/sh\n[ "$1" = --version ] && exit 0\n${ASKED:+kill -USR1 $PPID}\necho "in $PWD: $(ls -A | wc -l)"; echo unknown\n' >spy/cvc5
chmod +x spy/cvc5
for script in '(set-logic ALL)\n(check-sat)\n(exit)\n' '(declare-fun unsat () Bool)(check-sat)'; do
  obey "$script"; ASKED=yes PATH=$scratch/spy:$PATH run certify --check broken --every 1000
  check "nothing is asked beside $script" 'exits 65' 'quiet_out' 'err "broken/lock/00008.smt2:"'
done
ASKED=yes PATH=$scratch/spy:$PATH run certify --check ring --every 50
check "where something is, it is seen" 'exits 138'
PATH=$scratch/spy:$PATH run certify --check ring --every 50
check "a solver runs in an empty folder, which is gone behind it" 'exits 2' 'grep -qE "in .*/tailproof-[A-Za-z0-9]+: 0" out' \
  '[ ! -e "$(sed -n "s/.*in \(.*\/tailproof-[A-Za-z0-9]*\): 0.*/\1/p" out | head -n 1)" ]'

for wrong in '.kind = "x"' '.format = "2"' 'del(.protocols)' '.protocols[0].obligations[0].file = "../lock.tp"' \
  '.protocols[0].obligations[0].file = "/etc/passwd"' '.protocols[0].obligations[0].file = .protocols[0].obligations[1].file' \
  '.protocols = []' '.protocols[0].obligations = []' '.protocols[0].obligations[0].kind = "easy"' \
  '.protocols[0].obligations[0].id = "lock/00002"' 'del(.protocols[0].obligations[0].kind)' \
  '.protocols[0].obligations[0] += {bound: "x", invariant: "y"}' 'del(.solver)' \
  '.protocols[0].obligations[0].expected = "sat"' '.protocols[0].obligations[0].sha256 = "00"' '[]'; do
  broken; manifest "$wrong"
  run certify --check broken --with z3 --every 1000
  check "unusable manifest: $wrong" 'exits 65' 'quiet_out' 'err "is no manifest of a certificate"'
done
broken; manifest '.protocols = []'; rm -r broken/lock
run certify --check broken --with z3 --every 1000 "$specs/lock.tp"
check "nothing at all agrees with nothing" 'exits 65' 'quiet_out' 'err "it has no protocol, so nothing would be checked"'
for field in bound invariant generated kind; do
  broken; manifest "(.protocols[0].obligations | map(has(\"$field\")) | index(true)) as \$i |
    .protocols[0].obligations[\$i].$field |= if . == \"step\" then \"once\" elif \"$field\" == \"kind\" then \"step\" else . + \"x\" end"
  run certify --check broken --with z3 --every 1000 "$specs/lock.tp"
  check "an obligation with another $field" 'exits 1' 'out "or has another query or description for it"' 'said "2 differences"'
done
for field in tailproof solver; do
  broken; manifest ".$field = \"other\""
  run certify --check broken --with z3 --every 1000 "$specs/lock.tp"
  check "a certificate of another $field" 'exits 2' 'grep -q "^made by others: manifest.json: .*other.*cannot confirm" out' 'said "0 differences"'
done
run certify --check foreign
check "no certificate at all" 'exits 66' 'err "foreign/manifest.json"'

# --- names that mean something to solvers ---------------------------------------------------------

run certify --out names "$repository/tests/cases/proved/solver_names.tp"
for solver in cvc5 z3; do
  run certify --check names --with $solver "$repository/tests/cases/proved/solver_names.tp"
  check "a protocol may use the solvers' words as names, by $solver" 'exits 0' ' grep -qE "^$solver: ([1-9][0-9]*) of \1 obligations agree" out'
done

# --- solvers of all kinds, played by fakes -------------------------------------------------------

run certify --out small "$repository/tests/cases/proved/single.tp"
check "a small certificate" 'exits 0'
mkdir bin
fake() { printf '#!/bin/sh\n[ "$1" = --version ] && exit 0\n%s\n' "$1" >bin/cvc5; chmod +x bin/cvc5; }
checked() { PATH=$scratch/bin:$PATH run certify --check small --with cvc5 --timeout "$1" --json; }
all=$(jq '.protocols[0].obligations | length' small/manifest.json)
fake 'cat >/dev/null; echo sat'; checked 5
check "a solver that says sat" 'exits 1' '[ "$(number disagree)" -eq "$all" ]'
fake 'cat >/dev/null; echo unknown'; checked 5
check "one that says unknown" 'exits 2' '[ "$(number unknown)" -eq "$all" ]' '[ "$(number agree)" -eq 0 ]'
fake 'echo "(error \"no\")"; echo unsat'; checked 5
check "an answer beside an error is none" 'exits 2' '[ "$(number unknown)" -eq "$all" ]'
fake 'echo unsat; echo sat'; checked 5
check "nor are two answers" 'exits 2' '[ "$(number unknown)" -eq "$all" ]'
fake 'kill -9 $$'; checked 5
check "nor is a crash" 'exits 2' '[ "$(number unknown)" -eq "$all" ]'
fake 'exec sleep 60'; checked 0.02
check "one that does not end" 'exits 2' '[ "$(number timeouts)" -eq "$all" ]'
fake '(while ! grep -q "^State:.T" /proc/$$/status; do :; done; sleep 0.5; kill -CONT $$) >&- 2>&- & kill -STOP $$; echo unsat'
checked 0.2
check "one that is stopped for longer than its processor time" 'exits 0' '[ "$(number agree)" -eq "$all" ]'
fake 'while :; do :; done'; checked 0.05
check "one that works for ever" 'exits 2' '[ "$(number timeouts)" -eq "$all" ]'
fake 'case "$*" in *full-saturate-quant*) cat >/dev/null; echo unsat ;; *) echo unknown ;; esac'; checked 5
check "after unknown the solver is asked to try harder" 'exits 0' '[ "$(number agree)" -eq "$all" ]'
for tool in cat mkdir; do ln -s "$(command -v $tool)" bin/; done
rm bin/cvc5
last='certify --check ring (no cvc5)'
PATH=$scratch/bin "$program" certify --check ring >out 2>err
status=$?
check "no cvc5" 'exits 69' 'quiet_out' 'err "apt-get install cvc5"'

run certify --check ring --with yices
check "a solver nobody knows" 'exits 64' 'err "cvc5, cvc4 or z3"'
run certify --check ring --out x
check "--out and --check" 'exits 64' 'err "give one of them"'
run certify "$specs/lock.tp"
check "neither" 'exits 64' 'err "--out DIR"'

finish
