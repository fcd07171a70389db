#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Has Coq check the bounds of protocols: specs.sh FOLDER PROGRAM PROTOCOL... The folder is one that check.sh compiled the theory
# in. A line for each protocol; fails where a theorem assumes more than its obligations, or takes Coq longer than a minute. What
# the theory does not cover is no failure, and counted. Where discharged/ has proofs of a protocol's obligations, Coq checks them,
# too: nothing may be left that its bounds assume. Then coqchk reads them again.
set -u
here=$(cd "$(dirname "$0")" && pwd)
folder=$1 program=$2
shift 2
covered=0 refused=0 wrong=0 closed=0 modules=

# asks NAME: a file that holds each theorem of Closed_NAME.v against what it has to say, and asks what it assumes.
asks() {
  echo "From Theory Require Import Time Denote Corollary Spec_$1 Closed_$1. From Theory Require Induction."
  sed -n 's/^Theorem bound_\([A-Za-z0-9_]*\) .*/\1/p' "$folder/Spec_$1.v" | while read -r bound; do
    cat <<EOF
Check (Closed_$1.$bound : forall (unit : integers) w x, Induction.possible (s := executions the_protocol unit) w ->
  Induction.reachable (executions the_protocol unit) w x -> kept unit the_protocol b_$bound w x).
Print Assumptions Closed_$1.$bound.
EOF
  done
}

# closes NAME THEOREMS: the obligations of this protocol are discharged, so its bounds assume nothing.
closes() {
  cp "$here/discharged/Closed_$1.v" "$folder"
  asks "$1" >"$folder/Asked_$1.v"
  if (cd "$folder" && timeout 600 coqc -q -Q . Theory "Closed_$1.v" >said 2>wrong &&
    coqc -q -Q . Theory "Asked_$1.v" >assumed 2>wrong) &&
    [ "$(grep -cx 'Closed under the global context' "$folder/assumed")" -eq "$2" ]; then
    closed=$((closed + 1)) modules="$modules Theory.Closed_$1"
    echo "theory: $1: all obligations discharged within Coq"
  else
    wrong=$((wrong + 1))
    complaint=$(head -3 "$folder/wrong" | tr '\n' ' ')
    echo "theory: $1: its obligations are not discharged: ${complaint:-something is assumed, or it took 10 minutes}" >&2
  fi
}

for protocol in "$@"; do
  name=$(basename "$protocol" .tp)
  case $(dirname "$protocol") in */specs/* | specs/*) name=$(basename "$(dirname "$protocol")")_$name ;; esac
  if ! "$program" certify "$protocol" --theory "$folder/Spec_$name.v" >"$folder/said" 2>&1; then
    grep -o 'the theory does not cover: .*' "$folder/said" >"$folder/why" ||
      { wrong=$((wrong + 1)); cat "$folder/said" >&2; continue; }
    refused=$((refused + 1))
    echo "theory: $name: refused: $(sed 's/.*cover: //' "$folder/why")"
    continue
  fi
  theorems=$(grep -c '^Theorem bound_' "$folder/Spec_$name.v")
  if (cd "$folder" && timeout 60 coqc -q -Q . Theory "Spec_$name.v" >assumed 2>wrong) &&
    [ "$(grep -cx 'Closed under the global context' "$folder/assumed")" -eq "$theorems" ]; then
    covered=$((covered + 1))
    echo "theory: $name: $theorems bounds from $(grep -c '^Hypothesis ' "$folder/Spec_$name.v") obligations"
    [ ! -e "$here/discharged/Closed_$name.v" ] || closes "$name" "$theorems"
  else
    wrong=$((wrong + 1))
    echo "theory: $name: Coq does not take it: $(head -3 "$folder/wrong" | tr '\n' ' ')" >&2
  fi
done
# shellcheck disable=SC2086
if [ "$closed" -gt 0 ] && ! { (cd "$folder" && coqchk -silent -o -Q . Theory $modules >checked 2>&1) &&
  grep -qx '[*] Axioms: <none>' "$folder/checked"; }; then
  wrong=$((wrong + 1))
  echo "theory: coqchk does not take$modules: $(head -3 "$folder/checked" | tr '\n' ' ')" >&2
fi
echo "theory: $covered protocols covered, $closed of them closed within Coq, $refused refused by name"
[ "$wrong" -eq 0 ]
