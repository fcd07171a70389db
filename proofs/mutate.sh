#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# Whether the proofs notice wrong code: each comparison of the core is flipped (< to <=, == to !=), each constant is made one
# larger, each operator becomes another (+ and -, && and ||, ++ and --, ! none), and each assignment and call that is a
# statement is left out, one at a time, in a copy, and the proof of the function concerned is tried. Prints a table of the
# mutants: caught, and by which goal, or survived.
#
#   proofs/mutate.sh [--sample N] [SOURCE | FUNCTION]...   N mutants, evenly spread; of these only
#   proofs/mutate.sh --slips [--sample N] ...              only operators and statements
#   proofs/mutate.sh --list [SOURCE | FUNCTION]...         the mutants alone: source, function, line, column, old, new (of a
#                                                          statement that is left out with ~ for each blank)
#
# A mutant that does not compile is not counted. One is caught when CVC4 does not prove a goal (or a
# smoke test does not pass) of its function within PROVE_SECONDS (default 3) of processor time, however
# busy the machine is; another number of goals, all proved, is not enough. So a mutant that means the
# same as the original survives, unless the prover needs longer for it. proofs/mutants.md lists survivors.
# Exits with 0 if at least 90 % are caught, 1 if not, 64 for a wrong command line, 69 if a tool is
# missing. Writes only below $BUILD (default build).
set -u
cd "$(dirname "$0")/.." || exit 70
self=$PWD/proofs/mutate.sh
usage() {
  echo "usage: proofs/mutate.sh [--list] [--slips] [--sample N] [SOURCE | FUNCTION]..." >&2
  exit 64
}

# mutants SOURCE: lines "SOURCE FUNCTION LINE COLUMN OLD NEW" (no blanks in OLD and NEW), of the functions
# in proofs/functions.list. Comments, annotations, strings and the preprocessor's lines are skipped. A
# function ends with a } in the first column.
mutants() {
  awk -v source="$1" -v slips="$slips" '
    function emit(from, old, new) {
      if (body && !slips) print source, name, FNR, from, old, new
    }
    function slip(from, old, new) {
      if (body) print source, name, FNR, from, old, new
    }
    # A line that is an assignment, ++ or -- of a place, or a call.
    function statement(line, from) {
      if (line !~ /^ *[a-z_][A-Za-z_0-9>.*\[\]-]* ([-+*\/%&|^]|<<|>>)?= .*;$/ && line !~ /^ *\*?[a-z_][A-Za-z_0-9>.\[\]-]*(\+\+|--);$/ &&
          line !~ /^ *[a-z_0-9]+\(.*\);$/)
        return
      if (line ~ /[~"\047\\]|\/[*\/]/ || line ~ /^ *(return|if|for|while|switch|sizeof)[ (]/) return
      match(line, /[^ ]/)
      from = RSTART
      line = substr(line, from)
      gsub(/ /, "~", line)
      slip(from, line, ";")
    }
    NR == FNR { if ($1 == source) listed[$2]; next }
    FNR == 1 { comment = body = 0; name = "" }
    /^#/ { next }
    {
      text = $0
      at = 1
      if (!comment && !body && match(text, /^[a-z].*[a-z_0-9]+\(/)) {
        name = substr(text, 1, index(text, "(") - 1)
        sub(/.*[ *]/, "", name)
      }
      if (!comment) statement(text)
      while (at <= length(text)) {
        rest = substr(text, at)
        if (comment) {
          end = index(rest, "*/")
          if (!end) break
          at += end + 1
          comment = 0
        } else if (rest ~ /^\/\*/) {
          comment = 1
          at += 2
        } else if (rest ~ /^\/\//) {
          break
        } else if (match(rest, /^"([^"\\]|\\.)*"/)) {
          at += RLENGTH
        } else if (match(rest, /^\047([^\047\\]|\\.)\047/)) {
          old = substr(rest, 1, RLENGTH)
          emit(at, old, "(" old "+1)")
          at += RLENGTH
        } else if (match(rest, /^(->|<<|>>|<=|>=|==|!=|&&|\|\||\+\+|--|\+=|-=)/)) {
          old = substr(rest, 1, 2)
          if (old in flipped) emit(at, old, flipped[old])
          if (old in other) slip(at, old, other[old])
          at += 2
        } else if (match(rest, /^![a-z(]/)) {
          slip(at, "!", "!!")
          at++
        } else if (match(rest, /^[-+*\/%] /) && substr(text, 1, at - 1) ~ /[A-Za-z_0-9)\]] $/) {
          old = substr(rest, 1, 1)
          slip(at, old, other[old])
          at++
        } else if (match(rest, /^[<>]/)) {
          old = substr(rest, 1, 1)
          emit(at, old, flipped[old])
          at++
        } else if (match(rest, /^[A-Za-z_][A-Za-z_0-9]*/)) {
          old = substr(rest, 1, RLENGTH)
          if (old ~ /^[A-Z][A-Z_0-9]+$/) emit(at, old, "(" old "+1)")
          at += RLENGTH
        } else if (match(rest, /^[0-9][0-9A-Za-z]*/)) {
          old = substr(rest, 1, RLENGTH)
          emit(at, old, "(" old "+1)")
          at += RLENGTH
        } else {
          if (substr(rest, 1, 1) == "{" && !body && name in listed) body = 1
          at++
        }
      }
      if (text ~ /^}/) { body = 0; name = "" }
    }
    BEGIN {
      flipped["<"] = "<="; flipped["<="] = "<"; flipped[">"] = ">="; flipped[">="] = ">"
      flipped["=="] = "!="; flipped["!="] = "=="
      other["+"] = "-"; other["-"] = "+"; other["*"] = "+"; other["/"] = "*"; other["%"] = "/"
      other["&&"] = "||"; other["||"] = "&&"; other["++"] = "--"; other["--"] = "++"; other["+="] = "-="; other["-="] = "+="
    }
  ' proofs/functions.list "$1"
}

