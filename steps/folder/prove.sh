#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Proves with Frama-C/WP that the functions of this folder have no run-time error and keep their contracts, those of
# the protocol's file.
#
#   ./prove.sh [SOURCE]...          the sources (default: all but the library, four files that Tailproof has proved, and the
#                                   loop around the steps with its programs, *_loop.c and *_main.c, which is not proved)
#   ./prove.sh --fresh [SOURCE]...  asks the provers everything again
#
# The provers' answers are kept in the file `answers`: a goal that was answered is not asked again, so without changes no
# prover runs. The file `proved` has for each source a digest of what its proof read and how it was run, with which tools: a
# source that has not changed is not looked at, where Frama-C takes some 50 ms for each goal. Commit both. What is replaced is
# never believed: another goal, and another source, has another name. PROVE_SECONDS is the limit for one goal (default 10),
# PROVE_JOBS how many are asked side by side (default: one for each processor); PROVERS are asked in turn while goals are open
# (default "cvc4 cvc4,z3"). Writes only `answers`, `proved` and build/. Exits with 0 if all is proved, 1 if not, 69 if a tool
# is missing.
set -u
export LC_ALL=C
cd "$(dirname "$0")" || exit 70
fresh=
[ "${1:-}" != --fresh ] || { fresh=yes; shift; }
for tool in frama-c why3 cvc4 z3 gcc python3; do
  command -v "$tool" >/dev/null || { echo "prove: missing: $tool (Debian: apt-get install frama-c-base why3 cvc4 z3 gcc python3)" >&2; exit 69; }
done
library="tp_lemmas.c tp_message.c tp_set.c tp_step.c"
loop="tp_clock.c tp_hold.c tp_loop.c tp_main.c tp_order.c tp_packet.c tp_record.c tp_socket.c"
all= around=
for source in *.c; do
  case " $library $loop " in
  *" $source "*) continue ;;
  esac
  case $source in
  *_loop.c | *_main.c) around="$around $source" ;;
  '*.c') ;;
  *) all="$all $source" ;;
  esac
done
all=${all# }
if [ $# -eq 0 ]; then
  [ -n "$all" ] || { echo "prove: there is no source to prove in $PWD" >&2; exit 1; }
  [ -z "$around" ] || echo "not proved:$around: the loop around the steps; tailproof replay holds its runs against the protocol"
  # shellcheck disable=SC2086
  set -- $all
fi
mkdir -p build && work=$(mktemp -d "$PWD/build/prove.XXXXXX") || exit 70
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Why3 keeps what it knows about provers in a file; ours is private. Finding the provers takes a second, so it stays.
versions=$(frama-c -version; why3 --version; cvc4 --version | head -n 1; z3 --version)
export HOME="$work" WHY3CONFIG="$PWD/build/why3.$(echo "$versions" | md5sum | cut -c1-8).conf"
if [ ! -s "$WHY3CONFIG" ]; then
  why3 config detect >"$work/detect" 2>&1
  grep -q 'name = "CVC4"' "$WHY3CONFIG" || { cat "$work/detect" >&2; echo "prove: why3 does not find CVC4" >&2; exit 69; }
fi
PROVERS=${PROVERS:-cvc4 cvc4,z3}
touch answers proved
failed=0

# What the proof of a source reads.
read_by() { gcc -MM "$1" | tr -d '\\' | tr ' ' '\n' | grep -vE ':$|^$' | sort -u; }

# Links all that is proved, here and in the library, so that functions without a body are missing. (Of a function the folder may
# have two bodies, one of them by hand.)
objects=
for source in $all $library; do # of what does not compile there is no body
  gcc -fPIC -g -c -o "$work/${source%.c}.o" "$source" 2>"$work/bodies" && objects="$objects $work/${source%.c}.o"
done
# shellcheck disable=SC2086
gcc -shared -Wl,-z,defs,-z,muldefs -o "$work/bodies.so" $objects 2>"$work/bodies"

# What WP would prove although it is wrong: promises that are assumed instead of proved, functions without a body, code
# that a compiler reads otherwise, and what WP misjudges (tp_rules.py).
check_honest() {
  ! sed -n -E "s/^([^:]*\/)?$1:([0-9]+): undefined reference to .(.*).\$/prove: $1:\2: \3 has no body that is proved/p" "$work/bodies" | grep . >&2
  linked=$?
  # shellcheck disable=SC2046,SC2086
  python3 -B ./tp_rules.py $(printf -- '--with %s ' $all $library) "$1" >"$work/rules" && return $linked
  sed 's/^/prove: /' "$work/rules" >&2
  [ -s "$work/rules" ] || echo "prove: $1: tp_rules.py failed" >&2
  return 1
}

# The clause of a goal as a reader knows it: "ensures Reply" of leader_Count, with its line in the header.
say() {
  function=$1 kind=$2 label=$3
  place=
  [ "$kind" != ensures ] || place=$(awk -v name="$function" -v label="ensures $label:" '
    index($0, "/*@") { found = "" }
    index($0, label) { found = FILENAME ":" FNR ": " }
    $0 ~ "(^|[ *])" name "\\(" && found != "" { print found; exit }' *.h 2>/dev/null)
  case $kind in
  ensures) echo "$place$function does not keep \"ensures $label\": not proved" ;;
  assigns) echo "$function may change what its contract does not let it (assigns): not proved" ;;
  *) echo "$function: $kind${label:+ $label}: not proved" ;;
  esac
}

