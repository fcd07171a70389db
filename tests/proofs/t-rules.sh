#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What WP would prove although it is wrong is refused, by a line that says why (steps/folder/tp_rules.py), and nothing is that
# `generate` writes, that was written by hand and proved, or that is in the proved core.
. "$(dirname "$0")/../cli/tap.sh"
root=$PWD rules="python3 -B $PWD/steps/folder/tp_rules.py"

cat >"$scratch/tiny.tp" <<'END'
protocol tiny
role source
role node
component C
delay d
message M(e: int) : source -> node
state source { s : int = 0 }
state node { x : int = 0 }
action source.Go at any time {
  s := s + 1
  send M(s)
}
action node.Get on M(e) cost C {
  when e > x
  x := e
}
bound b: delivered M(1) within d
END
run generate "$scratch/tiny.tp" --out "$scratch/tiny"
python3 -B tests/proofs/rules.py "$scratch/tiny" >"$scratch/said" 2>&1
report $? "wrong bodies are refused by a line that says why, right ones are not"
grep -v '^ok' "$scratch/said" | sed 's/^/# /'

# With TEST_ALL of all protocols, and with all options.
ways=' ' files="$specs/lock.tp $specs/raft.tp"
[ -z "${TEST_ALL:-}" ] || { ways=' --loop --own-state --contracts-only'; files=$(ls "$specs"/*.tp); }
refused=0 looked=0
for file in $files; do
  for way in ${ways:+$(echo "$ways") none}; do
    [ "$way" != none ] && option=$way || option=
    name=$(basename "$file" .tp)$way
    # shellcheck disable=SC2086
    "$program" generate "$file" $option --out "$scratch/$name" >/dev/null 2>&1 || continue
    cd "$scratch/$name" || exit 70
    # shellcheck disable=SC2046
    # what is left for bodies by hand says so by an #error
    $rules $(ls ./*.c | grep -vE '_(loop|main)\.c$|tp_(clock|hold|loop|main|order|packet|record|socket)\.c') | grep -v ': #error: ' >>"$scratch/right" && refused=$((refused + 1))
    looked=$((looked + 1))
    cd "$root" || exit 70
  done
done
check "nothing that generate writes is refused ($looked folders)" '[ $refused -eq 0 ]' '[ $looked -gt 0 ]'
[ ! -s "$scratch/right" ] || sed 's/^/# /' "$scratch/right" | head -n 20

run generate "$specs/raft.tp" --role leader --out "$scratch/hand"
for body in popcount early_exit; do cp tests/generate/hand/raft_$body.c "$scratch/hand/hand_$body.c"; done
check "nor are bodies by hand that are proved" '(cd "$scratch/hand" && $rules *.c)'
check "nor is the proved core" '$rules --from . --unwritten saved_ns --unwritten more_ps --unwritten levels $(grep -v "^#" proofs/functions.list | cut -d" " -f1 | sort -u)'

$rules >"$scratch/out" 2>"$scratch/err"
status=$?
check "no source" 'exits 64' 'err "usage: "'
$rules nowhere.c >"$scratch/out" 2>"$scratch/err"
status=$?
check "a source that is not there" 'exits 1' 'grep -q "^nowhere.c:1: cannot be read" "$scratch/out"'
finish
