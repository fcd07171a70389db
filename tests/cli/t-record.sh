#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record: runs a program, passes on its exit code and signals, and says what was collected.
. "$(dirname "$0")/tap.sh"
case $BUILD in /*) tools=$BUILD/tests/tools ;; *) tools=$PWD/$BUILD/tests/tools ;; esac
recorder=$tools/recorder
[ -x "$recorder" ] || { echo "not ok 1 - $recorder is not built"; exit 69; }
cd "$scratch" || exit 70

run record --out one --node 'backup[1]' -- "$recorder" component Grant 100 1500 request round 3 5000000 say hello
check "a program's store, and what is in it" 'exits 0' 'out hello' '[ "$(wc -l <out)" -eq 1 ]' \
  'err "backup[1], process"' 'grep -qE "^  Grant +100 +1.500 us +1.500 us +1.500 us$" err' \
  'grep -qE "^  round +3 " err' '[ -e "one/backup[1]."*.tps ]'
run record --out one -- "$recorder" component Grant 1 1
check "a folder that holds something" 'exits 64' 'err "one: holds something already; name a new folder"' 'quiet_out'
run record -- "$recorder" component Grant 1 1
check "without a folder" 'exits 0' '[ -d tailproof-store ]'
mkdir -p elsewhere
run record --out elsewhere -- sh -c "mkdir deep && cd deep && exec '$recorder' component Grant 1 1"
check "an empty folder, and a program that goes elsewhere" 'exits 0' '[ "$(ls elsewhere | wc -l)" -eq 1 ]'

run record --out code -- "$recorder" component Grant 5 1 exit 7
check "the program's exit code" 'exits 7' 'err "Grant"'
run record --out killed -- "$recorder" component Grant 5 1 kill
check "a program that was killed" 'exits 137' 'err "was killed by signal 9 (Killed)"' 'err "not closed"' 'grep -qE "^  Grant +5 " err'
run record --out nothing -- true
check "a program that records nothing" 'exits 65' 'err "nothing was recorded: true opened no store; link it with libtailproof-measure"' \
  '[ "$(grep -c . err)" -eq 1 ]'
run record --out nothing2 -- "$recorder" say quiet
check "a store without records" 'exits 65' 'err "opened a store and wrote nothing"'
check "which is linked, then" '! err "link it"' '[ "$(grep -c . err)" -eq 1 ]'
for kilobytes in 16 200; do # too few for a store; for a store, but not for its log
  (ulimit -f $kilobytes && exec "$program" record --out full$kilobytes -- "$recorder" component Grant 1 1) >out 2>err
  status=$? last="record, with files of at most $kilobytes KB"
  check "no room, $kilobytes KB: that is what is said, not how to link" 'err "nothing was recorded: "' 'err " cannot take "' 'err ": File too large; make room, or name another folder"' \
    '! err "link it"' '[ "$status" -ne 0 ]' '! ls full$kilobytes | grep -q room'
done
run record --out nothing3 -- false
check "a program that fails and records nothing" 'exits 1' 'err "nothing was recorded"'
run record --out missing -- no-such-program
check "a program that is missing" 'exits 69' 'err "no-such-program: cannot be run: No such file or directory"' '[ ! -e missing ]'
run record
check "no program" 'exits 64' 'err "tailproof record: name a program to run"'
run record --out x --node "$(printf '%064d' 0)" -- true
check "a node's name that is too long" 'exits 64' 'err "with at most 63 bytes"' '[ ! -e x ]'
run record --out x --node 'back/up' -- true
check "a node's name that no file can have" 'exits 64' 'err "unusable node \"back/up\""' '[ ! -e x ]'
run record --out no/such/folder -- true
check "a folder that cannot be made" 'exits 70' 'err "no/such/folder: cannot be made: No such file or directory; name another folder"'

run record --json --out json -- "$recorder" component Grant 4 100 garbage Request 2 say words
check "JSON" 'exits 0' 'json_lines' 'err words' \
  'json "[.[].kind] == [\"store\",\"series\",\"recorded\"]"' \
  'json ".[0] | .records == \"6\" and .bad_stamps == \"2\" and .closed"' \
  'json ".[1] | .name == \"Grant\" and .observations == \"4\" and .p50_ns == \"100\" and .infinite == \"0\""' \
  'json ".[2] | .stores == 1 and .exit == 0 and .signal == 0"'

# INT and TERM to record alone reach the program, which ends by them; the store is read all the same.
for signal in INT TERM; do
  rm -rf waits && mkfifo ready.$signal
  (trap - INT; exec "$program" record --out waits -- "$recorder" component Grant 3 1 say ready pause) >ready.$signal 2>err &
  recording=$!
  read -r _ <ready.$signal
  kill -$signal $recording
  wait $recording
  status=$? last="record, then SIG$signal"
  check "SIG$signal is passed on" "exits $((128 + $(kill -l $signal)))" 'err "was killed by signal"' 'grep -qE "^  Grant +3 " err'
done

# The shared library beside the program; with sanitizers it cannot be preloaded into others.
shared=$(dirname "$program")/libtailproof-measure.so.1
if [ -e "$shared" ] && [ -z "${SANITIZED:-}" ]; then
  run record --preload --out preloaded -- sh -c 'printf "%s" "$LD_PRELOAD"'
  check "--preload" 'exits 65' 'out "$shared"' '! err "give --preload"'
fi
mkdir 'a lone' && cp "$program" 'a lone/tailproof' && : >'a lone/libtailproof-measure.so.1'
program="$PWD/a lone/tailproof" run record --preload --out preloaded3 -- true
check "--preload of a library that the loader would not find" 'exits 69' 'err "as its path has a blank or a colon"' \
  '[ "$(grep -c . err)" -eq 1 ]' '[ ! -e preloaded3 ]'
mkdir alone && cp "$program" alone/tailproof
program=$PWD/alone/tailproof run record --preload --out preloaded2 -- true
if ldconfig -p | grep -q libtailproof-measure; then
  check "--preload of an installed library" 'exits 65'
else
  check "--preload without the library" 'exits 69' 'err "is neither beside this program nor where the loader looks"' '[ ! -e preloaded2 ]'
fi
finish