# "[wp] [CVC4 1.8] Goal typed_NAME_ensures_LABEL : Timeout" and its like, for people.
translate() {
  sed -n -E 's/^\[wp\] (\[[^]]*\] )*(Goal|Smoke-test) typed_([A-Za-z0-9_]+)( .*)?$/\3/p' | sed -E 's/_part[0-9]+$//' | sort -u |
    while read -r goal; do
      function=$(awk -v goal="$goal" 'index(goal, $1 "_") == 1 && length($1) > length(best) { best = $1 } END { print best }' "$here/functions")
      rest=${goal#"$function"_}
      case $rest in
      ensures_*) say "$function" ensures "${rest#ensures_}" ;;
      assigns*) say "$function" assigns "" ;;
      terminates) say "$function" "ends in every case (loops: a variant)" "" ;;
      assert_rte_*) say "$function" "no run-time error" "($(echo "${rest#assert_rte_}" | tr _ ' '))" ;;
      call_*_requires_*) say "$function" "a call's requires" "${rest##*_requires_}" ;;
      wp_smoke_*) say "$function" "its requires contradict each other, or code is never reached" "" ;;
      *) say "$function" "$(echo "$rest" | tr _ ' ')" "" ;;
      esac
    done
}

# wp PROVERS: WP on the source; what is open is in the file "open".
wp() {
  env OCAMLRUNPARAM=s=1M,o=400 frama-c -no-autoload-plugins -load-module wp,rtegen -machdep gcc_x86_64 -wp -wp-rte \
    -warn-unsigned-overflow -wp-definitions-terminate -wp-declarations-terminate -wp-frama-c-stdlib-terminate \
    -wp-smoke-tests -wp-smoke-timeout 1 -wp-prover "$1" -wp-timeout "${PROVE_SECONDS:-10}" \
    -wp-par "${PROVE_JOBS:-$(nproc)}" -wp-session "$here" -wp-cache cleanup "$source" >"$here/log" 2>&1
  status=$?
  sed -i "/Warning: \$/{N;s/\n *//}; /populates 'terminates .true'/d" "$here/log" # a contract without the clause says that, too
  sed -n 's/^\[rte:annot\] annotating function //p' "$here/log" >"$here/functions"
  grep -E '^\[wp\] (\[[^]]*\] )*(Goal|Smoke-test) ' "$here/log" | grep -vE '\] Goal .* : Valid|^\[wp\] \[Passed\]' >"$here/open"
}

# Of a source with open goals: forgets which of them ran out of time. Smoke tests that ran out of their second stay.
forget_open() {
  find "$1" -name '*.json' -exec grep -LE '"verdict": "(valid|unknown)"|"verdict": "timeout", "time": 1\. ' {} + | xargs -r rm
  rmdir --ignore-fail-on-non-empty "$1"
}

prove() {
  source=$1 here=$work/$(basename "$1" .c)
  # shellcheck disable=SC2046
  digest=$({ echo "$versions"; sed -n '/^wp()/,/^}/p; /^prove()/,/^}/p' prove.sh; cat $(read_by "$source"); } | md5sum | cut -c1-32)
  if [ -z "$fresh" ] && said=$(grep "^$digest $source: " proved); then
    echo "${said#* }"
    return 0
  fi
  mkdir -p "$here/cache" || exit 70
  [ -n "$fresh" ] || ./answers.sh unpack answers "$here/cache" || return 1
  for provers in $PROVERS; do
    [ -f "$here/open" ] && [ ! -s "$here/open" ] || wp "$provers"
  done
  if [ "$status" -eq 0 ] && [ ! -s "$here/functions" ]; then
    echo "prove: $source: has no function, so nothing of it is proved" >&2
    rm -r "$here/cache"
    return 1
  fi
  translate <"$here/open" | sed "s/^/prove: /" >&2
  proved=$(sed -n -E 's|^\[wp\] Proved goals: *([0-9]+) / *([0-9]+)$|\1 \2|p' "$here/log")
  if [ "$status" -ne 0 ] || [ -z "$proved" ] || grep -E 'Warning|Error|aborted' "$here/log" | grep -qv 'Warning: Failed smoke-test$'; then
    grep -E -A 3 'Warning|Error|aborted|^\[kernel\]' "$here/log" | head -n 12 >&2
    echo "prove: $source: Frama-C complains" >&2
    rm -r "$here/cache"
    return 1
  fi
  if [ -s "$here/open" ] || [ "${proved% *}" != "${proved#* }" ]; then
    echo "prove: $source: ${proved% *} of ${proved#* } goals proved" >&2
    forget_open "$here/cache"
    return 1
  fi
  said="$source: all ${proved#* } goals of $(wc -l <"$here/functions") functions proved"
  { grep -v " $source: " proved; echo "$digest $said"; } | sort -k 2 >"$work/proved" && mv "$work/proved" proved
  echo "$said"
}

for source; do
  [ -f "$source" ] || { echo "prove: $source: no such source; there are: $all" >&2; failed=1; continue; }
  check_honest "$source" && prove "$source" || failed=1
done
# New answers, those of goals that are open left out. If everything was looked at and is proved, no other ones are needed.
if ls -d "$work"/*/cache >/dev/null 2>&1; then
  ./answers.sh pack "$work"/*/cache >"$work/new" || exit 70
  [ $failed -eq 0 ] && [ "$*" = "$all" ] && [ "$(ls -d "$work"/*/cache | wc -l)" -eq $# ] || cat answers >>"$work/new"
  sort -u -k 1,1 "$work/new" >answers || exit 70
fi
exit $failed
