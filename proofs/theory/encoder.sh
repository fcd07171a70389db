#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Compares the encoder's queries with the formulas that Generator.v makes: encoder.sh FOLDER PROGRAM PROTOCOL... The folder is one
# that check.sh compiled the theory in. A line for each protocol; fails where a query says something else. What the theory or the
# generator does not cover is no failure, and counted. FOLDER/compared has a file for each protocol with a line for each
# obligation, of which scripts/theory_compared.py makes a table. What is not compared within LIMIT seconds of a protocol is open.
set -u
folder=$(cd "$1" && pwd) program=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder/compared"
compared=0 refused=0 wrong=0

# formulas NAME FILE: what Print.v makes of the protocol.
formulas() {
  sed '/^From Theory Require Import Meaning /,$d; s/__/_0_/g' "$spec.v" >"$folder/Only_$1.v"
  bounds=$(sed -n 's/^Definition \(b_[A-Za-z0-9_]*\) : bound.*/\1/p' "$folder/Only_$1.v" | paste -sd';')
  cat >"$folder/Extract_$1.v" <<END
From Coq Require Import Extraction ExtrOcamlBasic ExtrOcamlNativeString.
From Theory Require Import Print.
Load Only_$1.
Definition lines := print the_protocol invariants [$bounds].
Extraction "extract_$1.ml" lines.
END
  (cd "$folder" && coqc -q -Q . Theory "Extract_$1.v" >/dev/null && rm -f "extract_$1.mli" &&
    echo 'let () = List.iter print_endline lines' >>"extract_$1.ml" && ocaml "extract_$1.ml" >"$2")
}

for protocol in "$@"; do
  name=$(basename "$protocol" .tp)
  case $(dirname "$protocol") in */specs/* | specs/*) name=$(basename "$(dirname "$protocol")")_$name ;; esac
  spec=$folder/Encoded_$name
  if ! "$program" certify "$protocol" --theory "$spec.v" >"$folder/said" 2>&1; then
    refused=$((refused + 1))
    printf 'refused\t%s\t%s\t\n' "$name" "$(sed -n 's/.*the theory does not cover: //p' "$folder/said" | head -1)" >"$folder/compared/$name"
    continue
  fi
  rm -rf "$spec.queries"
  "$program" certify "$protocol" --out "$spec.queries" >/dev/null || exit 1
  formulas "$name" "$spec.formulas" || exit 1
  if [ -n "${SPOIL:-}" ]; then
    sed -i "$SPOIL" "$spec.queries"/*/*.smt2
  fi
  if "$here/../../scripts/theory_encoder.py" "$spec.v" "$spec.formulas" "$spec.queries" --out "$folder/compared/$name" \
    --seconds "${LIMIT:-600}"; then
    compared=$((compared + 1))
  else
    wrong=$((wrong + 1))
  fi
done
echo "theory: queries of $compared protocols compared, $wrong differ, $refused not covered"
[ "$wrong" -eq 0 ]
