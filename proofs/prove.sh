#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Proves every function of proofs/functions.list with Frama-C/WP (contracts, no run-time errors,
# smoke tests) and checks that list, contracts and goal counts agree, and that what is proved is what
# is compiled. The functions of proofs/laws/ are not compiled: they say what several functions do
# together, such as that decoding undoes encoding.
#
#   proofs/prove.sh            replay the committed prover answers (proofs/answers); runs no prover, and of sources
#                              that are as they were when they were replayed last nothing
#   proofs/prove.sh --source SOURCE
#                              the same for one source file
#   proofs/prove.sh --changed [FUNCTION]
#                              replay, and run CVC4 on the goals without an answer, of all functions
#                              or of one; changes nothing
#   proofs/prove.sh --update [FUNCTION]
#                              the same, and keep CVC4's answers in proofs/answers; of all functions: without
#                              those for which no goal asks any more
#   proofs/prove.sh --fresh    run CVC4 on every goal and replace proofs/answers by what it answered
#   proofs/prove.sh --refute FUNCTION
#                              name one goal of the function that CVC4 does not prove, and stop there;
#                              smoke tests come last. For proofs/mutate.sh.
#
# PROVE_SECONDS is the time limit for one goal (default 10; the slowest takes under 3); with --refute
# of processor time, so that a busy machine refutes nothing.
# Writes only below $BUILD (default build) and, with --update and --fresh, proofs/answers and the times
# in proofs/functions.list. Exits with 0 if all is proved, 1 if not, 64 for a wrong command line, 69
# if a tool is missing.
set -u
cd "$(dirname "$0")/.." || exit 70
mode=${1:-offline}
only=${2:-} source_only=
case $mode in
offline) only= ;;
--source) mode=offline source_only=$only only= ;;
--changed | --update | --fresh | --refute) ;;
*) echo "usage: proofs/prove.sh [--source SOURCE | --changed [FUNCTION] | --update [FUNCTION] | --fresh | --refute FUNCTION]" >&2; exit 64 ;;
esac

seconds=${PROVE_SECONDS:-10}

missing=
for tool in frama-c why3 cvc4 gcc python3; do
  command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
  echo "prove: missing:$missing (Debian packages frama-c-base, why3, cvc4, gcc, python3)" >&2
  exit 69
fi

mkdir -p "${BUILD:-build}/prove" && work=$(cd "${BUILD:-build}/prove" && pwd) || exit 70
work=$work/$$
rm -rf "$work" && mkdir "$work" || exit 70
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Why3 keeps what it knows about provers in a file; ours is private and made anew each time.
export HOME="$work" WHY3CONFIG="$work/why3.conf"
if [ "$mode" = --refute ]; then
  mkdir "$work/bin" || exit 70
  printf '#!/bin/sh\nulimit -t %s\nexec "%s" "$@"\n' "$seconds" "$(command -v cvc4)" >"$work/bin/cvc4"
  chmod +x "$work/bin/cvc4" && PATH=$work/bin:$PATH
fi
if ! why3 config detect >"$work/detect" 2>&1 || ! grep -q 'name = "CVC4"' "$WHY3CONFIG"; then
  cat "$work/detect" >&2
  echo "prove: why3 does not find CVC4" >&2
  exit 69
fi

fail() {
  echo "prove: $*" >&2
  echo "$*" >>"$work/failures"
  failed=yes
}

# The list: SOURCE FUNCTION GOALS SECONDS.
grep -v -e '^#' -e '^ *$' proofs/functions.list >"$work/list" || fail "proofs/functions.list is empty"
cut -d' ' -f2 "$work/list" | sort >"$work/listed"
[ -z "$(uniq -d "$work/listed")" ] || fail "listed twice: $(uniq -d "$work/listed" | tr '\n' ' ')"
sources=$(cut -d' ' -f1 "$work/list" | sort -u)
listed_sources=$sources
if [ -n "$source_only" ]; then
  if ! echo "$sources" | grep -qx "$source_only"; then
    echo "prove: $source_only: not listed in proofs/functions.list" >&2
    exit 64
  fi
  sources=$source_only
fi
if [ -n "$only" ] || [ "$mode" = --refute ]; then
  sources=$(awk -v f="$only" '$2 == f { print $1 }' "$work/list")
  [ -n "$sources" ] || fail "$only: not listed in proofs/functions.list"
