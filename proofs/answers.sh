#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# The prover's answers are kept in one text file, proofs/answers, a line for each:
#
#   DIGEST PROVER VERDICT [SECONDS [STEPS]]
#
# DIGEST is WP's name for the goal and the prover: another goal has another. A timeout has seconds, an
# unknown nothing. WP wants a folder with a file DIGEST.json for each.
#
#   proofs/answers.sh unpack FILE FOLDER   makes the files in the folder, which exists
#   proofs/answers.sh pack FOLDER...       prints the lines, sorted, each DIGEST once
#
# Lines may come in any order and twice, as a merge may leave them, but not with two verdicts. Exits with 0,
# with 1 when a line or file is not as described, with 64 for a wrong command line.
set -u
export LC_ALL=C

case ${1:-}:$# in
unpack:3)
  [ -f "$2" ] && [ -d "$3" ] || { echo "answers: no such file or folder: $2, $3" >&2; exit 1; }
  awk -v folder="$3" '
    function wrong(text) {
      print "answers: " FILENAME ":" FNR ": " text >"/dev/stderr"
      failed = 1
    }
    length($1) != 32 || $1 !~ /^[0-9a-f]+$/ || $2 !~ /^[A-Za-z0-9.:-]+$/ || $3 !~ /^(valid|unknown|timeout|failed)$/ ||
    NF > 5 || (NF > 3 && $4 !~ /^[0-9]+\.[0-9]*$/) || (NF > 4 && $5 !~ /^[0-9]+$/) {
      wrong("no answer of a prover: delete the line, then run proofs/prove.sh --update")
      next
    }
    $1 in verdicts {
      if (verdicts[$1] != $3) wrong($1 " is answered with " verdicts[$1] " and " $3 ": delete both, then run proofs/prove.sh --update")
      next
    }
    {
      verdicts[$1] = $3
      file = folder "/" $1 ".json"
      more = (NF > 3 ? ", \"time\": " $4 : "") (NF > 4 ? ", \"steps\": " $5 : "")
      printf "{ \"prover\": \"%s\", \"verdict\": \"%s\"%s }\n", $2, $3, more >file
      close(file)
    }
    END { exit failed }' "$2"
  ;;
pack:[2-9] | pack:[1-9][0-9]*)
  shift
  # sed names the file before its line; what has another form stays as it is and is found
  lines=$(find "$@" -name '*.json' -exec sed -n -E \
    's/^\{ "prover": "([^" ]+)", "verdict": "([a-z]+)"(, "time": ([0-9.]+))?(, "steps": ([0-9]+))? \}$/\1 \2 \4 \6/;s/ +$//;F;p' {} + |
    sed -E 's|^.*/([0-9a-f]{32})\.json$|\1|' | paste -d ' ' - - | sort -u -k 1,1) || exit 1
  if echo "$lines" | grep -vE '^[0-9a-f]{32} [^ ]+ [a-z]+( [0-9.]+( [0-9]+)?)?$' >&2; then
    echo "answers: not the form of an answer" >&2
    exit 1
  fi
  echo "$lines"
  ;;
*)
  echo "usage: proofs/answers.sh unpack FILE FOLDER | pack FOLDER..." >&2
  exit 64
  ;;
esac
