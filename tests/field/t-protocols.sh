#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocols that others published, written in the language: their bounds are proved, and no smaller ones. With TEST_ALL Coq takes
# each as a value, its theorem, and the steps that the interpreter takes.
. "$(dirname "$0")/../cli/tap.sh"
folder=$PWD/tests/field/protocols repository=$PWD
cd "$scratch" || exit 70

# proved NAME SED: its bound holds; without what SED takes away it does not.
proved() {
  run verify "$folder/$1.tp"
  check "$1 is proved" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'
  sed "$2" "$folder/$1.tp" >"$1.tp"
  run verify "$1.tp"
  check "$1 without a part of its bound is not" '! cmp -s "$1.tp" "$folder/$1.tp"' 'exits 1 || exits 3' '! out "1 proved"'
}
proved bank '/^bound/,$s/ + Read\[k\]//'
proved failure_detector 's/within 3\*T/within 2*T/'
proved german '/^bound/,$s/ + Queuing(InvAck(s))//'
proved prepare_in_time 's/sent Response within Patience/delivered Response within Patience/'
proved ring_election '/^bound/,$s/ + d(Token(first, first))//'

if [ -z "${TEST_ALL:-}" ] || ! command -v coqc >/dev/null; then
  finish
  exit
fi
cd "$repository" || exit 70
theory=$scratch/theory
check "the theory compiles" 'proofs/theory/check.sh "$theory" >"$scratch/log" 2>&1'
check "Coq takes their theorems" 'proofs/theory/specs.sh "$theory" "$BUILD/tailproof" "$folder"/*.tp >"$scratch/log" 2>&1' \
  'grep -q "5 protocols covered" "$scratch/log"'
check "and the steps of their executions" 'proofs/theory/agree.sh "$theory" "$BUILD/tests/tools/agree" 7 "$folder"/*.tp'
finish
