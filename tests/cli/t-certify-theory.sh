#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# A protocol as a term in Coq: the file rests on the obligations of the certificate and on no others, and what the theory does not
# cover is refused by name. With TEST_ALL Coq takes the theorems, the protocol in Coq takes the steps that the interpreter takes,
# and an error planted in what is printed is seen by that.
. "$(dirname "$0")/tap.sh"

repository=$PWD
spec=$repository/proofs/theory/ask.tp
cd "$scratch" || exit 1

run certify "$spec" --theory ask.v
check "a theorem is written" 'exits 0' 'quiet_err' 'grep -q "^Theorem bound_reply" ask.v'
run certify "$spec" --out ask
digests() { # further kinds
  jq -r '.protocols[0].obligations[] | select(.kind | IN("initial", "step", "once", $ARGS.positional[])) | .sha256' ask/manifest.json --args "$@" | sort -u
}
check "its hypotheses are the queries of the certificate, each with its digest" \
  '[ "$(digests)" = "$(grep -o "sha256 [0-9a-f]*" ask.v | cut -d" " -f2 | sort -u)" ]' '[ "$(digests | wc -l)" -gt 10 ]'
check "and no others" '[ "$(grep -c "^Hypothesis " ask.v)" -eq "$(grep -cB0 "^   sha256" ask.v)" ]' '! grep -q "no query" ask.v'

phases=$repository/tests/cases/proved/phase_failover.tp
run certify "$phases" --theory ask.v
check "a bound by phases rests on what its phases rest on" 'exits 0' 'quiet_err' 'grep -q "bound_by_phases_from_obligations" ask.v'
run certify "$phases" --out ask
check "each is a query of the certificate, with its digest" \
  '[ "$(digests start enter end handover early target total)" = "$(grep -o "sha256 [0-9a-f]*" ask.v | cut -d" " -f2 | sort -u)" ]' \
  '! grep -q "no query" ask.v'

run certify "$repository/tests/cases/proved/pairs_charged.tp" --theory pod.v
check "what the theory does not cover is refused by name, and nothing is written" 'exits 2' \
  'grep -q "the theory does not cover: charges that the receiver of a message names (Seek)" err' '[ ! -e pod.v ]'
sed '/^invariant arrives/d' "$spec" >open.tp
run certify open.tp --theory open.v
check "without all obligations there is no theorem" 'exits 2' 'grep -q "no theorem" err' '[ ! -e open.v ]'
run certify "$spec" "$spec" --theory two.v
check "one protocol at a time" 'exits 64'
run certify "$spec" --theory ask.v --out ask
check "a theorem or a certificate" 'exits 64'
run certify "$spec" --theory /nowhere/ask.v
check "a file that cannot be written is said" 'exits 70 || exits 74 || exits 73 || exits 66'

if [ -z "${TEST_ALL:-}" ] || ! command -v coqc >/dev/null; then
  finish
  exit
fi
theory=$repository/proofs/theory agree=$repository/${BUILD:-build}/tests/tools/agree
check "the theory compiles" '"$theory/check.sh" "$scratch/theory" >log 2>&1'
check "executions agree" '"$theory/agree.sh" theory "$agree" 7 "$repository"/specs/{lock,primary_backup,raft,swim,token_bucket,performal/ironrsl_advanced}.tp "$phases" >log 2>&1'

