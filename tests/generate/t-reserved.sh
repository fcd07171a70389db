#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Names that compilers, Frama-C and headers have: the installed ones know none that generate/reserved.c lacks, and
# generated C has none of them, wherever a protocol uses one. Without TEST_ALL the words in compilers' own programs are not
# asked about, the names are those of states, and of the places where a name is refused or not every four hundredth is
# tried, and read in the newest dialect of each language.
. "$(dirname "$0")/../cli/tap.sh"

ask=--quick
[ -n "${TEST_ALL:-}" ] && ask=
scripts/reserved.py $ask >"$scratch/out" 2>"$scratch/err"
status=$? last="scripts/reserved.py $ask"
check "nothing is reserved here that the list lacks" 'exits 0' 'quiet_out' 'quiet_err'

own=$(grep -oE '\{"[a-z]+", +TOKEN' lang/scanner.l | cut -d'"' -f2)
check "words of the language are known" '[ "$(wc -w <<<"$own")" -gt 50 ]'
grep -oE '^    "[^;]*' generate/reserved.c | grep -oE '"\w+"' | tr -d '"' | LC_ALL=C sort -u | grep -vxF "$own" >"$scratch/words"
check "many names are reserved" '[ "$(wc -l <"$scratch/words")" -gt 1500 ]'
# Names of functions of other code bases that mean nothing to a compiler.
usual="task_state wait_queue_entry TASK_RUNNING xlog_flush_lsn LWLockAcquire clusterState myself slave_repl_offset"

root=$PWD
cd "$scratch" || exit 1
{
  printf 'protocol words\nrole a\nrole b\ncomponent C\ncomponent Go\ndelay d\nmessage M(e: int) : a -> b\n'
  echo 'state a { s : int = 0 }'
  echo 'state b { x : int = 0'
  for word in $(cat words) $usual; do echo "  $word : int = 0"; done
  printf '}\naction a.Go cost Go { s := s + 1  send M(s) }\naction b.Get on M(e) cost C { when e > x  x := e  unix := e }\n'
} >states.tp
{
  printf 'protocol words\n'
  for word in $(cat words) $usual; do echo "param $word : int >= 0"; done
  printf 'role a\nrole b\ncomponent C\ncomponent Go\ndelay d\nmessage M(e: int) : a -> b\nstate a { s : int = 0 }\nstate b { x : int = 0 }\n'
  printf 'action a.Go cost Go { when s < unix  s := s + 1  send M(s) }\naction b.Get on M(e) cost C { when e > x + linux  x := e }\n'
} >params.tp
# Seven variables an action.
awk 'BEGIN { print "protocol words\nrole a\nrole b\ncomponent C\ncomponent Go\ndelay d"; n = 0 }
  { if (n % 7 == 0) { k++; list[k] = "" } list[k] = list[k] (n % 7 ? ", " : "") $1; last[k] = $1; count[k]++; n++ }
  END {
    for (i = 1; i <= k; i++) {
      printf "message M%d(", i
      for (f = 1; f <= count[i]; f++) printf "%sf%d: int", (f > 1 ? ", " : ""), f
      print ") : a -> b"
    }
    print "state a { s : int = 0 }\nstate b { stored_it : int = 0 }"
    for (i = 1; i <= k; i++) {
      printf "action a.Go%d cost Go { s := s + 1  send M%d(", i, i
      for (f = 1; f <= count[i]; f++) printf "%ss", (f > 1 ? ", " : "")
      print ") }"
      printf "action b.Get%d on M%d(%s) cost C { when %s > stored_it  stored_it := %s }\n", i, i, list[i], last[i], last[i]
    }
  }' words >variables.tp

