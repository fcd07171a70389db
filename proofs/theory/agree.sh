#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Has Coq compute executions that the interpreter took: agree.sh FOLDER AGREE SEED PROTOCOL... (tests/tools/agree.c). The folder
# is one that check.sh compiled the theory in. Fails where a step does something else there.
set -u
folder=$1 agree=$2 seed=$3
shift 3
here=$(cd "$(dirname "$0")" && pwd)
[ -e "$folder/Observed.vo" ] || {
  cp "$here/../../tests/proofs/Observed.v" "$folder"
  (cd "$folder" && coqc -q -Q . Theory Observed.v) || exit 1
}
same=0 wrong=0
for protocol in "$@"; do
  name=$(basename "$protocol" .tp)
  if "$agree" "$protocol" 12 "$seed" >"$folder/Agree_$name.v" 2>"$folder/said" &&
    (cd "$folder" && timeout 120 coqc -q -Q . Theory "Agree_$name.v" >wrong 2>&1); then
    same=$((same + 1))
  else
    wrong=$((wrong + 1))
    echo "theory: $name: $(cat "$folder/said") $(head -3 "$folder/wrong" | tr '\n' ' ')" >&2
  fi
done
echo "theory: executions of $same protocols agree"
[ "$wrong" -eq 0 ]
