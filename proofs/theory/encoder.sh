#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the encoder's queries with the formulas that Generator.v makes: encoder.sh FOLDER PROGRAM PROTOCOL... The folder is one
# that check.sh compiled the theory in. A line for each protocol; fails where a query says something else. What the theory or the
# generator does not cover is no failure, and counted. With LIMIT no protocol takes longer than so many seconds.
set -u
folder=$(cd "$1" && pwd) program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
compared=0 refused=0 late=0 wrong=0
for protocol in "$@"; do
  name=$(basename "$protocol" .tp)
  spec=$folder/Encoded_$name
  if ! "$program" certify "$protocol" --theory "$spec.v" >"$folder/said" 2>&1; then
    refused=$((refused + 1))
    continue
  fi
  rm -rf "$spec.queries"
  "$program" certify "$protocol" --out "$spec.queries" >/dev/null || exit 1
  sed '/^From Theory Require Import Meaning /,$d; s/__/_0_/g' "$spec.v" >"$folder/Only_$name.v"
  bounds=$(sed -n 's/^Definition \(b_[A-Za-z0-9_]*\) : bound.*/\1/p' "$folder/Only_$name.v" | paste -sd';')
  cat >"$folder/Extract_$name.v" <<EOF
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString.
From Theory Require Import Print.
Load Only_$name.
Definition lines := print the_protocol invariants [$bounds].
Extraction "extract_$name.ml" lines.
EOF
  (cd "$folder" && coqc -q -Q . Theory "Extract_$name.v" >/dev/null && rm -f "extract_$name.mli" &&
    echo 'let () = List.iter print_endline lines' >>"extract_$name.ml" && ocaml "extract_$name.ml" >"$spec.formulas") || exit 1
  if [ -n "${SPOIL:-}" ]; then
    sed -i "$SPOIL" "$spec.queries"/*/*.smt2
  fi
  timeout "${LIMIT:-600}" "$here/../../scripts/theory_encoder.py" "$spec.v" "$spec.formulas" "$spec.queries"
  case $? in
  0) compared=$((compared + 1)) ;;
  124) late=$((late + 1)) && echo "$name: not compared within ${LIMIT:-600} s" ;;
  *) wrong=$((wrong + 1)) ;;
  esac
done
echo "theory: queries of $compared protocols compared, $wrong differ, $late take too long, $refused not covered"
[ "$wrong" -eq 0 ]
