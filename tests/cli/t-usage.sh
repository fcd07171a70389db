#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Help comes from the tables and lists everything; a mistake on the command line is 64 and says what
# was meant.
. "$(dirname "$0")/tap.sh"

. tests/help.sh
commands=$(sed -nE 's/^COMMAND\(([a-z]+)\)$/\1/p' cli/command/commands.def)
check "commands.def names commands" '[ "$(wc -w <<<"$commands")" -ge 5 ]'
# A program older than its tables would be blamed for what was added to them since.
check "the program is no older than its tables" '! [ cli/command/commands.def -nt "$program" ]'

for flag in --help -h help; do
  run $flag
  check "$flag is help on stdout" 'exits 0' 'quiet_err' 'out "usage: tailproof"'
done
run --help
for command in $commands; do
  check "help lists $command" 'grep -qE "^  (.*[ ,])?$command( |,|\$)" "$scratch/out"'
done
check "a screen: seven groups, 21 commands with a line of their own, the others by name, no line too long" \
  '[ "$(grep -cE "^  [a-z]+ +[a-z]" "$scratch/out")" -le 21 ]' '! grep -qE "^.{99}" "$scratch/out"' '[ "$(wc -l <"$scratch/out")" -le 40 ]' \
  '[ "$(grep -cE "^[A-Z][a-z]+: " "$scratch/out")" -eq 7 ]'
# What docs/README.md says that people ask: of the lines of help, the one of its command has most of the question's words.
cp "$scratch/out" "$scratch/help"
sed -nE 's/^\| ([^|]*\?) \| `tailproof ([a-z]+).*/\2 \1/p' docs/README.md >"$scratch/questions"
check "there are ten questions or more" '[ "$(wc -l <"$scratch/questions")" -ge 10 ]'
leads() { # question: the commands of the best lines
  awk -v question="$1" '
    function stem(w) { gsub(/[^a-z0-9]/, "", w); sub(/(ies|es|s|er|ed|ing)$/, "", w); return w }
    BEGIN { n = split(tolower(question), asked, " ") }
    /^[A-Z][a-z]+: / { brief = /^(Lab|Editor)/ }
    /^  / {
      m = split(tolower($0), has, " "); hits = 0
      for (i = 1; i <= n; i++) if (length(stem(asked[i])) > 1)
        for (k = 1; k <= m; k++) if (stem(asked[i]) == stem(has[k])) { hits++; break }
      if (brief && hits > 0) {
        # of several names in one line the one with the words behind it
        parts = split(tolower($0), part, ","); hits = 0; name = ""
        for (p = 1; p <= parts; p++) {
          m = split(part[p], has, " "); own = 0
          for (i = 1; i <= n; i++) if (length(stem(asked[i])) > 1)
            for (k = 1; k <= m; k++) if (stem(asked[i]) == stem(has[k])) { own++; break }
          if (own > hits) { hits = own; name = has[1] }
        }
      } else name = $1
      if (hits > best) { best = hits; led = name } else if (hits == best) led = led " " name
    }
    END { print led }' "$scratch/help"
}
while read -r command question; do
  led=$(leads "$question") last="--help, to find: $question"
  check "\"$question\" leads to $command" '[ "$led" = "$command" ]'
done <"$scratch/questions"

run help lab
check "help of a group" 'exits 0' 'out "  poker "' 'out "  load "' '! out "  verify "'
run help trace whatif
check "help of a question" 'exits 0' 'out "usage: tailproof trace whatif"' 'out "--change CHANGE"' '! out "--keep"'
run help nosuch
check "help of nothing" 'exits 64' 'quiet_out' 'err "unknown command"'
run help trace nosuch
check "help of no question" 'exits 64' 'err "name a question"'
for command in $commands; do
  for question in $(questions_of "$command"); do
    run "$command" "$question" --help
    check "$command $question --help is its own" 'exits 0' 'out "usage: tailproof $command $question"' '! out "questions, "' \
      '[ -z "$(sed -nE "s/^  (-.,|   ) --([a-z-]+).*/\2/p" "$scratch/out" | sort | uniq -d)" ]'
  done