# planted NAME PROTOCOL SED: with this error in what is printed of the protocol a step is another one.
planted() {
  "$agree" "$repository/$2.tp" 12 7 >theory/Planted.v 2>log
  cp theory/Planted.v whole.v
  sed -i "$3" theory/Planted.v
  ! cmp -s whole.v theory/Planted.v && ! (cd theory && coqc -q -Q . Theory Planted.v >../log 2>&1)
  report $? "seen: $1"
}
planted "a comparison that is swapped" specs/lock '/^  guards := \[/,/charges/s/IntGt/IntLt/'
planted "a guard that is dropped" specs/lock '/^Definition a_node_Grant_action/,/charges/s/^    (State Bool s_node_held.*\]/    (Boolean true)]/'
planted "an assignment that is dropped" specs/lock 's/^    Assign Bool s_node_held (Boolean true);$//'
planted "another receiver" specs/lock 's/(Next size_node/(Prev size_node/'
planted "another index of a cost" specs/lock 's/indices := \[(Sub (Var/indices := [(Add (Var/'
planted "another initial value" specs/lock 's/initial := (Integer 0)/initial := (Integer 1)/'
planted "a pacer that lets go later" specs/token_bucket 's/every_ := (Bare c_T)/every_ := (TimeAdd (Bare c_T) (Literal 1))/'
planted "a message to all that goes to none" specs/primary_backup 's/(Family size_backup))\]\]/(Among size_backup (SetOf [])))]]/'
planted "an order of delivery that is none" specs/bounded_queue 's/timing_of := AdvancedModel/timing_of := StandardModel/'
planted "an idle slot that does not wait" specs/performal/ironrsl_advanced 's/trigger_of := After c_T0/trigger_of := Always/'
planted "steps that nothing is due before" specs/raft 's/timing_of := EagerModel/timing_of := StandardModel/'
planted "messages that wait for ever" specs/raft 's/  queueing := Some .*/  queueing := None/'
planted "phases that take no time" tests/cases/proved/phase_failover '/^Definition phases/,/\]\.$/{/expression :=/{n;s/.*/    (Literal 0)/}}'
planted "phases that begin at 0" tests/cases/proved/phase_failover 's/Began/(Literal 0)/g'
check "the shipped theorems are taken by Coq" \
  '"$theory/specs.sh" theory "$repository/${BUILD:-build}/tailproof" "$repository"/specs/{lock,primary_backup,token_bucket}.tp >log 2>&1' \
  'grep -q "3 protocols covered, 3 of them closed within Coq" log'

# undischarged NAME PROTOCOL SED COMPLAINT: with this error in the value or the bound an obligation is false, and Coq complains.
undischarged() {
  cp "theory/Spec_$2.v" whole.v
  sed -i "$3" "theory/Spec_$2.v"
  ! cmp -s whole.v "theory/Spec_$2.v" && (cd theory && coqc -q -Q . Theory "Spec_$2.v" >../log 2>&1) &&
    ! (cd theory && timeout 600 coqc -q -Q . Theory "Closed_$2.v" >../log 2>&1) && grep -q "$4" log
  report $? "not discharged: $1"
  cp whole.v "theory/Spec_$2.v"
}
undischarged "a node that holds the token it has sent" lock '/^    Assign Bool s_node_held (Boolean false);$/d' "^Error"
undischarged "a burst of one less" token_bucket '/^  expression/,/^|}/s/(Integer 1)/(Integer 2)/' \
  "Cannot find witness"
undischarged "a bound without the way" token_bucket '/^  expression/,/^|}/s/(TimeAdd (Times \(.*\)) (Bare c_D))/(Times \1)/' \
  "Cannot find witness"
undischarged "the fastest backup instead of the slowest" primary_backup '/^Definition b_reply :/,/^|}/s/MaxOver/MinOver/' \
  "Cannot find witness"
undischarged "a way that is not counted" primary_backup \
  '/^Definition b_reply_uniform :/,/^|}/s/(Integer 2) (Bare c_d)/(Integer 1) (Bare c_d)/' "Cannot find witness"
sed -i '/^Definition b_reply_uniform :/,/^|}/s/(Integer 2) (Bare c_d)/(Integer 3) (Bare c_d)/' theory/Spec_primary_backup.v
check "a bound that allows more is discharged by the same proof" 'grep -q "(Integer 3) (Bare c_d)" theory/Spec_primary_backup.v' \
  '(cd theory && coqc -q -Q . Theory Spec_primary_backup.v && coqc -q -Q . Theory Closed_primary_backup.v) >log 2>&1'
finish
