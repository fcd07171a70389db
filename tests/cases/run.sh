#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Protocols in folders by the verdict they must get. The first line of each says the command; the
# stable part of what it prints is in the .expect beside it. `run.sh --accept` writes those files:
# read the difference before it is committed. Of `verify --explain` it also has how tight bounds are. A file with a line
# "# long: make test-all" is left out without TEST_ALL; of one with "# explained: make test-all" only the explanation is,
# which may take a hundred times as long as the proof, but not how tight its bounds are. Those with "# in turn: make test-all"
# take a second of processor time or more: of them every third, each day others.
cd "$(dirname "$0")" || exit 1
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=../../$BUILD ;; esac
program=$BUILD/tailproof
export XDG_CACHE_HOME=/dev/null # nothing can be kept there: everything is proved
accept=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
count=0 turn=$(($(date +%s) / 86400 % 3))

report() { # status, name
  count=$((count + 1))
  if [ "$1" -eq 0 ]; then
    echo "ok $count - $2"
  else
    echo "not ok $count - $2"
    { head -c 3000 "$scratch/difference"; head -c 1500 "$scratch/err"; } | sed 's/^/# /'
  fi
}

# Times, numbers of executions and the solver's own words differ between machines. The first line is whether the folder's
# verdict holds for every bound.
stable_json() { # the folder; whether to say how tight bounds are that are not explained
  gojq -rs --arg verdict "$1" --argjson tight "$2" '
    ([.[] | select(.kind == "bound")] | length > 0 and all(.verdict == $verdict and
      (if $verdict == "proved" then .reached.steps > 0 and .failed == 0
       elif $verdict == "refuted" then (.counterexample | (.execution | length) > 0 and
         ([.time_ns, .bound_ns] | map(split("/") | (.[0] | tonumber) / ((.[1] // "1") | tonumber)) | .[0] > .[1]))
       else (.reason | length) > 0 end))),
    (.[] | if .kind == "bound" then
      "bound \(.name): \(.verdict)" +
      (if .reason then ": " + (.reason | sub(" \\([^()]*\\)$"; "") | sub(", and [0-9]+ more of [0-9]+ obligations"; "")) else "" end) +
      (if .reached == null then " [not reached]" else "" end) +
      (if .explanation or $tight then ", \(.tightness.text)" else "" end)
    elif .kind == "diagnostic" then "\(.file):\(.line):\(.column): \(.severity)[\(.code)]: \(.message)"
    elif .kind == "summary" then "\(.proved) proved, \(.refuted) refuted, \(.unknown) unknown"
    else empty end)' "$scratch/out"
}

stable_text() {
  echo true
  sed -nE '/^[^ ]+: [^ ]+: (proved|refuted|unknown)(: |$)/{
    s/ \([^()]*\)$//; s/, and [0-9]+ more of [0-9]+ obligations//; p
  }; /The induction fails here/p; /^ *a state that has every invariant:/p
    /^ *then .* does /p; /^ *and the state is:/p; /^[0-9]+ proved, /p' "$scratch/out"
}

# The folder's verdict is that of the exit code, and of every bound.
matches() { # folder, exit status
  case $1 in
  proved) [ "$2" -eq 0 ] ;;
  refuted) [ "$2" -eq 1 ] ;;
  unknown) [ "$2" -eq 2 ] ;;
  error) [ "$2" -eq 65 ] && return 0 || return 1 ;;
  esac && [ "$holds" = true ]
}

# Files that have a line which leaves something to TEST_ALL.
with() { [ -n "${TEST_ALL:-}$accept" ] || grep -lx "# $1: make test-all" {proved,refuted,unknown,error}/*.tp; }
long=$(with long) explained=$(with explained) by_turns=$(with 'in turn')
in_list() { [[ $'\n'$1$'\n' == *$'\n'$file$'\n'* ]]; }

for file in {proved,refuted,unknown,error}/*.tp; do
  folder=${file%%/*} expected=${file%.tp}.expect
  command=$(sed -n '1s/^# run: //p' "$file")
  : >"$scratch/difference"
  : >"$scratch/err"
  if in_list "$long"; then
    echo "# left out: $file (TEST_ALL=1, or make test-all)"
    continue
  fi
  if in_list "$by_turns"; then
    turn=$((turn + 1))
    if [ $((turn % 3)) -ne 0 ]; then
      echo "# left to another day: $file (TEST_ALL=1, or make test-all)"
      continue
    fi
  fi
  if [ -z "$command" ]; then
    report 1 "$file: the first line says what to run"
    continue
  fi
  tight=false
  if in_list "$explained"; then
    command=${command/ --explain/} tight=true
  fi
  # shellcheck disable=SC2086
  (ulimit -t 240 && exec timeout 7200 "$program" $command "$file") >"$scratch/out" 2>"$scratch/err" </dev/null
  status=$?
  if [[ $command == *--json* ]]; then stable_json "$folder" $tight; else stable_text; fi >"$scratch/said"
  { read -r holds && cat >"$scratch/stable"; } <"$scratch/said"
  [ "$accept" != --accept ] || cp "$scratch/stable" "$expected"
  matches "$folder" $status
  good=$?
  [ $good -eq 0 ] || echo "exit $status" >"$scratch/difference"
  diff "$expected" "$scratch/stable" >>"$scratch/difference" 2>&1 || good=1
  report $good "$file is $folder"
done

: >"$scratch/err"
orphans=$(for expected in */*.expect; do [ -e "${expected%.expect}.tp" ] || echo "$expected"; done)
echo "$orphans" >"$scratch/difference"
[ -z "$orphans" ]
report $? "every .expect has its protocol"
echo "1..$count"
