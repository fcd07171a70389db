#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Inference: with their timing invariants left out the shipped protocols are proved again, and what
# is printed can be pasted. Without TEST_ALL three of them, and the proofs of the lines that were found.
. "$(dirname "$0")/tap.sh"

# Nothing on stderr but warnings of what is never used, as one of ZooKeeper's messages.
unused_err() { ! grep -E "^error|: (error|warning)\[" "$scratch/err" | grep -qvE "warning\[W050[67]\]"; }
cases=$PWD/tests/cases

for name in primary_backup ${TEST_ALL:+two_phase_commit chain_replication} lock performal/ironrsl_standard; do
  file=$specs/$name.tp
  bounds=$(grep -c '^bound ' "$file")
  run verify --infer --forget-timing "$file"
  check "$name: every bound without its timing invariants" 'exits 0' 'unused_err' \
    'out "$bounds proved, 0 refuted, 0 unknown"' 'out "    invariant "'
done

check "the last one: slots are counted as one writes it" 'out "+ upto(replica, 4) + upto(replica, r.slot)"'

# The defect shows in the bounds that are derived: snapshots instead of small packets.
zookeeper() { # name, steps of the leader, step of a follower
  { cat "$specs/performal/$1.tp"; echo 'bound derived: when |acked| == f at leader within ?'; } >"$scratch/$1.tp"
  expected="^    bound derived: .* within .*$2.*$3.* + f[*]ProcAck\$"
  run verify --infer --forget-timing "$scratch/$1.tp"
  check "$1: every bound without its timing invariants, and one that is asked for" 'exits 0' \
    'unused_err' 'out "3 proved, 0 refuted, 0 unknown"' 'out "derived: proved"' \
    'grep -q "$expected" "$scratch/out"'
  check "$1: the leader's clock by what it has done, and nothing that no bound needs" \
    'out "|acked| >= 1 implies time(leader) <= "' '! out "| <= 2*f"' '! out "not sent Diff"'
}
[ -z "${TEST_ALL:-}" ] || zookeeper zookeeper_fixed '+ f[*]PreSync + 2[*](f[*]Sync)' 'd(Diff(\([a-z0-9]*\))) + ProcSyncI\[\1\]'
[ -z "${TEST_ALL:-}" ] || zookeeper zookeeper_buggy '+ f[*]PreSync + f[*]SyncSnap + f[*]Sync' 'd(Snapshot(\([a-z0-9]*\))) + ProcSnap\[\1\]'

cd "$scratch" || exit 1

# Without any invariant of its own, or without those that speak of no times: what was found, in place of them, is proved.
forgotten() { # PROTOCOL, the most lines that may be found, options
  local most=$2
  run verify --infer "${@:3}" "$specs/$1.tp"
  check "$1 ${*:3}: every bound" 'exits 0' 'quiet_err' '! out ", 0 proved"' '[ "$(grep -c "^    invariant " out)" -le "$most" ]'
  { sed '/^invariant /,/^\(bound\|#\|$\)/{/^bound/!d}' "$specs/$1.tp" && sed -nE 's/^    (invariant )/\1/p' out; } >pasted.tp
}
forgotten redis_wait 9 --forget-untimed --forget-timing
check "facts about sets, charges and messages" 'out "charged Finish implies sent Reply"' 'out "|acks| < k"'
run verify pasted.tp
check "the lines found are enough alone" 'exits 0' 'out "2 proved, 0 refuted, 0 unknown"'
if [ -n "${TEST_ALL:-}" ]; then
  forgotten flush_ticker 3 --forget-untimed
  check "a set that is emptied" 'out "not (sent Durable(w) and w in buffer)"'
fi
[ -z "${TEST_ALL:-}" ] || for name in lease semi_sync client_retry; do forgotten $name 4 --forget-untimed; done
[ -z "${TEST_ALL:-}" ] || for name in two_phase_commit chain_replication; do forgotten $name 9 --forget-untimed --forget-timing; done

# The lines found, instead of the file's timing invariants: proved without searching.
run verify --infer --forget-timing "$specs/lock.tp"
{
  sed '/^invariant holder_latest/,/^bound full_circle:/{/^bound/!d}' "$specs/lock.tp"
  sed -nE 's/^    (invariant )/\1/p' out
} >pasted.tp
check "the file to paste into has no timing invariant of its own" \
  '[ "$(grep -c "^invariant .*time" pasted.tp)" -eq "$(grep -c "^    invariant .*time" out)" ]' \
  '! grep -q "^invariant held_time" pasted.tp'
run verify pasted.tp
check "pasted: proved" 'exits 0' 'out "3 proved, 0 refuted, 0 unknown"'
run verify "$specs/lock.tp" --infer
check "with the timing invariants in place nothing is needed" 'exits 0' 'quiet_err' \
  'out "3 proved, 0 refuted, 0 unknown"'
[ -z "${TEST_ALL:-}" ] || run verify "$specs/performal/ironrsl_leader_failure.tp" --infer
[ -z "${TEST_ALL:-}" ] || check "nor where the proof goes phase by phase" 'exits 0' 'out ": nothing"' '! out "    invariant "' \
  'out "2 proved, 0 refuted, 0 unknown"'

sed -E '/^bound reply: /,/^$/c\bound reply: sent Reply within ?\n' "$specs/primary_backup.tp" >asked.tp
run verify asked.tp
check "a bound that is asked for, without --infer: unknown, and says what to do" 'exits 2' \
  'out "reply: unknown"' 'out "--infer"'
