#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Numbers have one grammar in every option of every command: what other programs read as hexadecimal, signed, infinite or
# with blanks is refused by a line that names the option, its value and what to give. Shares are 5% or 0.05, everywhere.
. "$(dirname "$0")/tap.sh"

# "COMMAND QUESTION|OPTION|ARGUMENT" of all options whose value is a number: help says so by what it calls the value.
numbers=$(
  for command in $(sed -nE 's/^COMMAND\(([a-z]+)\)$/\1/p' cli/command/commands.def); do
    "$program" "$command" --help | awk -v command="$command" '
      /^  [- ][^ ]?,? +--/ { on = $0; sub(/^ *(-.,)? */, "", on); split(on, w, " "); if (w[2] ~ /^(N|S|SHARE|LEVEL|PAGES|BYTES|NS|C)$/) print command "|" w[1] "|" w[2] }'
  done | sort -u)
check "there are such options" '[ "$(wc -l <<<"$numbers")" -gt 40 ]'

# Those that are read when all else is known are held below; throughput, calls, noise and rate of others.
late='profile\|--(overhead|keep)|whatif\|--(throughput|workers|calls|noise)|load\|--rate|plan\|--(minimum|factor)|whatif\|--confidence'
last="COMMAND --OPTION VALUE"
declare -A questions=()
for command in $(cut -d '|' -f 1 <<<"$numbers" | sort -u); do
  questions[$command]=$("$program" "$command" --help | sed -nE 's/^ ?([a-z]+) [^:]*: .*/\1/p')
done
for value in 0x10 +16 ' 20' '20 ' inf nan 1e 1,5 -1 ''; do
  wrong=''
  while IFS='|' read -r command option kind; do
    [[ "$command|$option" =~ ^($late)$ ]] && continue
    status=0
    for question in '' ${questions[$command]}; do
      # shellcheck disable=SC2086
      said=$("$program" $command $question "$option" "$value" nothing 2>&1 >/dev/null </dev/null)
      [ $? -eq 64 ] && [[ $said =~ "$option "\"?"$value"\"?": "(give|not)" " ]] && status=1 && break
    done
    [ $status = 1 ] || wrong="$wrong $command $option;"
  done <<<"$numbers"
  check "\"$value\" is no number, in any of them" '[ -z "$wrong" ] || { last="$wrong"; false; }'
done

cd "$scratch" || exit 1
echo 'x' >x.tp
refuses() { # what is told, arguments
  local told=$1
  shift
  run "$@"
  check "tailproof $*" 'exits 64' 'err "$told"' '[ "$(wc -l <err)" -eq 1 ]'
}
for value in 0x20 +3 inf nan ' 20' -5 0 1e7 2/3; do
  refuses "--rate $value: give requests a second, a number above 0" load --rate "$value" http://127.0.0.1:1/ --out x.csv
done
for option in throughput calls workers; do
  given=(--throughput 5 --saved 1us)
  [ $option = throughput ] && given=(--saved 1us)
  for value in 0x10 +1 inf ' 3' 0 1/2; do refuses "--$option $value: give " whatif predict "${given[@]}" "--$option" "$value"; done
done
for value in 0x1% 1 100% 5 -1% 0.5%%; do refuses "--noise $value: give a share below 100%" whatif predict --throughput 5 --saved 1us --noise "$value"; done
refuses '--margin 0x2: give a factor' compare --margin 0x2 "$PWD/x.tp" "$PWD/x.tp"
for value in 0x1% 5 +0.1 nan ' 1%' 101%; do
  refuses "--overhead $value: give a part of a processor" profile --adaptive --overhead "$value" -- true
  refuses "--keep $value: give a share above 0" profile --keep "$value" -- true
done
refuses '--pid 0x1: give the number of a process' profile --pid 0x1
refuses '--pid +1: give the number of a process' profile --pid +1

# Two spellings, one answer.
run whatif predict --throughput 1e3 --saved 900us --noise 0.01 --json
cp out share
run whatif predict --throughput 1000 --saved 900us --noise 1% --json
check "0.01 and 1% are the same noise, 1e3 and 1000 the same throughput" 'exits 0' 'cmp -s out share'
for spelling in 99% 0.99 9.9e-1; do
  printf 'us\n1\n2\n3\n' >a.csv
  run compare --confidence $spelling a.csv a.csv --json
  [ $spelling = 99% ] && cp out first
  check "--confidence $spelling" '[ "$status" -ne 64 ]' 'cmp -s out first'
done
run verify --timeout 500ms "$specs/lock.tp" --no-cache
check "seconds may have a unit" 'exits 0'
finish