# judge NUMBER SOURCE FUNCTION LINE COLUMN OLD NEW: one line for the table, in a copy of its own.
judge() {
  copy=$MUTATE_WORK/copy.$1
  cp -r "$MUTATE_WORK/original" "$copy" && cd "$copy" || exit 70
  awk -v line="$4" -v column="$5" -v old="$6" -v new="$7" '
    NR == line { $0 = substr($0, 1, column - 1) new substr($0, column + length(old)) }
    { print }' "$2" >changed && cp changed "$2" || exit 70
  verdict=uncounted goal=
  if gcc -std=c11 -I. -fsyntax-only "$2" 2>/dev/null; then
    PROVE_SECONDS=${PROVE_SECONDS:-3} BUILD=${MUTATE_WORK%/*} proofs/prove.sh --refute "$3" >log 2>&1
    status=$?
    goal=$(sed -n -E 's/^prove: .* not proved: .*(Goal|Smoke-test) ([A-Za-z0-9_]+).*/\2/p' log)
    if [ -n "$goal" ]; then
      verdict=caught
    elif grep -q 'frama-c failed' log; then
      goal="refused by Frama-C"
    elif [ $status -ne 0 ]; then
      verdict=failed goal=$(head -n 1 log)
    else
      verdict=survived
    fi
  fi
  cd / && rm -rf "$copy"
  printf '%-9s %-26s %-22s %4s:%-3s %-24s %-28s %s\n' \
    "$verdict" "$2" "$3" "$4" "$5" "$6" "$7" "$goal" | sed 's/ *$//' >"$MUTATE_WORK/verdict.$1"
  echo "mutate: $(ls "$MUTATE_WORK" | grep -c '^verdict') of $MUTATE_TOTAL judged" >&2
}

if [ "${1:-}" = --judge ]; then
  shift
  judge "$@"
  exit 0
fi

sample=0 list= slips=
while :; do
  case ${1:-} in
  --sample)
    case ${2:-} in '' | *[!0-9]*) usage ;; esac
    sample=$2
    shift 2
    ;;
  --list) list=1 && shift ;;
  --slips) slips=1 && shift ;;
  *) break ;;
  esac
done
for name; do
  case $name in -*) usage ;; esac
  grep -qE "^$name |^[^#]* $name " proofs/functions.list || { echo "mutate: $name: not listed in proofs/functions.list" >&2; exit 64; }
done
for tool in frama-c why3 cvc4 gcc; do
  [ -n "$list" ] || command -v "$tool" >/dev/null || { echo "mutate: missing: $tool (see proofs/prove.sh)" >&2; exit 69; }
done

mkdir -p "${BUILD:-build}" && MUTATE_WORK=$(mktemp -d "$(cd "${BUILD:-build}" && pwd)/mutate.XXXXXX") || exit 70
export MUTATE_WORK
# A copy of the core as it is now; the answers of the prover are unpacked once, below $BUILD.
mkdir -p "$MUTATE_WORK/original/measure" "$MUTATE_WORK/original/proofs" || exit 70
cp -r measure/core measure/throughput "$MUTATE_WORK/original/measure" && cp -r steps "$MUTATE_WORK/original" || exit 70
cp -r proofs/logic proofs/laws proofs/*.sh proofs/functions.list proofs/answers "$MUTATE_WORK/original/proofs" || exit 70
trap 'rm -rf "$MUTATE_WORK"' EXIT
trap 'exit 130' INT TERM

for source in $(grep -E '^(measure|steps)/' proofs/functions.list | cut -d' ' -f1 | sort -u); do # not proofs/laws/
  mutants "$source"
done | awk -v names=" $* " 'names == "  " || index(names, " " $2 " ") || index(names, " " $1 " ")' >"$MUTATE_WORK/all"
if [ -n "$list" ]; then
  cat "$MUTATE_WORK/all"
  exit 0
fi
awk -v n="$sample" 'NR == FNR { total++; next }
  n == 0 || n >= total || int(FNR * n / total) > int((FNR - 1) * n / total) { print ++number, $0 }' \
  "$MUTATE_WORK/all" "$MUTATE_WORK/all" >"$MUTATE_WORK/chosen"
MUTATE_TOTAL=$(wc -l <"$MUTATE_WORK/chosen")
export MUTATE_TOTAL
sed "s/'/\\\\'/g" "$MUTATE_WORK/chosen" | xargs -P "$(nproc)" -L 1 "$self" --judge || exit 70

cat $(ls "$MUTATE_WORK"/verdict.* | sort -t. -k3n) /dev/null
cat "$MUTATE_WORK"/verdict.* /dev/null | awk '
  { verdicts[$1]++ }
  END {
    counted = verdicts["caught"] + verdicts["survived"] + verdicts["failed"]
    printf "mutate: %d of %d mutants caught, %.1f %%; %d survived, %d do not compile\n", verdicts["caught"],
      counted, counted ? 100 * verdicts["caught"] / counted : 0, verdicts["survived"], verdicts["uncounted"]
    exit !(counted > 0 && 10 * verdicts["caught"] >= 9 * counted && verdicts["failed"] == 0)
  }'
