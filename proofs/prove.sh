#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Proves every function of proofs/functions.list with Frama-C/WP (contracts, no run-time errors,
# smoke tests) and checks that list, contracts and goal counts agree.
#
#   proofs/prove.sh            replay the committed prover answers (proofs/cache); runs no prover
#   proofs/prove.sh --changed [FUNCTION]
#                              replay, and run CVC4 on the goals without an answer, of all functions
#                              or of one; changes nothing
#   proofs/prove.sh --fresh    run CVC4 on every goal and replace proofs/cache by what it answered
#
# PROVE_SECONDS is the time limit for one goal (default 10; the slowest takes 0.5).
# Writes only below $BUILD (default build) and, with --fresh, proofs/cache. Exits with 0 if all is
# proved, 1 if not, 64 for a wrong command line, 69 if a tool is missing.
set -u
cd "$(dirname "$0")/.." || exit 70
mode=${1:-offline}
case $mode in
offline) cache=offline ;;
--changed) cache=replay ;;
--fresh) cache=update ;;
*) echo "usage: proofs/prove.sh [--changed [FUNCTION] | --fresh]" >&2; exit 64 ;;
esac
only=${2:-}

seconds=${PROVE_SECONDS:-10}

missing=
for tool in frama-c why3 cvc4 gcc; do
  command -v "$tool" >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
  echo "prove: missing:$missing (Debian packages frama-c-base, why3, cvc4, gcc)" >&2
  exit 69
fi

mkdir -p "${BUILD:-build}/prove" && work=$(cd "${BUILD:-build}/prove" && pwd) || exit 70
work=$work/$$
rm -rf "$work" && mkdir "$work" "$work/cache" || exit 70
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Why3 keeps what it knows about provers in a file; ours is private and made anew each time.
export HOME="$work" WHY3CONFIG="$work/why3.conf"
if ! why3 config detect >"$work/detect" 2>&1 || ! grep -q 'name = "CVC4"' "$WHY3CONFIG"; then
  cat "$work/detect" >&2
  echo "prove: why3 does not find CVC4" >&2
  exit 69
fi

failures=0
fail() {
  echo "prove: $*" >&2
  failures=$((failures + 1))
}

# The list: SOURCE FUNCTION GOALS.
grep -v -e '^#' -e '^ *$' proofs/functions.list >"$work/list" || fail "proofs/functions.list is empty"
cut -d' ' -f2 "$work/list" | sort >"$work/listed"
[ -z "$(uniq -d "$work/listed")" ] || fail "listed twice: $(uniq -d "$work/listed" | tr '\n' ' ')"
sources=$(cut -d' ' -f1 "$work/list" | sort -u)
if [ -n "$only" ]; then
  sources=$(awk -v f="$only" '$2 == f { print $1 }' "$work/list")
  [ -n "$sources" ] || fail "$only: not listed in proofs/functions.list"
fi

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
  }' measure/core/*.h proofs/logic/*.acsl $sources | sort -u >"$work/contracted"
for name in $(comm -13 "$work/contracted" "$work/listed"); do
  fail "$name: listed in proofs/functions.list, but has no contract"
done
for name in $(comm -23 "$work/contracted" "$work/listed"); do
  fail "$name: has a contract, but is not listed in proofs/functions.list"
done