run verify --infer --forget-timing --json asked.tp
check "a bound that is asked for is found, and proved" 'exits 0' 'json_lines' \
  'json "[.[] | select(.kind == \"inferred\" and .what == \"bound\") | .text] | length == 1 and (.[0] | startswith(\"bound reply: sent Reply within PrimaryRequest + max b in backup (\"))"' \
  'json "[.[] | select(.kind == \"bound\") | .verdict] == [\"proved\", \"proved\"]"' \
  'json "[.[] | select(.kind == \"bound\" and .name == \"reply\") | .tightness.attained] == [[{\"n\":2},{\"n\":3}]]"'
found=$(jq -r 'select(.kind == "inferred") | .text' out)
{
  sed '/^# Invariants hold/,$d' "$specs/primary_backup.tp"
  echo "$found"
} >pasted.tp
run verify pasted.tp
check "the bound found can be pasted" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"'

sed 's/+ d(Ack(b))//' pasted.tp >short.tp
run verify --infer --forget-timing short.tp
check "a wrong bound is refuted all the same" 'exits 1' 'out "reply: refuted"'

sed -E '/^bound /,$d' "$specs/lock.tp" >ring.tp
echo 'bound full_circle: when held at first within ?' >>ring.tp
run verify --infer ring.tp
check "without a number of laps there is no bound, and it says which laps" 'exits 2' \
  'out "unbounded: each lap through node."' 'out "and epoch == n"'

# The node goes on working while the event holds, which the time of the event leaves out.
sed 's/ within .*/ within ?/' "$cases/refuted/lingers.tp" >lingers.tp
run verify --infer lingers.tp
check "an expression found that an execution exceeds is not offered" 'exits 2' '! out "bound done:"' \
  'out "    bound finished: "' 'out "done: unknown: no expression was found"' 'out "tidy := true"' \
  'out "1 proved, 0 refuted, 1 unknown"'
run verify --infer --json lingers.tp
check "nor to programs" 'exits 2' 'json "[.[] | select(.what == \"bound\") | .name] == [\"finished\"]"' \
  'json "[.[] | select(.name == \"done\") | .execution | test(\"tidy := true\")] == [true]"'

sed '/^queueing/d; s/ within .*/ within ?/' "$cases/refuted/infer_too_short.tp" >busy.tp
run verify --infer busy.tp
check "a wait that nothing bounds: what to write" 'exits 2' \
  'out "invariant NAME: pending Ping implies time(server) <= time(Ping)"'
# Into the file itself: the lines that are printed, and nothing else.
sed -E '/^invariant ack_time/,/^$/d; /^bound reply: /,/^$/c\bound reply: sent Reply within ?  # asked\n' "$specs/primary_backup.tp" >insert.tp
cp insert.tp before.tp && chmod 640 insert.tp
run verify --infer --write insert.tp
cp out found.txt
check "--write puts what was found into the file, and says so" 'exits 0' 'quiet_err' \
  'out "insert.tp: 1 invariant and 1 bound written into the file"' \
  'grep -q "^invariant ack_time: forall b in backup. sent Ack(b) implies$" insert.tp' \
  'grep -q "^bound reply: sent Reply within PrimaryRequest .*  # asked$" insert.tp' \
  '[ "$(stat -c %a insert.tp)" = 640 ]'
check "all other lines stay as they are" \
  '[ "$(diff before.tp insert.tp | grep "^<")" = "< bound reply: sent Reply within ?  # asked" ]'
run verify insert.tp
check "what was written is proved without searching" 'exits 0' 'out "2 proved, 0 refuted, 0 unknown"'
cp insert.tp before.tp
touch -d 2001-01-01 insert.tp
run verify --infer --write insert.tp
check "nothing found: the file is not touched" 'exits 0' 'cmp -s before.tp insert.tp' \
  'out "insert.tp: nothing was found, so nothing is written into the file"' '[ insert.tp -ot before.tp ]'
run verify --infer --write --json short.tp
check "for programs, too" 'exits 1' 'json_lines' \
  'json "[.[] | select(.kind == \"written\") | [.file, .bounds]] == [[\"short.tp\", 0]]"'
printf 'protocol p\nrole a\ncomponent C\nstate a { done : bool = false }\naction a.Go cost C { when not done  done := true }\nbound b: when done at a within ?  bound c: when done at a within ?' >one_line.tp
run verify --infer --write one_line.tp
check "bounds on one line, without a newline behind them" 'exits 0' 'out "2 bounds written"' \
  '[ "$(tail -n 1 one_line.tp)" = "bound b: when done at a within C  bound c: when done at a within C" ]'
cp lingers.tp before.tp
run verify --infer --write lingers.tp
check "an expression that was refuted is not written" 'exits 2' 'grep -q "^bound done:.* within ?" lingers.tp' \
  '! grep -q "^bound finished:.* within ?" lingers.tp'
run verify --write asked.tp
check "--write is of use only with --infer" 'exits 64' 'err "--infer"'
run verify --infer --write --forget-timing asked.tp
check "--write adds, so it does not go with --forget-timing" 'exits 64' 'err "--forget-timing"'
run verify --infer --write -
check "standard input cannot be written to" 'exits 64' 'err "standard input"'
run verify --forget-timing --bound full_circle "$specs/lock.tp"
check "--forget-timing is of use only with --infer" 'exits 64' 'err "--infer"'
run verify --forget-untimed "$specs/lock.tp"
check "and --forget-untimed" 'exits 64' 'err "--infer"' 'err "--forget-untimed"'
run verify --infer --forget-untimed --write "$specs/lock.tp"
check "nor does it go with --write" 'exits 64' 'err "--write"' 'err "--forget-untimed"'
# A step that chooses is not followed, on whatever it waits; what is given by hand is proved all the same.
for name in choice choice_message choice_urgent choice_timer; do
  run verify --infer "$cases/proved/$name.tp"
  check "$name: a choice is not followed" 'exits 0' 'out ": proved"'
done
finish