fi

# List and contracts agree, and nothing would make a proof worthless.
check_list() {
  # A contract is an annotation followed by the line that names its function.
  awk '
    FNR == 1 { after = inside = 0 }
    !inside && /^ *\/(\*)?@ / && !/ghost *$/ { inside = 1; contract = 0 }
    inside && /(requires|assigns|ensures) / && !/loop (assigns|invariant)/ { contract = 1 }
    inside && /(\*\/|@\/) *$/ { inside = 0; after = contract; next }
    !inside && after && /[a-z_0-9]+\(/ {
      match($0, /[A-Za-z_][A-Za-z_0-9]* *\(/)
      name = substr($0, RSTART, RLENGTH - 1)
      if (name !~ /^(for|while|if) *$/) print name
      after = 0
    }' measure/core/*.h measure/throughput/core/*.h steps/*.h proofs/logic/*.acsl $listed_sources | sort -u >"$work/contracted"
  for name in $(comm -13 "$work/contracted" "$work/listed"); do
    fail "$name: listed in proofs/functions.list, but has no contract"
  done
  for name in $(comm -23 "$work/contracted" "$work/listed"); do
    fail "$name: has a contract, but is not listed in proofs/functions.list"
  done
  # Frama-C asks for no variant of a loop whose function it takes to end.
  for file in $sources steps/*.h proofs/logic/*.acsl; do
    loops=$(grep -cE '^ *(\} *)?(for|while) *\(|^ *do \{' "$file")
    variants=$(grep -c 'loop variant ' "$file")
    [ "$loops" -eq "$variants" ] || fail "$file: $loops loops, but $variants loop variants"
  done
}

# What WP would prove although it is wrong. Of the sources, and of all that they include with quotes.
check_rules() {
  # The variables that begin without a value: WP does not look whether they are written before they are read. predict_saved
  # writes both where it answers 1; of `levels` the loop before writes what the loop behind reads.
  unwritten="--unwritten saved_ns --unwritten more_ps --unwritten levels"
  # shellcheck disable=SC2046,SC2086
  python3 -B steps/folder/tp_rules.py --from . $unwritten $(printf -- '--with %s ' $listed_sources) $sources >"$work/rules"
  status=$?
  while read -r line; do
    fail "$line"
  done <"$work/rules"
  [ $status -eq 0 ] || [ -s "$work/rules" ] || fail "steps/folder/tp_rules.py failed"
}
finish() {
  if [ -s "$work/failures" ]; then
    echo "prove: $(wc -l <"$work/failures") failures" >&2
    exit 1
  fi
}
[ "$mode" = --refute ] || { check_list; check_rules; }
finish

# each COMMAND: runs it for every source, as many at once as there are processors, those with most goals
# first (what they print comes in the order of the list).
each() {
  by_goals=$(awk -v sources=" $(echo $sources) " 'index(sources, " " $1 " ") { goals[$1] += $3 }
    END { for (source in goals) print goals[source], source }' "$work/list" | sort -rn | cut -d' ' -f2)
  for lane in $(seq "$(nproc)"); do
    for source in $by_goals; do
      place=$work/$1.$(echo "$source" | tr / _)
      ended=$place.done # the function may name other places
      mkdir "$place" 2>/dev/null && { "$1" "$source"; echo >"$ended"; } >"$place/out"
    done &
  done
  wait
  for source in $sources; do
    place=$work/$1.$(echo "$source" | tr / _)
    cat "$place/out" && [ -f "$place.done" ] || fail "$source: $1 did not end"
  done
}

compiler="gcc -E -std=c11 -O2 -pthread -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -I." # as in the Makefile

# own_of SOURCE: the tokens of that file alone.
own_of() {
  awk -v only="\"$1\"" '/^# [0-9]+ "/ { sub(/"\.\//, "\"", $3); on = $3 == only; next } on' | tr -s ' \t\n' ' ' | grep -oE '[A-Za-z_0-9.]+|[^A-Za-z_0-9. ]'
}

# own FILE: the tokens outside of system headers, one a line, as `gcc -E` leaves them. The two C
# libraries write the limits of integer types with other suffixes and brackets.
own() {
  awk '
    /^# [0-9]+ "/ { file = $3; gsub(/"/, "", file); next }
    file !~ /^[\/<]/ { gsub(/[^A-Za-z_0-9.]/, " & "); print }' "$1" | tr -s ' \t\n' ' ' |
    sed -E 's/\b([0-9]+U?)LL?\b/\1/g; s/\( ([0-9]+U?) \)/\1/g' | tr ' ' '\n'
}

# What the compiler reads of the source is what Frama-C reads, but for comments. (That there is only one reading of it,
# whatever macros there are, check_rules looks at.)
check_same_code() {
  source=$1 place=$work/same.$(echo "$1" | tr / _)
  $reader "$source" >"$place.prover.i" && own "$place.prover.i" >"$place.prover"
  $compiler "$source" >"$place.compiler.i" && own "$place.compiler.i" >"$place.compiler"
  if [ ! -s "$place.compiler" ] || ! diff "$place.compiler" "$place.prover" >"$place.diff" 2>&1; then
    head -n 10 "$place.diff" >&2
    fail "$source: the compiler and Frama-C do not read the same code"
  fi
  # a second declaration could bring a contract that nobody proves
  gcc -std=c11 -I. -fsyntax-only -Werror=redundant-decls "$source" >&2 || fail "$source: does not compile alone"
  # where a proved source is compiled once more, into another, it may be renamed and nothing else
  for whole in $(grep -rlF "#include \"$source\"" --include='*.[ch]' measure steps); do
    $compiler "$source" | own_of "$source" >"$place.alone"
    $compiler "$whole" | own_of "$source" | sed -E "$(sed -n -E \
      's/^#define ([a-z_0-9]+) ([a-z_0-9]+)$/s,^\2$,\1,/p' "$whole")" | diff "$place.alone" - >"$place.diff" ||
      { head -n 10 "$place.diff" >&2; fail "$whole: has other code of $source than what is proved"; }
  done
}
if [ "$mode" != --refute ]; then
  # How Frama-C reads a source; it names no source, so one start is enough for all.
  reader=$(frama-c -no-autoload-plugins -cpp-extra-args=-I. -machdep gcc_x86_64 -print-cpp-commands \
    "$(echo "$sources" | head -n 1)" |
    sed -n -E 's/^ +(gcc -E) -C (.*) -dD (.*) .[^ ]+ -o [^ ]+$/\1 \2 \3/p')
  [ -n "$reader" ] || fail "cannot tell how Frama-C reads sources"
  finish
  each check_same_code
fi
finish

cat >"$work/report" <<'EOF'
@FUNCTION
counted %function %total %valid
@END
EOF
# WP wants a folder of answers: proofs/answers is unpacked, unless the file is the one unpacked last.
answers=
answers_unpack() {
  if [ ! -s proofs/answers ]; then
    fail "proofs/answers is missing; run proofs/prove.sh --fresh"
    return
  fi
  answers=${work%/*}/answers.$(md5sum proofs/answers | cut -c1-32)
  [ ! -d "$answers" ] || return
  for old in "${work%/*}"/answers.*; do
    [ "$old" = "$answers" ] || rm -rf "$old"
  done
  mkdir "$work/answers" || exit 70
  proofs/answers.sh unpack proofs/answers "$work/answers" || { fail "proofs/answers cannot be read"; return; }
  mv -T "$work/answers" "$answers" 2>/dev/null || [ -d "$answers" ] || exit 70 # another run may have been faster
}
[ "$mode" = --fresh ] || answers_unpack
finish

# Replaying waits rather than works: WP polls, so many tasks at once are done sooner.
case $mode in
offline) tasks=32 ;;
--changed) tasks=8 ;;
--refute) tasks=1 seconds=300 ;; # processor time is limited, not time
*) tasks=$(nproc) ;;
esac

# cache_choose: sets the options on answers, $cache. With --update and --fresh, WP works on a folder of the source's own
# and deletes there what no goal asked for, but of one function (--update FUNCTION) nothing.
cache_choose() {
  case $mode in
  offline) cache="-wp-cache offline -wp-cache-dir $answers" ;;
  --changed | --refute) cache="-wp-cache replay -wp-cache-dir $answers" ;;
  *)
    if [ -n "$only" ]; then cache="-wp-cache update"; else cache="-wp-cache cleanup"; fi
    mkdir -p "$here/session/cache" || exit 70
    [ "$mode" = --fresh ] || cp "$answers"/*.json "$here/session/cache" || exit 70
    ;;
  esac
}

# frama_c SOURCE [SMOKE [SETSID]]: WP's report on it, with smoke tests unless SMOKE says otherwise.
frama_c() {
  cache_choose
  ${3:+exec} env OCAMLRUNPARAM=s=1M,o=400 ${3:-} frama-c -no-autoload-plugins -load-module wp,rtegen -cpp-extra-args=-I. \
    -machdep gcc_x86_64 -wp -wp-rte -warn-unsigned-overflow ${2--wp-smoke-tests} -wp-prover cvc4 \
    -wp-definitions-terminate -wp-declarations-terminate -wp-frama-c-stdlib-terminate \
    -wp-timeout "$seconds" -wp-smoke-timeout 2 -wp-par "$tasks" -wp-session "$here/session" \
    $cache -wp-report "$work/report" \
    ${only:+-wp-fct "$only"} "$1" 2>&1
}

# open_goals LOG: anything that is neither valid nor a smoke test that passed.
open_goals() {
  sed -n -E '/^\[wp\] (\[[^]]*\] )*(Goal|Smoke-test) /p' "$1" |
    grep -vE '\] Goal .* : Valid|^\[wp\] \[Passed\] Smoke-test '
}

# refute SOURCE: exits, with 1 and the goal when there is one that is not proved.
refute() {
  here=$work/refute
  for smoke in -wp-no-smoke-tests -wp-smoke-tests; do
    rm -rf "$here" && mkdir "$here" || exit 70
    frama_c "$1" $smoke setsid >"$here/log" &
    group=$!
    trap 'kill -KILL -- -$group; exit 130' INT TERM
    while kill -0 $group 2>/dev/null && ! open_goals "$here/log" >"$here/open"; do
      sleep 0.2
    done
    kill -KILL -- -$group 2>/dev/null
    wait $group
    if open_goals "$here/log" >"$here/open"; then
      fail "$1: not proved: $(sed -n '1s/^\[wp\] //p' "$here/open")"
      exit 1
    fi
    grep -q '^counted ' "$here/log" || { fail "$1: frama-c failed"; exit 1; }
  done
  echo "prove: all goals of $only proved"
  exit 0
}
[ "$mode" != --refute ] || refute "$sources"

# Lines "FUNCTION TOTAL SLOWEST" in $1: seconds of the prover on the goals it proved, from the log
# $2. Smoke tests, which are to run out of time, do not count.
prover_times() {
  awk '
    FNR == NR { names[$2]; next }
    /^\[wp\] \[CVC4 [^]]*\] Goal typed_.* : Valid / {
      goal = substr($5, 7); owner = ""
      for (name in names)
        if (index(goal, name "_") == 1 && length(name) > length(owner)) owner = name
      rest = $0
      while (match(rest, /\([0-9.]+(ms|s)\)/)) {
        text = substr(rest, RSTART + 1, RLENGTH - 2)
        rest = substr(rest, RSTART + RLENGTH)
        took = text ~ /ms$/ ? text / 1000 : text + 0
      }
      total[owner] += took
      if (took > slowest[owner]) slowest[owner] = took
    }
    END { for (name in names) printf "%s %.1f %.2f\n", name, total[name], slowest[name] }
  ' "$1" "$2"
}

# replay_source SOURCE: prove_source, unless the same was replayed before: what Frama-C reads of the source, the
# answers, its functions in the list, the tools and this script are what they were when everything about it was proved.
replay_source() {
  memory=${work%/*}/replayed/$(echo "$1" | tr / _)
  {
    echo "$versions"
    grep "^$1 " "$work/list"
    cat proofs/prove.sh proofs/answers $(gcc -MM -I. "$1" | tr -d '\\' | tr ' ' '\n' | grep -E '\.(c|h|acsl)$')
  } | md5sum >"$work/digest.$$.$(echo "$1" | tr / _)"
  digest=$(cut -c1-32 <"$work/digest.$$.$(echo "$1" | tr / _)")
  here=$work/$(echo "$1" | tr / _)
  if [ -f "$memory/$digest/said" ]; then
    mkdir "$here" && cp "$memory/$digest/counted" "$here" || exit 70
    cat "$memory/$digest/said"
    return
  fi
  failed=
  prove_source "$1" >"$here.said"
  cat "$here.said"
  [ -z "$failed" ] || return
  rm -rf "$memory" && mkdir -p "$memory/$$" && cp "$here/counted" "$memory/$$" && cp "$here.said" "$memory/$$/said" &&
    mv "$memory/$$" "$memory/$digest"
}

# prove_source SOURCE: holds what is proved about its functions against the list.
prove_source() {
  source=$1
  here=$work/$(echo "$source" | tr / _)
  mkdir "$here" || exit 70
  frama_c "$source" >"$here/log" || fail "$source: frama-c failed"
  sed -i "/Warning: \$/{N;s/\n *//}; /populates 'terminates .true'/d" "$here/log" # a contract without the clause says that, too
  if grep -E 'Warning|Error|Missing|aborted' "$here/log" >&2; then
    fail "$source: frama-c complains"
  fi
  # Without an answer a smoke test would pass.
  if [ "$mode" = offline ] && ! grep -qE '^\[wp\] \[Cache\] found:[0-9]+ *$' "$here/log"; then
    fail "$source: $(sed -n -E 's/^\[wp\] \[Cache\].*failed:([0-9]+).*/\1 /p' "$here/log")goals without an answer in" \
      "proofs/answers: run proofs/prove.sh --update and commit proofs/answers"
  fi
  open_goals "$here/log" >"$here/open"
  while read -r line; do
    fail "$source: not proved: ${line#\[wp\] }"
  done <"$here/open"
  proved=$(sed -n -E 's|^\[wp\] Proved goals: *([0-9]+) / *([0-9]+)$|\1 \2|p' "$here/log")
  [ -n "$proved" ] && [ "${proved% *}" = "${proved#* }" ] ||
    fail "$source: proved ${proved% *} of ${proved#* } goals"

  grep '^counted ' "$here/log" | sort >"$here/counted"
  sed -n 's/^\[rte:annot\] annotating function //p' "$here/log" | sort -u >"$here/defined"
  grep "^$source " "$work/list" | cut -d' ' -f2 | grep -x "${only:-.*}" | sort \
    >"$here/expected"
  for name in $(comm -23 "$here/defined" "$here/expected"); do
    fail "$source: $name is not listed in proofs/functions.list"
  done
  for name in $(comm -13 "$here/defined" "$here/expected"); do
    fail "$source: $name is listed in proofs/functions.list, but nothing is proved about it"
  done
  prover_times "$here/counted" "$here/log" >"$here/times"
  while read -r _ name total valid; do
    want=$(awk -v s="$source" -v f="$name" '$1 == s && $2 == f { print $3 }' "$work/list")
    [ "$total" = "$valid" ] || fail "$source: $name: proved $valid of $total goals"
    [ -z "$want" ] || [ "$total" = "$want" ] ||
      fail "$source: $name has $total goals, but proofs/functions.list says $want"
    awk -v s="$source" -v f="$name" -v g="$valid" '$1 == f {
      printf "%-24s %-27s %3s goals, %5s s of CVC4, slowest %s s\n", s, f, g, $2, $3 }' \
      "$here/times"
  done <"$here/counted"
  grep -E '^  (Qed|CVC4)' "$here/log" | sed 's/^  /prove: /'
}

# A replay computes, each source in one process; in the other modes the work is that of the provers.
if [ "$mode" = offline ]; then
  versions=$(frama-c -version; why3 --version; cvc4 --version | head -n 1)
  each replay_source
else
  for source in $sources; do
    prove_source "$source"
  done
fi

finish
# An unfinished run leaves proofs/answers as it is.
if [ "$mode" = --update ] || [ "$mode" = --fresh ]; then
  proofs/answers.sh pack "$work"/*/session/cache >"$work/packed" || exit 70
  cat "$work"/*/times | awk '
    FNR == NR { times[$1] = $2; next }
    $2 in times && /^[^#]/ { $4 = times[$2] }
    { print }' - proofs/functions.list >"$work/list" && cat "$work/list" >proofs/functions.list &&
    cat "$work/packed" >proofs/answers || exit 70
fi
cat "$work"/*/counted 2>/dev/null | awk '{ goals += $4; functions++ }
  END { print "prove: all " goals + 0 " goals of " functions + 0 " functions proved" }'
