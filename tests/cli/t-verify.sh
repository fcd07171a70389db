#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Verdicts: exit codes, what is printed with each, JSON as documented, colour, and a disk that is full. Everything is
# proved here, but for what is printed in colours; seeds change no verdict of three protocols, of all with TEST_ALL.
. "$(dirname "$0")/tap.sh"
kept=$XDG_CACHE_HOME
export XDG_CACHE_HOME=/dev/null # nothing can be kept there: everything is proved
flat() { tr -s '\n ' ' ' <out; } # over the ends of lines
cases=$PWD/tests/cases bench=$PWD/bench

cd "$scratch" || exit 1
protocol=$specs/primary_backup.tp
sed '/^bound reply:/,/^$/s/+ d(Ack(b))//' "$protocol" >short.tp
check "the mutant differs in its bound only" '[ "$(diff "$protocol" short.tp | grep -c "^>")" -eq 1 ]'
# a guard that no state meets: the reply is never sent
sed 's/if acked == backup {/if acked == backup and not started {/' "$protocol" >stuck.tp
# without the invariant on acknowledgements the bound does not follow
sed '/^invariant ack_time/,/^$/d' "$protocol" >loose.tp

run verify "$protocol"
check "proved: 0" 'exits 0' 'quiet_err' 'out "reply: proved"' 'out "reply_uniform: proved"' \
  'out "2 proved, 0 refuted, 0 unknown"' 'out "This rests on:"' 'out "n >= 1 (stated in the protocol)"' \
  'out "and on 6 standard assumptions: --full lists them."' '! out "Z3 "' '! out " obligations"'
run verify --full "$protocol"
check "proved, with all that it rests on" 'exits 0' 'quiet_err' \
  'grep -qE "[0-9]+ obligations, [0-9.]+ s, reached with n=[0-9]+ in [0-9]+ steps" out' \
  'out "This rests on:"' 'out "n >= 1 (stated in the protocol)"' 'out "Z3 "' '! out "standard assumption"' \
  '[ "$(sed -n "/This rests on/,/^$/p" out | grep -cE "^    (model|solver) ")" -eq 7 ]'

run verify short.tp
check "refuted: 1, whatever else is proved" 'exits 1' 'quiet_err' 'out "reply: refuted"' 'out "reply_uniform: proved"' \
  'out "1 proved, 1 refuted, 0 unknown"'
check "refuted: an execution with numbers" \
  'grep -qE "An execution with n=[0-9]+ in which it takes [0-9/.]+ ns, the bound being [0-9/.]+ ns" out' \
  'grep -qE "Broadcast .*PrimaryRequest = [0-9]" out' 'flat | grep -qE "Handle on Request\([0-9]\) .*d\(Ack\([0-9]\)\) = [0-9]"' \
  'flat | grep -qE "Collect on Ack.*sends Reply"'
read -r time limit < <(sed -nE 's/.*it takes ([0-9]+) ns, the bound being ([0-9]+) ns.*/\1 \2/p' out)
check "refuted: the event is later than the bound" '[ "$time" -gt "$limit" ]'

run verify --json --bound reply short.tp
check "refuted as JSON" 'exits 1' 'json_lines' \
  'json "[.[] | select(.kind == \"bound\")] | length == 1 and .[0].verdict == \"refuted\""' \
  'json ".[0].counterexample | (.time_ns | tonumber) > (.bound_ns | tonumber) and .scope.n >= 1 and (.execution | test(\"Broadcast\"))"'

run verify --bound reply stuck.tp
check "never reached: 2, and says so" 'exits 2' 'out "reply: unknown"' 'grep -q "reply: unknown: never reached: " out' \
  'out "0 proved, 0 refuted, 1 unknown"'
run verify --json --bound reply stuck.tp
check "never reached as JSON" 'exits 2' 'json_lines' \
  'json ".[0] | .verdict == \"unknown\" and .reached == null and (.reason | length > 0) and .tight == false"'

run verify --bound reply loose.tp
check "invariant missing: 2, with the state where the induction fails" 'exits 2' 'out "reply: unknown"' \
  'out "The induction fails here"' 'out "Collect"' 'grep -qE "^    [0-9]+ of [0-9]+ obligations not proved$" out'

