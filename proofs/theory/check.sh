#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
# Has Coq check the theory: check.sh FOLDER copies it there, compiles it, and asks of each theorem what it assumes. Fails on a
# proof that does not hold, and on a theorem that assumes anything: an axiom, or what has no proof. Then coqchk, Coq's small
# checker, reads the compiled files again.
set -eu
folder=$1
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
rm -f "$folder"/*.v "$folder"/*.vo
cp "$here"/*.v "$folder"
cd "$folder"
files=$(coqdep -sort -Q . Theory ./*.v)
for file in $files; do
  coqc -q -Q . Theory "$file"
done
"$here/../../scripts/theory.py" "$here/../.." --ask >Ask.v
coqc -q -Q . Theory Ask.v >assumed
asked=$(grep -c '^Print' Ask.v)
closed=$(grep -cx 'Closed under the global context' assumed || true)
if [ "$asked" -ne "$closed" ] || [ "$asked" -eq 0 ]; then
  grep -vx 'Closed under the global context' assumed >&2 || true
  echo "theory: $((asked - closed)) of $asked theorems assume what is not proved" >&2
  exit 1
fi
modules=$(for file in $files; do basename "$file" .v; done | sed 's/^/Theory./')
# shellcheck disable=SC2086
coqchk -silent -o -Q . Theory $modules >checked 2>&1 || true
grep -qx '[*] Axioms: <none>' checked || {
  cat checked >&2
  exit 1
}
echo "theory: all $asked theorems and lemmas proved from nothing"
