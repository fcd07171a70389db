#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Formatting keeps the meaning and the comments, is idempotent, and never loses a file.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
mapfile -t shipped < <(find "$specs" "$specs/../examples" -name '*.tp')
run format --check "${shipped[@]}"
check "what is shipped is as it is printed" 'exits 0' 'quiet_out' 'quiet_err' '[ "${#shipped[@]}" -gt 60 ]'
cp "$specs"/*.tp .
printf 'param more : int\n' | cat lock.tp - >with.tp
sed 's/ : /:/; s/^bound/bound  /' lock.tp >without.tp
run format --check lock.tp with.tp without.tp
check "--check names what is not, and changes nothing" 'exits 1' 'cmp -s lock.tp "$specs/lock.tp"' '[ "$(cat out)" = without.tp ]'
run format --check --write lock.tp
check "--check and --write" 'exits 64' 'quiet_out' 'err "--write and --check"'

# The same protocols, in lines and columns that nobody would choose.
for name in lock primary_backup redis_wait ${TEST_ALL:+$(cd "$specs" && ls *.tp | sed 's/\.tp$//')}; do
  file=$specs/$name.tp
  sed -E '/#/b; s/  +/ /g; s/ (and|or|implies) /\n\1   /; s/ : /:/' "$file" >rough.tp
  run format rough.tp
  check "$name: formats" 'exits 0' 'quiet_err' '! cmp -s out rough.tp'
  cp out "$name.tp"
  run format "$name.tp"
  check "$name: twice is once" 'exits 0' 'cmp -s out "$name.tp"'
  comments() { grep -o '#.*' "$1" | sed 's/ *$//' | sort; }
  comments "$file" >before
  comments "$name.tp" >after
  check "$name: no comment is lost" 'cmp -s before after'
  run verify --json "$name.tp"
  jq -c 'select(.kind == "bound") | [.name, .verdict, .obligations, .target, .expression]' out >formatted
  run verify --json "$file"
  jq -c 'select(.kind == "bound") | [.name, .verdict, .obligations, .target, .expression]' out >original
  check "$name: verdicts, obligations and bounds are the same" '[ -s original ]' 'cmp -s original formatted'
done

printf 'protocol   p\n\n\n\nparam n:int>=1 # size\nrole r[n]\n' >rough.tp
cp rough.tp kept.tp
run format --write rough.tp
check "--write replaces the file and prints nothing" 'exits 0' 'quiet_out' 'grep -q "^param n : int >= 1  # size$" rough.tp'
run format kept.tp
check "--write wrote what is printed without it" 'cmp -s out rough.tp'
check "no temporary file is left" '[ "$(find . -name "rough*" | wc -l)" -eq 1 ]'

printf 'protocol p\nparam n int\n' >bad.tp
cp bad.tp bad.kept
run format --write bad.tp
check "a file with mistakes is not touched" 'exits 65' 'cmp -s bad.tp bad.kept' 'quiet_out'
run format bad.tp kept.tp
check "nor printed; the others are" 'exits 65' 'grep -q "^protocol p$" out' '[ "$(grep -c "^protocol" out)" -eq 1 ]'

# --- what editors leave in a file and nobody sees ------------------------------------------------------
printf '\357\273\277protocol p\n' >marked.tp
run check marked.tp
check "a byte order mark at the start" 'exits 0' 'out "marked.tp: protocol p: "'
run format marked.tp
check "is not kept" 'exits 0' '[ "$(head -n 1 out)" = "protocol p" ]'
printf 'protocol \357\273\277p\n\342\200\213role\302\240r\n' >hidden.tp
run check hidden.tp
check "elsewhere it is named, like others that cannot be seen" 'exits 65' 'err "hidden.tp:1:10: error[E0102]: unexpected character U+FEFF, "' \
  'err "hidden.tp:2:1: error[E0102]: unexpected character U+200B, "' 'err "hidden.tp:2:6: error[E0102]: unexpected character U+00A0, "'

# --- standard input -------------------------------------------------------------------------------
piped() { # a file, then arguments
  last="${*:2} <$1"
  timeout "${LIMIT:-120}" "$program" "${@:2}" >out 2>err < <(cat "$1")
  status=$?
}
run format kept.tp
cp out expected
piped kept.tp format -
check "format -: what is formatted of the file" 'exits 0' '[ -s expected ]' 'cmp -s out expected'
piped kept.tp check -
check "check -" 'exits 0' 'grep -q "^<stdin>: protocol p: " out'
piped kept.tp check --json - kept.tp
check "beside a file, as JSON" 'exits 0' 'json_lines' 'json "[.[] | select(.kind == \"protocol\") | .file] == [\"<stdin>\", \"kept.tp\"]"'
piped bad.tp check -
check "a mistake there has its place" 'exits 65' 'quiet_out' 'err "<stdin>:2:9: error["'
piped bad.tp format --write -
check "and cannot be replaced" 'exits 64' 'quiet_out' 'err "standard input cannot be replaced; leave out --write"'
last='check - <&-'
"$program" check - >out 2>err <&-
status=$?
check "a closed one" 'exits 66' 'quiet_out' 'err "<stdin>: standard input is closed"'
cp kept.tp ./-
run check ./-
check "a file of that name" 'exits 0' 'out "./-: protocol p"'
finish