done
run --version
check "--version" 'exits 0' 'quiet_err' 'grep -qE "^tailproof [0-9]+\.[0-9]+\.[0-9]+(-[a-z]+)? \(.+\)$" "$scratch/out"'
run
check "nothing at all is usage" 'exits 64' 'quiet_out' 'err "usage: tailproof"'

# the help of each command, and that nothing but what it lists is taken
every=$(for command in $commands; do options_of "$command"; done | sort -u)
check "there are options" '[ "$(wc -w <<<"$every")" -ge 50 ]'
# every twentieth, another one each time; all of them with TEST_ALL
turn=0
sample() { printf '%s\n' "$@" | awk -v turn="$turn" -v all="${TEST_ALL:-}" 'all != "" || NR % 20 == turn % 20'; }
for command in $commands; do
  turn=$((turn + 1))
  run "$command" --help
  check "$command --help" 'exits 0' 'quiet_err' 'out "usage: tailproof $command"' 'out "--help"'
  own=$(options_of "$command") taken=''
  for name in $(sample $every); do
    grep -q -- "^$name" <<<"$own" && continue # its own, or short for one
    run "$command" "--$name"
    [ "$status" -eq 64 ] && grep -qF -- "\"--$name\"" "$scratch/err" || taken="$taken $name"
  done
  check "$command refuses the options of others" '[ -z "$taken" ]'
  case $command in explain | lsp) continue ;; esac
  run "$command"
  check "$command without a file" 'exits 64' 'quiet_out' 'grep -qE "^tailproof $command: (name (an? |protocol files|traces)|say where)" "$scratch/err"'
  run "$command" --no-such-option x
  check "$command with an unknown option" 'exits 64' 'quiet_out' 'err "\"--no-such-option\""' 'err "tailproof $command --help"'
done

# --- a text that fits the command ----------------------------------------------------------------
help_of() { # command, option: its text in one line
  helps "$1" | awk -v option="--$2" '/^  [- ]/ && !/^ +[^ -]/ { on = index($0, option " ") != 0 } on' | tr -s ' \n' ' '
}
says() { [[ $(help_of "$1" "$2") == *"$3"* ]]; }
last='COMMAND --help' status=0
check "of --out" 'says certify out "older certificate there is replaced"' 'says import out "older import there is replaced"' \
  'says record out "new or empty"' '! says record out replaced' '! says record out certificate' '! says import out certificate'
check "of --timeout" '! says verify timeout check' 'says certify timeout "with --check"'
check "of --seed" 'says verify seed "the solver" ' '! says verify seed whatif' '! says verify seed windows' 'says whatif seed windows' '! says whatif seed solver'
check "of --together" 'says plan together "depend on each other"' '! says plan together whatif' 'says whatif together "become faster"'
check "of --budget" '! says plan budget experiment' 'says whatif budget experiment'
check "of --percentiles" '! says compare percentiles plan' 'says plan percentiles "one: 99.9"'

mistake() { # words expected, arguments
  local words=$1
  shift
  run "$@"
  check "tailproof $*" 'exits 64' 'quiet_out' 'err "$words"' '[ "$(wc -l <"$scratch/err")" -eq 1 ]'
}