# What would make a proof worthless.
for file in $sources proofs/logic/*.acsl; do
  loops=$(grep -cE '^ *(\} *)?(for|while) *\(|^ *do \{' "$file")
  variants=$(grep -c 'loop variant ' "$file")
  [ "$loops" -eq "$variants" ] || fail "$file: $loops loops, but $variants loop variants"
  if grep -nwE 'axiomatic|axiom [A-Za-z_]+ *[:{]|admit' "$file" >&2; then
    fail "$file: assumes what it should prove"
  fi
done

finish() {
  if [ "$failures" -ne 0 ]; then
    echo "prove: $failures failures" >&2
    exit 1
  fi
}
finish

cat >"$work/report" <<'EOF'
@FUNCTION
counted %function %total %valid
@END
EOF
answers=proofs/cache
[ "$mode" != --fresh ] || answers=$work/cache
# Replaying waits rather than works: WP polls, so many tasks at once are done sooner.
case $mode in
offline) tasks=32 ;;
--changed) tasks=8 ;;
*) tasks=$(nproc) ;;
esac
[ -d "$answers" ] || fail "$answers is missing; make it with proofs/prove.sh --fresh"

for source in $sources; do
  log=$work/log
  frama-c -no-autoload-plugins -load-module wp,rtegen -cpp-extra-args=-I. -machdep gcc_x86_64 \
    -wp -wp-rte -warn-unsigned-overflow -wp-smoke-tests -wp-prover cvc4 -wp-timeout "$seconds" \
    -wp-smoke-timeout 2 -wp-par "$tasks" -wp-session "$work/session" -wp-cache "$cache" \
    -wp-cache-dir "$answers" -wp-report "$work/report" ${only:+-wp-fct "$only"} "$source" >"$log" 2>&1 ||
    fail "$source: frama-c failed"
  if grep -E 'Warning|Error|Missing|aborted' "$log" >&2; then
    fail "$source: frama-c complains"
  fi
  # Without an answer a smoke test would pass.
  if [ "$mode" = offline ] && ! grep -qE '^\[wp\] \[Cache\] found:[0-9]+ *$' "$log"; then
    fail "$source: goals without an answer in proofs/cache; see proofs/prove.sh --changed, --fresh"
  fi
  # Anything that is neither valid nor a smoke test that passed.
  sed -n -E '/^\[wp\] (\[[^]]*\] )*(Goal|Smoke-test) /p' "$log" |
    grep -vE '\] Goal .* : Valid|^\[wp\] \[Passed\] Smoke-test ' >"$work/open"
  while read -r line; do
    fail "$source: not proved: ${line#\[wp\] }"
  done <"$work/open"
  proved=$(sed -n -E 's|^\[wp\] Proved goals: *([0-9]+) / *([0-9]+)$|\1 \2|p' "$log")
  [ -n "$proved" ] && [ "${proved% *}" = "${proved#* }" ] ||
    fail "$source: proved ${proved% *} of ${proved#* } goals"

  grep '^counted ' "$log" | sort >"$work/counted"
  sed -n 's/^\[rte:annot\] annotating function //p' "$log" | sort -u >"$work/defined"
  grep "^$source " "$work/list" | cut -d' ' -f2 | grep -x "${only:-.*}" | sort \
    >"$work/expected"
  for name in $(comm -23 "$work/defined" "$work/expected"); do
    fail "$source: $name is not listed in proofs/functions.list"
  done
  for name in $(comm -13 "$work/defined" "$work/expected"); do
    fail "$source: $name is listed in proofs/functions.list, but nothing is proved about it"
  done
  while read -r _ name total valid; do
    want=$(awk -v s="$source" -v f="$name" '$1 == s && $2 == f { print $3 }' "$work/list")
    [ "$total" = "$valid" ] || fail "$source: $name: proved $valid of $total goals"
    [ -z "$want" ] || [ "$total" = "$want" ] ||
      fail "$source: $name has $total goals, but proofs/functions.list says $want"
    printf '%-22s %-30s %4s goals\n' "$source" "$name" "$valid"
  done <"$work/counted"
  cat "$work/counted" >>"$work/all"
  grep -E '^  (Qed|CVC4)' "$log" | sed 's/^  /prove: /'
done

finish
if [ "$mode" = --fresh ]; then
  rm -rf proofs/cache && cp -r "$work/cache" proofs/cache || exit 70
fi
awk '{ goals += $4; functions++ }
  END { print "prove: all " goals " goals of " functions " functions proved" }' "$work/all"