dialects=(gnu++17 gnu++2b) compilers=("gcc -std=c11 -Wshadow" "gcc -std=gnu2x" "clang -std=gnu17")
as_c() { # folder: as the prover, gcc and clang in their own dialects read it
  local source command
  for source in "$1"/*.c; do
    case $source in */tp_*) continue ;; esac
    for command in "${compilers[@]}"; do
      command -v "${command%% *}" >/dev/null || continue
      $command -Wall -Wextra -Werror -fsyntax-only -D_DEFAULT_SOURCE -I"$root/measure" -I"$1" "$source" || return 1
    done
  done
}
as_cxx() { # folder
  local dialect
  for dialect in "${dialects[@]}"; do
    (cd "$1" && printf '#include "%s"\n' *.h | g++ -std=$dialect -Wall -Wextra -Werror -fsyntax-only -I"$root/measure" -I. -x c++ -) || return 1
  done
}
as_proved() { # folder
  local source
  command -v frama-c >/dev/null || return 0
  for source in "$1"/words_b.c "$1"/words.h; do
    (cd "$1" && frama-c -no-autoload-plugins -machdep gcc_x86_64 "$(basename "$source")") || return 1
  done
}
places=states
[ -n "${TEST_ALL:-}" ] && places="states params variables"
for place in $places; do
  run generate $place.tp --out $place --loop
  check "$place of all these names: C, C++ and for the prover" 'exits 0' 'as_c "$place" >err 2>&1' 'as_cxx "$place" >err 2>&1' 'as_proved "$place" >err 2>&1'
done
check "a taken name gets a _, another one none" 'grep -q "int32_t unix_;" states/words_b.h' 'grep -q "int32_t TASK_RUNNING;" states/words_b.h'
[ -n "${TEST_ALL:-}" ] && check "parameters and variables, too" 'grep -q "int32_t unix_;" params/words.h' 'grep -q "int32_t linux_)" variables/words_b.h || grep -q "int32_t linux_," variables/words_b.h'

# A role, an action, a message, an enumeration of the name: refused with the name, or C of it.
made() { # name of protocol, role, action, message, enumeration
  printf 'protocol %s\nenum %s { One, Two }\nrole a\nrole %s\ncomponent C\ncomponent Go_on\ndelay d\nmessage %s(e: int) : a -> %s\n' "$1" "$5" "$2" "$4" "$2"
  printf 'state a { s : int = 0 }\nstate %s { x : int = 0  y : %s = One }\n' "$2" "$5"
  printf 'action a.Go cost Go_on { s := s + 1  send %s(s) }\naction %s.%s on %s(e) cost C { when e > x  x := e  y := Two }\n' "$4" "$2" "$3" "$4"
}
wrong='' accepted=0 refused=0
try() {
  rm -rf one
  made "$@" >one.tp
  "$program" generate one.tp --out one --loop >out 2>err
  case $? in
  0) accepted=$((accepted + 1)) && as_c one >err 2>&1 && as_cxx one >err 2>&1 || wrong="$wrong $*;" ;;
  65) refused=$((refused + 1)) && grep -qE "has no C|in C, which means|cannot say|would be the file" err || wrong="$wrong $*;" ;;
  *) wrong="$wrong $*;" ;;
  esac
}
[ -n "${TEST_ALL:-}" ] || dialects=(gnu++2b) compilers=("gcc -std=gnu2x")
some=$(awk -v all="${TEST_ALL:-}" 'all != "" || NR % 400 == 0' words)
for word in $some unix int32_t TP_NODES accept; do
  try "$word" b Take M Kind
  try words "$word" Take M Kind
  try words b "$word" M Kind
  try words b Take "$word" Kind
  try words b Take M "$word"
done
try words clock gettime M Kind
try words gamma r M Kind
last="generate one.tp" status=0
check "$accepted generated, $refused refused with the reason" '[ -z "$wrong" ]' '[ $accepted -gt 8 ]' '[ $refused -gt 8 ]'
try words clock gettime M Kind
check "an action whose function libc has is refused" 'grep -q "action clock.gettime would be clock_gettime in C, which means something" err'
finish
