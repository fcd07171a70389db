#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# C made of protocols: it compiles without a warning for every protocol of the tree, and what has no C is refused.
. "$(dirname "$0")/tap.sh"

root=$PWD
cd "$scratch" || exit 1

compiles() { # folder
  local source
  for source in "$1"/*.c; do
    ${CC:-gcc} -std=c11 -Wall -Wextra -Wconversion -Wshadow -Wmissing-prototypes -Werror -I"$root/steps" -fsyntax-only "$source" || return 1
  done
}

# All headers of a folder, as C++ reads them.
for_cxx() { (cd "$1" && printf '#include "%s"\n' *.h | g++ -std=c++17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I. -x c++ -); }

for spec in "$specs"/*.tp "$specs"/performal/*.tp; do
  name=$(basename "$(dirname "$spec")")_$(basename "$spec" .tp)
  run generate "$spec" --out "$name"
  case $name in
    specs_group_commit | specs_raft_batches | specs_zab_batches) reason='a send \"for all\" of a range of integers' ;;
    specs_replicated_commit) reason='a family of several nodes for each of another, such as machine[group, ...],' ;;
    specs_parallel_commits) reason='a family of several nodes for each of another, such as replica[range, ...],' ;;
    specs_swim | specs_connection_pool) reason='what a step chooses' ;;
    *) reason= ;;
  esac
  if [ -n "$reason" ]; then
    echo "$(basename "$spec")" >>without
    check "generate $name: refused, with the reason" 'exits 65' "err \"$reason has no C\""
    continue
  fi
  check "generate $name: C without a warning, and headers for C++" 'exits 0' 'compiles "$name"' 'for_cxx "$name"'
done

check "tests/generate/no_c.txt names these" 'cmp -s without "$root/tests/generate/no_c.txt"'

# What reviewers read: the text for three protocols. When it changes on purpose: copy it, and prove it again.
for golden in lock primary_backup raft; do
  same=yes
  for file in "$root/tests/generate/golden/$golden"/*; do
    cmp -s "$file" "specs_$golden/$(basename "$file")" || same="$(basename "$file") (cp from what generate writes)"
  done
  check "the text for $golden is that of tests/generate/golden" '[ "$same" = yes ]'
done

check "a number that a guard says is that of the node is not looked at" 'grep -q "self->stored || k != r" specs_chain_replication/chain_replication_replica.c' \
  '! grep -q TP_RANGE specs_chain_replication/chain_replication_replica.c'
check "a large role says what stays as it was" \
  '[ "$(grep -c "ensures senders: self->senders == .old(self->senders);" specs_multi_paxos/multi_paxos_replica.h)" = 12 ]' \
  '! grep -q "ensures parameters:" specs_lock/lock_node.h'
check "actions that have their turns are asked before one is taken" \
  'grep -q "static bool replica_ready(" specs_multi_paxos/multi_paxos_replica_step.c' \
  '[ "$(grep -c "static bool .*_ready(" specs_multi_paxos/multi_paxos_replica_step.c)" = 11 ]' '! grep -q _ready specs_lock/lock_node_step.c'
run generate "$specs/lock.tp" --out again
check "the same file gives the same text" 'diff -r specs_lock again'
run generate "$specs/raft.tp" --role disk --out disk
check "--role makes one role" 'exits 0' '[ -f disk/raft_disk.c ]' '[ ! -e disk/raft_leader.c ]'
run generate "$specs/raft.tp" --role printer --out none
check "a role that is not there" 'exits 64' 'err "raft.tp: has no role \"printer\""' '[ ! -e none ]'
run generate "$specs/raft.tp" --role client --out none
check "a role that takes no steps" 'exits 64' 'err "role client is external"'
run generate "$specs/raft.tp"
check "no folder" 'exits 64' 'err "name one with --out DIR"'

run generate "$specs/lock.tp" --check again
check "--check: contracts that follow the file" 'exits 0' 'out "again: the contracts are those of "'
sed 's/when e > epoch/when e >= epoch/' "$specs/lock.tp" >changed.tp
run generate changed.tp --check again
check "--check names the action whose contract is stale, and no other" 'exits 1' \
  'out "again/lock_node.h: node.Accept: not what the protocol says now"' '[ "$(grep -c "not what" out)" = 1 ]'
sed 's/^param hops.*/param hops : int >= 1/' "$specs/lock.tp" >changed.tp
run generate changed.tp --check again
check "--check names the parameters" 'exits 1' 'out "again/lock.h: parameters and enumerations: not what"'
cp -r again edited && sed -i 's/return i + 1 < n ? i + 1 : 0;/return i;/' edited/tp_step.c && echo '# more' >>edited/prove.sh
run generate "$specs/lock.tp" --check edited
check "--check names files of the library and of the proof that are not what generate writes" 'exits 1' \
  'out "edited/tp_step.c: not what generate writes now"' 'out "edited/prove.sh: not what"' '[ "$(grep -c "not what" out)" = 2 ]'
cp "$specs/lock.tp" named.tp && run generate named.tp --check again
check "--check of the same protocol in another file" 'exits 0'
run generate "$specs/lock.tp" --out looped --loop
sed -i 's/\.fields = 1/.fields = 2/' looped/lock_node_loop.c
run generate "$specs/lock.tp" --check looped
check "--check without --loop leaves the loop alone" 'exits 0'
run generate "$specs/lock.tp" --check looped --loop
check "--check with it names a loop that is not what generate writes" 'exits 1' 'out "looped/lock_node_loop.c: not what generate writes now"'
run generate "$specs/raft.tp" --check again
check "--check of a folder that has no such role" 'exits 66'

run generate "$specs/lock.tp" --out own --contracts-only
check "--contracts-only: the same contracts, and bodies to be written" 'exits 0' 'cmp -s own/lock_node.h again/lock_node.h' \
  'grep -q "#error \"write the body of node_Accept, and take this line away\"" own/lock_node.c'
cp again/lock_node.c own/lock_node.c
run generate "$specs/lock.tp" --out own --contracts-only
check "a body that is there is left alone" 'exits 0' 'cmp -s own/lock_node.c again/lock_node.c' 'compiles own'

run generate "$specs/raft.tp" --out counted --own-state --role leader
check "--own-state: files for what the state keeps beside the protocol" 'exits 0' \
  'grep -q "struct leader_own own; /. not of the protocol ./" counted/raft_leader.h' \
  '[ "$(grep -c "requires own: leader_own_valid(self, params);" counted/raft_leader.h)" = 3 ]' \
  '[ "$(grep -c "ensures own: leader_own_valid(self, params);" counted/raft_leader.h)" = 4 ]' \
  'grep -q "#error \"write the members of struct leader_own, and take this line away\"" counted/raft_leader_own.h' \
  'grep -q "predicate leader_own_valid(struct leader .self, struct raft_params .params) = .true;" counted/raft_leader_own.acsl'
for file in .c _own.h _own.acsl; do cp "$root/tests/generate/hand/raft_counted$file" "counted/raft_leader$file"; done
run generate "$specs/raft.tp" --out counted --own-state --role leader
check "what was written is left alone, and it compiles" 'exits 0' 'cmp -s counted/raft_leader_own.h "$root/tests/generate/hand/raft_counted_own.h"' \
  'cmp -s counted/raft_leader_own.acsl "$root/tests/generate/hand/raft_counted_own.acsl"' 'compiles counted'
run generate "$specs/raft.tp" --check counted --own-state --role leader
check "--check with --own-state: the contracts follow the file" 'exits 0'
run generate "$specs/raft.tp" --check counted --role leader
check "--check without it: they are others" 'exits 1' 'out "leader.Count: not what the protocol says now"'

# Names that mean something where the code goes: C, C++, Frama-C's own dialect, headers.
words="unix linux static_assert thread_local char16_t INT32_MAX TP_NODES int32_t"
for word in $words; do states="${states:-}  $word : int = 0"; done
printf 'protocol words\nrole a\nrole b\ncomponent C\ndelay d\nmessage M(e: int) : a -> b\nstate a { s : int = 0 }\nstate b { x : int = 0 %s }\n%s\n%s\n' "$states" \
  'action a.Go at any time { s := s + 1  send M(s) }' 'action b.Get on M(e) cost C { when e > x  x := e  unix := e }' >words.tp
run generate words.tp --out words
check "states with names of macros and of words of C++" 'exits 0' 'compiles words' \
  'for header in words/words*.h; do g++ -x c++ -fsyntax-only -Iwords "$header" || exit 1; done' \
  'gcc -E -Iwords words/words_b.c | grep -q "int32_t unix_;"'

cat >ranged.tp <<'END'
protocol ranged
param n : int >= 1
role a
role b[n]
component Go
delay d
message Ask(to: b, number: int) : a -> b to
state a { x : int = 0 }
action a.Go cost Go {
  x := x + 1
  send Ask(r, index(r)) for all r in b
}
END
run generate ranged.tp --out none
check "what has no C is refused with its place" 'exits 65' 'err "ranged.tp:11:3: more than one field of this message depends on"' '[ ! -e none ]'
sed 's/index(r)/x/' ranged.tp >fits.tp
run generate fits.tp --out fits
check "a number that may not fit is looked at before anything changes" 'exits 0' 'grep -q "if (!tp_fits((int64_t)self->x + 1))" fits/ranged_a.c' 'compiles fits'
run generate "$root/examples/multi_paxos/paxos.tp" --role voter --out parts
check "a large role says after each of its five steps that its set is one of voters" 'exits 0' \
  '[ "$(grep -cF "ensures state: tp_within(self->heard, PAXOS_VOTER_COUNT(params));" parts/paxos_voter.h)" -eq 6 ]' \
  '[ "$(grep -cF "ensures state: tp_int(self->voted);" parts/paxos_voter.h)" -eq 2 ]'
run generate "$specs/resolver.tp" --out takers --role server
check "of several actions that take one kind of message the guards are asked first" 'exits 0' \
  'grep -qF "if (server_Refer_ready(params, i, m->field[0])) {" takers/resolver_server_step.c' 'compiles takers'
run generate "$specs/performal/ironrsl_standard.tp" --out slots --role replica
check "so are those of a schedule's slots" 'exits 0' \
  'grep -qF "if (replica_Propose_ready(self, params, i)) {" slots/ironrsl_standard_replica_step.c' 'compiles slots'
sed -i 's/^  x := x + 1$/  when x < n\n&/' fits.tp
run generate fits.tp --out guarded
check "one that fits whenever its guard holds is not, since nothing would reach that" 'exits 0' '! grep -q tp_fits guarded/ranged_a.c' 'compiles guarded'

# Of the only message nobody asks which one it is: what follows would never be reached.
cat >single.tp <<'END'
protocol single
role a
role b
component Work
delay d
message M : a -> b
state a { sent_it : bool = false }
action a.Go cost Work { when not sent_it  sent_it := true  send M }
action b.Take on M { }
bound arrives: sent M within Work + d
END
run generate single.tp --out single
check "the only message is taken without a look at its kind" 'exits 0' '! grep -q switch single/single_b_step.c' 'compiles single'

# Nor is there code for an action behind one that is always taken, or for when no action is enabled where one always is.
run generate "$specs/two_phase_commit.tp" --out always --role participant
check "an action that another one always goes before is not dispatched" 'exits 0' \
  'grep -qF "return participant_Agree(" always/two_phase_commit_participant_step.c' \
  '! grep -q "return participant_Refuse(" always/two_phase_commit_participant_step.c' 'compiles always'
cat >turns.tp <<'END'
protocol turns
role a
role b
repeated Work
delay d
message M : a -> b
state a { x : int = 0  wound : bool = false }
action a.Tick cost Work { x := x + 1 }
action a.Tuck cost Work { when wound  wound := false }
action a.Tock cost Work { send M  x := x + 1  wound := true }
END
run generate turns.tp --out turns --role a
check "where some action is always enabled none is looked for behind it" 'exits 0' \
  'grep -qF "tried < 1; tried++" turns/turns_a_step.c' 'grep -qF "at = (at + 1) % 3;" turns/turns_a_step.c' \
  '! grep -q "return TP_DISABLED" <(sed -n "/tp_verdict a_act/,\$p" turns/turns_a_step.c)' 'compiles turns'
sed -i '/^action a.Tuck/d' turns.tp
run generate turns.tp --out both --role a
check "... nor anywhere, where all are" 'exits 0' '! grep -q "ready\|tried" both/turns_a_step.c' 'compiles both'

# What the network loses is nobody's code.
mkdir other
sed -e 's/ loses k$//' -e '/^invariant in_turn/d' -e '/^invariant next_one/,+1d' "$specs/retransmission.tp" >other/retransmission.tp
run generate other/retransmission.tp --out sure
run generate "$specs/retransmission.tp" --out lossy
check "a message that may be lost changes no code" 'exits 0' '[ -s lossy/retransmission_receiver.c ]' 'diff -r sure lossy'
finish
