#!/bin/sh
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the file of the prover's answers: unpacked and packed it is what it was, what is broken in it is said, a missing
# answer fails the replay, as does being cut short, and an update puts it back and drops what no goal asks for. The
# proofs are those of two functions of ring.c alone, in a copy (all with TEST_ALL): each smoke test that is made anew
# takes two seconds.
set -u
cd "$(dirname "$0")/../.." || exit 70
. tests/tap.sh
trap 'exit 130' INT TERM
export BUILD="$scratch/build"

# says STATUS MESSAGE COMMAND...: the command ends with STATUS and says MESSAGE.
says() {
  want=$1 message=$2
  shift 2
  "$@" >"$scratch/log" 2>&1
  status=$?
  [ "$status" -eq "$want" ] && grep -qE -e "$message" "$scratch/log"
}

# --- the file -----------------------------------------------------------------------------------

mkdir "$scratch/folder"
proofs/answers.sh unpack proofs/answers "$scratch/folder" >"$scratch/log" 2>&1 &&
  [ "$(ls "$scratch/folder" | wc -l)" -gt 1000 ] &&
  proofs/answers.sh pack "$scratch/folder" >"$scratch/packed" 2>"$scratch/log" && cmp proofs/answers "$scratch/packed" >>"$scratch/log"
report $? "unpacked and packed, the committed file is what it was"

one=0123456789abcdef0123456789abcdef two=fedcba9876543210fedcba9876543210
# unpacks LINE...: unpacks a file of these lines into an empty folder.
unpacks() {
  rm -rf "$scratch/small" && mkdir "$scratch/small" && printf '%s\n' "$@" >"$scratch/answers" &&
    proofs/answers.sh unpack "$scratch/answers" "$scratch/small"
}
unpacks "$two CVC4:1.8 unknown" "$one CVC4:1.8 valid 0.05 14853" "$two CVC4:1.8 unknown" >"$scratch/log" 2>&1 &&
  echo '{ "prover": "CVC4:1.8", "verdict": "valid", "time": 0.05, "steps": 14853 }' | cmp - "$scratch/small/$one.json" &&
  echo '{ "prover": "CVC4:1.8", "verdict": "unknown" }' | cmp - "$scratch/small/$two.json"
report $? "a file as a merge leaves it, unsorted and with a line twice"
says 1 'answers:2: no answer of a prover' unpacks "$one CVC4:1.8 unknown" "<<<<<<< HEAD"
report $? "a conflict of a merge, with its line"
says 1 'answers:1: no answer of a prover' unpacks "$one CVC4:1.8 proved 0.05 14853"
report $? "an unknown verdict"
says 1 "answers:2: $one is answered with unknown and valid" unpacks "$one CVC4:1.8 unknown" "$one CVC4:1.8 valid 0.1 20"
report $? "two answers to one goal"
echo '{ "prover": "CVC4:1.8", "verdict": "valid", "mood": "good" }' >"$scratch/folder/$one.json"
says 1 'not the form of an answer' proofs/answers.sh pack "$scratch/folder"
report $? "an answer of another form is not packed"
says 64 '^usage:' proofs/answers.sh pack
report $? "no folder"

# --- the proofs ---------------------------------------------------------------------------------

