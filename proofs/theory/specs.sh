#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Has Coq check the bounds of protocols: specs.sh FOLDER PROGRAM PROTOCOL... The folder is one that check.sh compiled the theory
# in. A line for each protocol; fails where a theorem assumes more than its obligations, or takes Coq longer than a minute. What
# the theory does not cover is no failure, and counted.
set -u
folder=$1 program=$2
shift 2
covered=0 refused=0 wrong=0
for protocol in "$@"; do
  name=$(basename "$protocol" .tp)
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
  else
    wrong=$((wrong + 1))
    echo "theory: $name: Coq does not take it: $(head -3 "$folder/wrong" | tr '\n' ' ')" >&2
  fi
done
echo "theory: $covered protocols covered, $refused refused by name"
[ "$wrong" -eq 0 ]
