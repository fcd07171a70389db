#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The folder that `tailproof generate` writes, by itself: it builds, proves, and refuses wrong bodies by the clause that they
# break. By default one role, and one body written by hand; with TEST_ALL all roles of all protocols, and more bodies.
. "$(dirname "$0")/../cli/tap.sh"
root=$PWD

# prove FOLDER SOURCE...
prove() {
  local folder=$1
  shift
  (cd "$folder" && ./prove.sh "$@") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
}

run generate "$specs/primary_backup.tp" --out "$scratch/pb"
check "a folder outside of the tree builds" 'make -s -C "$scratch/pb" CC="${CC:-gcc}" CFLAGS=-O0 >"$scratch/log" 2>&1' '[ -s "$scratch/pb/libsteps.a" ]'
cat >"$scratch/pb/call.cc" <<'END'
#include "primary_backup_primary.h"

int main() {
  primary_backup_params params = {2};
  primary self;
  primary_sends out;
  primary_init(&self, &params);
  primary_Collect(&self, &params, &out, 0);
  bool early = out.Reply;
  primary_Collect(&self, &params, &out, 1);
  return !early && out.Reply ? 0 : 1;
}
END
check "C++ calls it" 'g++ -Wall -Wextra -Werror -I"$scratch/pb" "$scratch/pb/call.cc" "$scratch/pb/libsteps.a" -o "$scratch/call" 2>"$scratch/log"' '"$scratch/call"'
cp tests/generate/answers_primary_backup "$scratch/pb/answers"
prove "$scratch/pb" primary_backup_backup.c
check "a role is proved, from kept answers" 'exits 0' 'grep -qE "^primary_backup_backup.c: all [0-9]+ goals of 3 functions proved$" "$scratch/out"'
sed -i 's/$/, as before/' "$scratch/pb/proved"
prove "$scratch/pb" primary_backup_backup.c
check "what has not changed is not proved again" 'exits 0' 'grep -q "proved, as before$" "$scratch/out"'
sed -i 's/actions of/actions  of/; s/^#include/&  /' "$scratch/pb/primary_backup_backup.h"
prove "$scratch/pb" primary_backup_backup.c
check "what has changed is looked at again" 'exits 0' '[ "$(wc -l <"$scratch/pb/proved")" -eq 1 ]' '! grep -q "as before" "$scratch/out" "$scratch/pb/proved"'

cp tests/generate/hand/primary_duplicate.c "$scratch/pb/hand_primary.c"
PROVE_SECONDS=1 PROVERS=cvc4 prove "$scratch/pb" hand_primary.c
check "a body that counts a duplicate is refused, by the clause" 'exits 1' \
  'grep -qE "^prove: primary_backup_primary.h:[0-9]+: primary_Collect does not keep \"ensures Reply\": not proved$" "$scratch/err"'
check "what was proved of it is not asked again" '[ "$(wc -l <"$scratch/pb/answers")" -gt "$(wc -l <tests/generate/answers_primary_backup)" ]'
sed '1i /*@ axiomatic A { axiom wrong: \\false; } */' tests/generate/hand/primary_duplicate.c >"$scratch/pb/hand_primary.c"
prove "$scratch/pb" hand_primary.c
check "so is one that assumes what it should prove" 'exits 1' 'err "hand_primary.c:1: axiom in an axiomatic block: assumes what it should prove"'
echo '/*@ axiomatic A { axiom wrong: \false; } */' >"$scratch/pb/more.inc"
sed '1i #include "more.inc"' tests/generate/hand/primary_duplicate.c >"$scratch/pb/hand_primary.c"
prove "$scratch/pb" hand_primary.c
check "or reads a file that does, whatever its name" 'exits 1' 'err "more.inc:1: axiom in an axiomatic block: assumes what it should prove"'
printf '%s\n' '#include "primary_backup.h"' '/*@ assigns \nothing; ensures \result; */' 'bool magic(int32_t b);' \
  '/*@ assigns \nothing; ensures \result; */' 'bool own(int32_t b) { return magic(b); }' >"$scratch/pb/hand_primary.c"
echo '#error "not yet"' >"$scratch/pb/hand_other.c"
prove "$scratch/pb" hand_primary.c
rm "$scratch/pb/hand_other.c"
check "or the contract of a function that has no body" 'exits 1' 'err "hand_primary.c:5: magic has no body that is proved"' 'err "hand_primary.c:3: magic is declared in a source"'
printf '%s\n' '#include "primary_backup.h"' '/*@ assigns \nothing; ensures \result; */' 'bool own(bool good) {' \
  '  /*@ loop assigns \nothing; */' '  while (!good) {}' '  return good;' '}' >"$scratch/pb/hand_primary.c"
prove "$scratch/pb" hand_primary.c
check "or does not end in every case" 'exits 1' 'err "own: ends in every case (loops: a variant): not proved"'
sed 's/^  out->Reply = .*/&\n  if (b == 5)\n    abort();/; 1i #include <stdlib.h>' tests/generate/hand/primary_duplicate.c >"$scratch/pb/hand_primary.c"
prove "$scratch/pb" hand_primary.c
check "or ends the process" 'exits 1' 'err "abort(..) is no function that is proved here"'
prove "$scratch/pb" hand_primray.c
check "a name of no source is refused, with those that there are" 'exits 1' 'err "hand_primray.c: no such source; there are: hand_primary.c"'