mistake 'did you mean verify?' verfiy
mistake 'did you mean percentiles?' percentile
mistake 'did you mean check?' chekc
mistake 'see tailproof --help' frobnicate
mistake 'see tailproof --help' foo
mistake 'see tailproof tail: it says why slow requests are slow' why
mistake 'see tailproof tail: ' slow
mistake 'see tailproof percentiles: ' p99
mistake "--slo 'p99<50ms' says whether an objective is met" slo
mistake 'see tailproof profile: --plot draws a flame graph' flame
mistake 'see tailproof trace whatif' Latency
mistake 'did you mean tail?' tial
mistake 'did you mean lsp?' lps
mistake 'name traces, an event log, or a table (.csv); see tailproof tail --help' tail
mistake 'name traces' trace path
mistake 'name traces' trace fold
mistake 'name summaries of traces' trace merge
mistake 'name a profile' profile show
mistake 'name two profiles' profile diff one
mistake 'name only one: a protocol file' bound a b
mistake 'unknown command ""' ''
mistake 'did you mean --json?' verify --jsno x
mistake 'did you mean --timeout?' verify --timeuot 3 x
mistake 'did you mean --data?' percentiles --dat0 d x
mistake '"-Q"' verify -Q x
mistake '"--foo"' verify specs/lock.tp --foo
mistake '"--foo"' verify x --json y --foo z
mistake '"-Q"' verify x -Q
mistake '"-Q"' verify -hQj 2 x
mistake '"--json=3"; did you mean --json?' verify x --json=3
mistake 'a value is missing behind "--jobs"' verify --jobs
mistake '--jobs 0: give a whole number from 1 to 1024' verify --jobs 0 x
mistake '--jobs 3x: ' verify --jobs 3x x
mistake '--jobs -1: ' verify --jobs -1 x
mistake '--jobs 99999999999999999999: ' verify --jobs 99999999999999999999 x
mistake 'give seconds' verify --timeout 0 x
mistake 'give seconds' verify --timeout -1 x
mistake 'give seconds' verify --timeout soon x
mistake 'give seconds' verify --timeout 1e9 x
mistake '"--set"' verify --set n=1 x
mistake 'only one: a protocol file' percentiles --data d a b
mistake '--data DIR' percentiles x
mistake 'NAME=VALUE' percentiles --data d --set n x
mistake 'NAME=VALUE' percentiles --data d --set =2 x
mistake 'NAME=VALUE' percentiles --data d --set n= x
mistake 'the same name twice' percentiles --data d --set n=1 --set n=2 x

# --- options that another question of the command takes -----------------------------------------------
mistake 'it has no use for "--plot"; leave it out; it belongs to whatif throughput' whatif predict --throughput 1000 --saved 1ms --plot x.svg
mistake 'it has no use for "--journal"' whatif predict --journal j.jsonl --throughput 1000 --saved 1us
mistake 'it has no use for "--points"; leave it out; it belongs to whatif predict' whatif throughput plan.yaml --points p.csv
mistake 'leave out the other options' whatif predict --points p.csv --saved 1ms
mistake '--with is about --check' certify --out there --with z3 specs/lock.tp
mistake '--every is about --check' certify --out there --every 2 specs/lock.tp

# --- values that the protocol's assumptions exclude: said once, before anything is proved ---------
lock=(specs/lock.tp --set n=0)
mistake 'the assumption "n >= 1" does not hold for n = 0' bound "${lock[@]}"
mistake 'the assumption "n >= 1" does not hold for n = 0' percentiles "${lock[@]}" --bound full_circle --data examples/token_ring/recorded
run bound specs/lock.tp --set n=2 --set hops=1
check "values that it allows" 'exits 0' 'quiet_err'

# --- old names, for one version ---------------------------------------------------------------------
old_name() { # command, old, new, then arguments with the old name
  local command=$1 old=$2 new=$3 told
  shift 3
  run "$@"
  cp "$scratch/out" "$scratch/old"
  told=$(cat "$scratch/err") was=$status
  run "${@/#--$old/--$new}"
  check "$command --$old is --$new: the same answer, and a note" '[ "$was" -eq "$status" ]' 'cmp -s "$scratch/old" "$scratch/out"' \
    '[ "$(grep -c "^tailproof $command: --$old is --$new now; the old name goes with the next version\$" <<<"$told")" = 1 ]' \
    '! err "old name"'
  "$program" $command --help >"$scratch/out"
  check "... of which the help of $command says so, once" 'out "  --$old is --$new now; the old name goes with the next version"' \
    '[ "$(grep -c -- "--$old\b" "$scratch/out")" = 1 ]'
}
printf 'A_us,B_us,Latency_us\n1,2,3\n' >"$scratch/table.csv"
old_name replay joint out replay specs/lock.tp "$scratch/nowhere" --joint "$scratch/x.csv"
old_name tail calls call-graph tail "$scratch/table.csv" --calls "$scratch/nowhere"
old_name 'whatif throughput' svg plot whatif throughput "$scratch/nowhere" --svg x.svg
old_name profile budget overhead profile --adaptive --budget 5 -- true
old_name 'profile simulate' budget overhead profile simulate "$scratch/nowhere" --budget 5

finish