run verify "$protocol" short.tp stuck.tp
check "of several files the worst verdict decides" 'exits 1'
run verify --bound reply "$protocol" stuck.tp
check "unknown outranks proved" 'exits 2'

run verify --json "$protocol" "$specs/lock.tp"
check "JSON: one object a line" 'exits 0' 'quiet_err' 'json_lines'
check "JSON: bounds" 'json "[.[] | select(.kind == \"bound\")] | length == 5 and all(
    (.file | type) == \"string\" and (.protocol | type) == \"string\" and (.name | type) == \"string\" and
    .verdict == \"proved\" and .obligations > 0 and .failed == 0 and (.seconds | type) == \"number\" and
    .reached.steps > 0 and .reached.scope.n >= 1 and (.tight | type) == \"boolean\" and
    (.target | length) > 0 and (.expression | length) > 0)"'
check "JSON: assumptions" 'json "[.[] | select(.kind == \"assumption\")] | length > 3 and
    all((.source | IN(\"model\", \"solver\", \"dist\", \"data\")) and (.text | length) > 0) and
    ((map([.source, .text]) | unique | length) == length)"'
check "JSON: one summary, at the end" 'json "[.[] | select(.kind == \"summary\")] | length == 1" ' \
  'json ".[-1] == {kind: \"summary\", proved: 5, refuted: 0, unknown: 0}"'

run verify --bound reply --jobs 1 "$protocol"
check "one thread, one bound" 'exits 0' 'out "1 proved"' '! out "reply_uniform:"'
run verify --bound rply "$protocol"
check "no such bound: the names there are" 'exits 64' 'err "no bound is called \"rply\""' 'err "reply, reply_uniform"'
run verify --timeout 0.001 --bound reply "$protocol"
check "a time limit can make it unknown, never a false verdict" 'exits 0 || exits 2'

# where a verdict comes from
run verify --explain --bound reply "$specs/chain_replication.tp"
check "explain: invariants needed and not" 'exits 0' 'flat | grep -qE " Rests on .*forward_time.*\(and [0-9]+ generated facts?\); not needed: .*arrived"'
check "explain: the chain of steps, each with its time" 'out "Slowest found: "' 'said ": all of the bound"' \
  'grep -qE "^    replica\[0\] does Head +Store\[0\] +[0-9.]+ +[0-9.]+$" out' 'grep -qE "^    Reply is under way +d\(Reply\) " out'
run verify --explain --json --bound reply "$specs/chain_replication.tp"
check "explain as JSON: the chain adds up to the event" 'exits 0' 'json_lines' \
  'json ".[0].explanation | (.rests_on | index(\"forward_time\")) != null and (.not_needed | index(\"arrived\")) != null and .exact and
    (.slowest | .time == .bound and .scope.n >= 1 and ((.chain | map(.takes | tonumber) | add) == (.time | tonumber)) and
      .chain[-1].until == .time)"'
sed 's/+ d(Reply)$/+ d(Reply) + Store[0]/' "$specs/chain_replication.tp" >slack.tp
run verify --explain --json --bound reply slack.tp
check "explain: the slack of a bound that is not attained" 'exits 0' \
  'json ".[0] | .verdict == \"proved\" and (.tight | not) and .explanation.slowest.unit and
    (.explanation.slowest | (.time | tonumber) < (.bound | tonumber))"'
# with which parameters a bound is attained, and what in it is too much
canaries=$(dirname "$specs")/tests/cases/proved/tight_terms.tp
run verify --explain --bound n_times "$canaries"
check "tight with one parameter, not with others: text" 'exits 0' 'out "    tight at n=1 (not at n=2, 3)"' \
  'out "  Attained with n=1"' 'out "  Attained by no execution with n=2, 3"' 'said "with n=1: all of the bound, with these parameters"'
run verify --json --bound n_times "$canaries"
check "and JSON" 'json ".[0] | (.tight | not) and
  .tightness == {text: \"tight at n=1 (not at n=2, 3)\", attained: [{n: 1}], not_attained: [{n: 2}, {n: 3}], not_decided: [], not_needed: []}"'
run verify --format junit --bound n_times "$canaries"
check "and JUnit" 'out "bound n_times is proved, tight at n=1 (not at n=2, 3)"'
run verify --explain --bound never "$canaries"
check "a term that nothing charges is named, and not all of the bound is reached" 'exits 0' \
  'out "  no execution found charges Never[7] on its way to the event"' 'out "not tight (no execution found"' '! flat | grep -q "all of the bound"'
run verify --explain --bound reply loose.tp
check "explain an unknown: how far the search got, what is free" 'exits 2' \
  'grep -qE "counterexample to induction was looked for with n=1: " out' 'flat | grep -qE "no invariant bounds .*time\(Ack"'

# what is open
numbers=$cases/unknown/induction_range.tp
run verify "$numbers"
check "several goals open: the first, and how to see the others" 'exits 2' 'out "not proved: action b.Do keeps invariant few, and 1 more of "' \
  'out "    --all-goals lists the 2 goals that are open"' '! out "      action b.Do keeps bound o"'
check "the counterexample to induction is a state that the invariants allow" 'out "    to be shown: action b.Do keeps invariant few"' \
  'out "    then b does Do on M(3)"' 'out "      it takes Do[3] = 0"' '! grep -qE "M\((-|[4-9]|3[0-9])" out'
check "what is unknown rests on nothing" '! out "This rests on"'
run verify --all-goals "$numbers"
check "all goals" 'exits 2' 'out "    open goals:"' 'out "      action b.Do keeps invariant few"' 'out "      action b.Do keeps bound o"'
run verify --json "$numbers"
check "all goals as JSON" 'exits 2' 'json ".[0].open == \"action b.Do keeps invariant few\\naction b.Do keeps bound o\\n\""' \
  'json "all(.kind != \"assumption\")"'
run verify --full "$numbers" "$protocol"
check "the verdicts of several files rest on one list" 'exits 2' '[ "$(grep -c "This rests on" out)" -eq 1 ]' \
  'out "  model   every node has a processor of its own: "'
check "a long bound is wrapped" '[ "$(grep -A 2 "reply: proved" out | awk "length > 98" | wc -l)" -eq 0 ]' \
  'grep -qE "^        BackupRequest\[b\] \+ d\(Ack\(b\)\)" out'

run verify --json "$protocol"
check "JSON: the times of obligations" \
  'json "[.[] | select(.kind == \"bound\")] | all(.median_ms >= 0 and .worst_ms >= .median_ms and (.worst | length) > 0 and
    (has(\"explanation\") | not))"'
shipped=("$specs"/*.tp)
[ -n "${TEST_ALL:-}" ] || shipped=("$specs"/{lock,chain_replication,two_phase_commit}.tp) # a sample
for seed in 1 ${TEST_ALL:+0 2 3 4}; do
  run verify --seed $seed "${shipped[@]}"
  check "seed $seed changes no verdict" 'exits 0' 'out ", 0 refuted, 0 unknown"'
done
run verify --seed x "$protocol"
check "a seed is a number" 'exits 64' 'err "--seed"'
# a bound that is asked for, a quorum that does not fit
sed 's/^bound reply:.*/bound reply: sent Reply within ?/; /^  PrimaryRequest + max b/,/^$/d' "$protocol" >asked.tp
run verify --bound reply asked.tp
check "no expression: unknown, and what to do" 'exits 2' 'out "reply: unknown: no expression: run verify --infer"'
sed 's/if acked == backup {/if |acked| >= n + 1 {/' "$protocol" >quorum.tp
run verify --bound reply quorum.tp
check "a quorum too large, with its place" 'exits 2' 'out "the quorum n + 1 can be larger than backup[n]"' \
  'grep -qE "the place is quorum.tp:[0-9]+:[0-9]+$" out'
run verify --bound reply --json quorum.tp
check "its place as JSON" 'json ".[0] | .line > 1 and .column > 1"'

# colour: on a terminal only, and not under NO_COLOR; what was proved once may be said again
export XDG_CACHE_HOME=$kept
escape=$(printf '\033')
check "no colour into a file" '! grep -q "$escape" out'
for force in 1 3 true; do
  FORCE_COLOR=$force "$program" verify --bound reply "$protocol" >forced.out
  check "FORCE_COLOR=$force colours also a file" 'grep -q "$escape\[32mproved" forced.out'
done
for force in 0 ''; do
  FORCE_COLOR=$force "$program" verify --bound reply "$protocol" >forced.out
  check "FORCE_COLOR=$force does not" '! grep -q "$escape" forced.out'
done
NO_COLOR=1 FORCE_COLOR=1 "$program" verify --bound reply "$protocol" >forced.out
check "NO_COLOR wins over FORCE_COLOR" '! grep -q "$escape" forced.out'
printf 'protocol p q\n' >wrong.tp
FORCE_COLOR=1 "$program" check wrong.tp 2>forced.err
check "diagnostics too" 'grep -q "$escape" forced.err'
if command -v script >/dev/null; then
  script -qec "$program verify --bound reply $protocol" /dev/null >tty.out </dev/null
  check "colour on a terminal" 'grep -q "$escape\[32mproved" tty.out'
  NO_COLOR=1 script -qec "$program verify --bound reply $protocol" /dev/null >tty.out </dev/null
  check "NO_COLOR is obeyed" '! grep -q "$escape" tty.out' 'grep -q "reply: proved" tty.out'
  TERM=dumb script -qec "$program verify --bound reply $protocol" /dev/null >tty.out </dev/null
  check "none on a dumb terminal" '! grep -q "$escape" tty.out' 'grep -q "reply: proved" tty.out'
  TERM=dumb FORCE_COLOR=1 script -qec "$program verify --bound reply $protocol" /dev/null >tty.out </dev/null
  check "but with FORCE_COLOR" 'grep -q "$escape\[32mproved" tty.out'
  NO_COLOR='' script -qec "$program verify --bound reply $protocol" /dev/null >tty.out </dev/null
  check "an empty NO_COLOR is none" 'grep -q "$escape\[32mproved" tty.out'
fi

export XDG_CACHE_HOME=/dev/null

full() {
  last="$* >/dev/full"
  "$program" "$@" >/dev/full 2>err </dev/null
  status=$?
  check "full disk: tailproof $1 $2" 'exits 70' 'err "could not be written"'
}
full verify "$protocol"
full verify --json "$protocol"
full check "$protocol"
full format "$protocol"
full bound "$protocol"
full --help ''
full --version ''
full verify --help

# Several files are proved side by side, and answered in their order: a slow one first, then one that is not there, one
# with a mistake, one with a warning, and quick ones.
sed 's/within/withn/' "$protocol" >mistake.tp
sed '/^bound/,$d' "$specs/lock.tp" >unbound.tp
several=("$specs/resolver.tp" missing.tp mistake.tp unbound.tp short.tp "$specs/performal/primary_backup.tp" "$specs/periodic_load.tp")
same=0
for jobs in 1 ${TEST_ALL:+3} 16; do
  run verify --jobs $jobs "${several[@]}"
  echo "$status" >code.$jobs
  cp out out.$jobs
  cp err err.$jobs
  cmp out.1 out.$jobs && cmp err.1 err.$jobs && cmp code.1 code.$jobs || same=1
done
check "several files at a time are answered in their order" '[ $same -eq 0 ]' 'err "missing.tp"' 'err "mistake.tp"' 'err W0501' 'out "reply: refuted"' \
  '[ "$(grep -oE "^[^ ]*\.tp: [a-z_]*" out | head -1 | grep -c resolver)" -eq 1 ]'

# A parameter may be a million where nothing is counted up to it: executions are tried with that.
cat >"$scratch/large.tp" <<'END'
protocol large_parameter

param limit : int == 1000000

role source
external sink

component Go
delay d

message M(k: int) : source -> sink

state source { gone : bool = false }

action source.Go cost Go {
  when not gone
  gone := true
  send M(limit * limit)
}

invariant silent: not gone implies time(source) <= 0

bound there: delivered M(limit * limit) within Go + d(M(limit * limit))
END
run verify --full "$scratch/large.tp"
check "a parameter of a million" 'exits 0' 'quiet_err' 'out "1 proved, 0 refuted, 0 unknown"' 'out "reached with limit=1000000"'

# Majorities in turn, with less effort than they take.
"$bench"/quorums.sh 2 >"$scratch/quorums.tp"
run verify --timeout 0.05 "$scratch/quorums.tp"
check "the solver gave up: phases are named" 'exits 2' 'said "for each of the 2 times of a slowest or k-th in the bound"' \
  'said "prove it `by phases`"'
"$bench"/quorums.sh 2 phases >"$scratch/phases.tp"
run verify "$scratch/phases.tp"
check "by phases they are proved" 'exits 0' 'out "reply: proved"'

finish
