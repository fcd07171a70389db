#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What `tailproof generate` writes against the independent interpreter: random steps from any state. 10000 steps each of every
# third protocol, with TEST_ALL a million of each. A wrong step is found, so that the comparison cannot pass by itself.
# With names (t-differential.sh lock.tp performal/lock.tp) of these protocols alone. STEPS is another number of steps, SEED of
# the first draw.
. "$(dirname "$0")/../cli/tap.sh"
root=$PWD
glue=${program%/*}/tests/tools/step_glue
libraries="-lgmp -lgsl -lgslcblas -ljansson -lnettle -lyaml -lbpf -lZydis -ldw -lelf -liberty -lz -lzstd -lm -pthread"
steps=10000
[ -z "${TEST_ALL:-}" ] || steps=1000000
steps=${STEPS:-$steps}
flags="-std=c11 -Wall -Wextra -Wconversion -Wshadow -Werror -O0 -I$root"
# shellcheck disable=SC2086
${CC:-gcc} $flags -c tests/generate/differential.c -o "$scratch/differential.o"
check "the test program compiles" '[ -s "$scratch/differential.o" ]'
for file in steps/*.c; do ${CC:-gcc} $flags -c "$file" -o "$scratch/$(basename "$file" .c).o"; done

# generated SPEC FOLDER: the code and its glue
generated() {
  run generate "$1" --out "$2" && [ "$status" -eq 0 ] && rm "$2"/tp_*.[ch] && "$glue" "$1" >"$2/glue.c"
}

# linked FOLDER SPEC: FOLDER/run from whatever is in the folder
linked() {
  # shellcheck disable=SC2086
  ${CC:-gcc} $flags -I"$root/steps" -I"$1" "$1"/*.c "$scratch"/*.o "${program%/*}/libtailproof.a" $libraries -o "$1/run"
}

# is_chosen SPEC NAME...: one of the names; where there are none one of the sample, one that loses
# messages, and raft, which is used below
is_chosen() {
  local name=${1#"$specs"/}
  shift
  if [ $# -gt 0 ]; then
    [[ " $* " == *" $name "* ]]
  else
    [ -n "${TEST_ALL:-}" ] || [ $((listed % 3)) -eq 0 ] || [ "$name" = raft.tp ] || [ "$name" = retransmission.tp ]
  fi
}

compared=0 listed=0 chosen=0
for spec in "$specs"/*.tp "$specs"/performal/*.tp; do
  grep -qxF "$(basename "$spec")" "$root/tests/generate/no_c.txt" && continue
  listed=$((listed + 1))
  is_chosen "$spec" "$@" || continue
  chosen=$((chosen + 1))
  folder=$scratch/$(echo "${spec#"$specs"/}" | tr / _)
  { generated "$spec" "$folder" && linked "$folder" && "$folder/run" "$spec" $steps "${SEED:-1}"; } >"$folder.log" 2>&1
  check "${spec#"$specs"/}: generated steps are the protocol's" "[ $? -eq 0 ] || ! cat '$folder.log' >&2"
  compared=$((compared + $(sed -n -E 's/.*: ([0-9]+) steps compared.*/\1/p' "$folder.log")))
done
echo "# $compared random steps compared"
[ $# -eq 0 ] || check "each name is one of a protocol with C" '[ "$chosen" -eq "'$#'" ]'
[ -d "$scratch/raft.tp" ] || { finish; exit; }

# wrong FILE SED SAYS: a body changed
wrong() {
  cp -r "$scratch/raft.tp" "$scratch/wrong" && sed -i "$2" "$scratch/wrong/$1" &&
    ! cmp -s "$scratch/wrong/$1" "$scratch/raft.tp/$1" && linked "$scratch/wrong" && "$scratch/wrong/run" "$specs/raft.tp" 2000 >"$scratch/log" 2>&1
  [ $? -eq 1 ] && grep -q "$3" "$scratch/log"
  check "found: $4" "[ $? -eq 0 ]"
  rm -rf "$scratch/wrong"
}
wrong raft_leader.c 's/>= params->f/> params->f/' "differs" "a quorum off by one"
wrong raft_leader.c 's/self->durable = true;//' "the state differs: durable" "a forgotten assignment"
wrong raft_leader.c 's/out->Write = true;//' "what is sent differs" "a dropped send"
finish