copy=$scratch/copy
mkdir -p "$copy/measure/core" "$copy/measure/throughput/core" "$copy/proofs/logic" "$copy/steps/folder" &&
  cp measure/core/ring.[ch] "$copy/measure/core" && cp steps/folder/*.py "$copy/steps/folder" &&
  : >"$copy/steps/none.h" && : >"$copy/steps/none.acsl" && : >"$copy/measure/throughput/core/none.h" &&
  cp proofs/logic/ring.acsl "$copy/proofs/logic" && cp proofs/*.sh proofs/answers "$copy/proofs" || exit 70
grep ' *measure/core/ring\.c ' proofs/functions.list >"$copy/proofs/functions.list" && cd "$copy" || exit 70
if [ -z "${TEST_ALL:-}" ]; then
  for function in ring_capacity_valid ring_first ring_judge; do
    sed -i "/^[a-z].* $function(/,/^}/d" measure/core/ring.c
    # its contract and what is said of it: the paragraph that ends with the declaration
    awk -v function_name=" $function(" 'BEGIN { RS = ""; ORS = "\n\n" } !index($0, function_name)' measure/core/ring.h >"$scratch/ring.h" &&
      cp "$scratch/ring.h" measure/core/ring.h && sed -i "/ $function /d" proofs/functions.list
  done
  [ "$(wc -l <proofs/functions.list)" -eq 2 ] || exit 70
fi
cp measure/core/ring.c "$scratch/ring.c"
answers=proofs/answers
export PROVE_SECONDS=300 # so that a busy machine refutes nothing

says 0 'prove: all' proofs/prove.sh
report $? "the proofs of one source alone"
{ cat $answers && echo "$one CVC4:1.8 valid 0.05 14853"; } >"$scratch/more" && cp "$scratch/more" $answers
says 0 'prove: all' proofs/prove.sh --update ring_slot && grep -q "^$one " $answers &&
  cut -d' ' -f1 $answers | sort -c && [ "$(wc -l <$answers)" -eq "$(wc -l <"$scratch/more")" ]
report $? "an update of one function keeps the answers of the others, sorted"
says 0 'prove: all' proofs/prove.sh --update && ! grep -q "^$one " $answers && [ "$(wc -l <$answers)" -lt 100 ]
report $? "an update of all drops what no goal asks for"
cp $answers "$scratch/needed"
says 0 'prove: all' proofs/prove.sh
report $? "and keeps what is asked for"

same_goals() { # the goals answered are those of before; their times, and which smoke tests run out of time, need not be
  cut -d' ' -f1 "$scratch/needed" >"$scratch/before" && cut -d' ' -f1 $answers | cmp - "$scratch/before"
}
fails_without() { # fails_without LINES-TO-DELETE GOALS: a replay fails, says how many goals and names the remedy
  sed "$1" "$scratch/needed" >$answers
  ! cmp -s $answers "$scratch/needed" &&
    says 1 "ring.c: $2 goals without an answer in proofs/answers: run proofs/prove.sh --update" proofs/prove.sh
}
fails_without '0,/ valid /{/ valid /d}' 1
report $? "an answer is missing: the replay fails and says what to run"
fails_without '/ unknown$/d' '[0-9]+'
report $? "answers of smoke tests are missing, which would pass without"
sed '1d' "$scratch/needed" >$answers
says 0 'prove: all' proofs/prove.sh --update && same_goals
report $? "an update puts a missing answer back"

cp "$scratch/needed" $answers
sed -i '2s/^/<<<<<<< /' $answers
says 1 'proofs/answers:2: no answer of a prover' proofs/prove.sh
report $? "a broken line"
rm $answers
says 1 'proofs/answers is missing; run proofs/prove.sh --fresh' proofs/prove.sh
report $? "no file"
says 0 'prove: all' proofs/prove.sh --fresh && same_goals
report $? "all proofs anew make the file"
cp "$scratch/needed" $answers
sed -i 's/return (position - 1) % capacity;/return position % capacity;/' measure/core/ring.c
! cmp -s measure/core/ring.c "$scratch/ring.c" &&
  PROVE_SECONDS=1 says 1 'not proved: ' proofs/prove.sh --update && cmp -s $answers "$scratch/needed"
report $? "an update of wrong code changes nothing"

# Somebody kills the shell that looks at a source, as a machine out of memory does.
cp "$scratch/ring.c" measure/core/ring.c && mkdir "$scratch/bin" && cat >"$scratch/bin/frama-c" <<EOF
#!/bin/sh
case " \$* " in *" -wp "*) kill -KILL \$PPID ;; esac
exec $(command -v frama-c) "\$@"
EOF
chmod +x "$scratch/bin/frama-c"
rm -rf "$BUILD/prove/replayed" # or it may be known from above
PATH=$scratch/bin:$PATH says 1 'ring.c: replay_source did not end' proofs/prove.sh
report $? "a replay that is killed half way is no success"

finish