# What is not proved is shown, and nothing at all is no success.
mkdir "$scratch/none" && cp "$scratch"/pb/*.sh "$scratch"/pb/*.py "$scratch"/pb/tp_*.[ch] "$scratch/none"
prove "$scratch/none"
check "a folder without a source to prove is no success" 'exits 1' 'err "there is no source to prove"'
echo 'enum { MORE = 1 };' >"$scratch/none/tp_more.c"
: >"$scratch/none/role_main.c"
PROVE_SECONDS=1 prove "$scratch/none"
check "a source whose name begins as the library's is looked at, one without a function is not proved" 'exits 1' \
  'err "tp_more.c: has no function, so nothing of it is proved"' 'grep -q "^not proved: role_main.c: the loop" "$scratch/out"'

# wrong BODY SED FUNCTION CLAUSE: the body changed, and what the proof says of it
wrong() {
  sed -E "$2" "tests/generate/hand/raft_$1.c" >"$scratch/raft/hand_wrong.c"
  PROVE_SECONDS=1 PROVERS=cvc4 prove "$scratch/raft" hand_wrong.c
  check "$1, $2: refused by \"$4\"" 'exits 1' '! cmp -s tests/generate/hand/raft_'"$1"'.c "$scratch/raft/hand_wrong.c"' \
    'grep -qE "^prove: .*'"$3"' does not keep \"'"$4"'\": not proved$" "$scratch/err"'
}
if [ -n "${TEST_ALL:-}" ]; then
  # right ones, from kept answers
  run generate "$specs/raft.tp" --role leader --out "$scratch/raft"
  cp tests/generate/answers_hand "$scratch/raft/answers"
  for body in popcount early_exit; do
    cp tests/generate/hand/raft_$body.c "$scratch/raft/hand_$body.c"
    prove "$scratch/raft" hand_$body.c
    check "$body: a body by hand is proved" 'exits 0'
  done
  # a quorum off by one, a second reply, an answer that is not kept, a count that ends too soon
  wrong popcount 's/>= params->f/> params->f/' leader_Count 'ensures Reply'
  wrong popcount 's/ \&\& !self->committed//' leader_Count 'ensures Reply'
  wrong popcount 's/tp_set_union\(self->matched, (.*)\);/\1;/' leader_Count 'ensures matched'
  wrong early_exit 's/^  self->matched = matched;/  if (params->f > 1) self->matched = matched;/' leader_Count 'ensures matched'
  wrong early_exit 's/if \(count >= f\)/if (count + 1 >= f)/' has_quorum 'ensures truth'
  mkdir "$scratch/counted"
  for file in .c _own.h _own.acsl; do cp "tests/generate/hand/raft_counted$file" "$scratch/counted/raft_leader$file"; done
  cp tests/generate/answers_counted "$scratch/counted/answers"
  run generate "$specs/raft.tp" --role leader --own-state --out "$scratch/counted"
  prove "$scratch/counted" raft_leader.c raft_leader_step.c
  check "a counter that is kept instead of counting a set is proved, and so are the dispatchers above it" 'exits 0'
  sed -i 's/^  if (!tp_set_has(self->matched, r))$/  if (self->own.answers < RAFT_FOLLOWER_COUNT(params))/' "$scratch/counted/raft_leader.c"
  PROVE_SECONDS=2 PROVERS=cvc4 prove "$scratch/counted" raft_leader.c
  check "one that counts an answer that comes twice is refused, by the invariant" 'exits 1' \
    'grep -qE "^prove: raft_leader.h:[0-9]+: leader_Count does not keep \"ensures own\": not proved$" "$scratch/err"'
  for role in leader voter; do run generate "$root/examples/multi_paxos/paxos.tp" --role $role --out "$scratch/paxos"; done
  cp examples/multi_paxos/answers "$scratch/paxos/answers"
  PROVE_SECONDS=60 prove "$scratch/paxos" paxos_leader.c paxos_voter.c paxos_message.c
  check "the actions of paxos.tp and its codec are proved, from the example's answers" 'exits 0'
  # own actions of which some are always enabled
  for guard in 'when wound' ''; do
    cat >"$scratch/turns.tp" <<END
protocol turns
role a
role b
repeated Work
delay d
message M : a -> b
state a { x : int = 0  wound : bool = false }
action a.Tick cost Work { x := x + 1 }
action a.Tuck cost Work { $guard  wound := false }
action a.Tock cost Work { send M  x := x + 1  wound := true }
END
    run generate "$scratch/turns.tp" --out "$scratch/turns" --role a
    PROVE_SECONDS=60 prove "$scratch/turns" turns_a_step.c
    check "turns of actions of which some are always enabled${guard:+, but for one} are proved" 'exits 0'
  done
  # each role of each protocol, unless its row in tests/generate/proofs.md says that what its proof reads was proved
  tests/generate/proofs.py --program "$program" >"$scratch/out" 2>&1
  report $? "every role of every protocol is proved"
  sed 's/^/# /' "$scratch/out"
else
  echo "# all roles of all protocols, and bodies by hand that are right: make test-all"
fi
finish
