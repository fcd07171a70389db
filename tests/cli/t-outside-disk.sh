#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --probes writes events as they come: a recorder that is killed at any moment, a disk that is full and a hang-up leave what was
# recorded until then, in whole lines that can be paired; files are ended at a size, and no probe is left in a program.
. "$(dirname "$0")/tap.sh"
here=$PWD
tools=$(dirname "$program")/tests/tools
[ -x "$tools/probed" ] || { echo "not ok 1 - $tools/probed is not built"; exit 69; }
cp "$tools/probed" "$scratch/probed"
cd "$scratch" || exit 70
cat >probes.yaml <<END
probes:
  begin: {uprobe: "$scratch/probed:serve_order", read: {id: "*(arg1)"}}
  end: {uretprobe: "$scratch/probed:serve_order", read: {result: ret}}
places: {server: 'probed '}
moments:
  begun: {probe: begin, at: server}
  ended: {probe: end, at: server, where: thread == begun.thread}
request: {name: serve, node: server, from: begun, to: ended}
steps:
  server.Serve: {from: begun, to: ended, component: Serve}
END

# --- what is read of a file that was cut ---

printf '# tailproof events: x\nclock 1\nstart 5\nprocess 7 probed 1 \n10 begin 7 7 id=1\n20 end 7 7 result=1\n30 begin 7 7 id=2\n40 end 7 7 result=12' >cut
run record pair probes.yaml cut --out cut.out
check "a last line without its end is left out: a number may lack digits" 'exits 0' 'out "1 of 2 requests paired (50.00 %)"'
sed '/^process/d' cut >bare
run record pair probes.yaml bare --out bare.out
check "without command lines they are asked for" 'exits 64' 'err "bare: says of no process what it is; give --processes FILE"' '[ ! -e bare.out ]'
printf 'start 50\n60 begin 7 7 id=3\n70 end 7 7 result=3\nend 80\n' >later
printf 'start 5\nprocess 7 probed 1 \n10 begin 7 7 id=1\n20 end 7 7 result=1\nend 45\n' >sooner
run record pair probes.yaml sooner later --out both.out
check "several files are one recording" 'exits 0' 'out "2 of 2 requests paired (100.00 %)"'
run record pair probes.yaml later sooner --out no.out
check "in their order" 'exits 65' 'err "sooner: begins before later ends"'
run record --probes probes.yaml --rotate 1 -- true
check "what is rotated has a name" 'exits 64' 'err "--rotate MB is of --keep-events FILE"'

# --- kept as it comes ---

run record --probes probes.yaml --keep-events events -- ./probed 10
if [ "$status" -eq 69 ]; then
  check "this machine does not permit it: one line says so" '[ "$(wc -l <err)" -eq 1 ]'
  echo "# left out: everything that attaches probes, as this machine does not permit it"
  finish
  exit 0
fi
check "a process is named by its command line" 'exits 0' 'grep -qx "process [0-9]* ./probed 10 " events' '[ "$(grep -c " begin " events)" -eq 10 ]'
run record pair probes.yaml events --out paired
check "so that events can be paired alone" 'exits 0' 'out "10 of 10 requests paired"'

readable() { # FILE: all lines but perhaps the last are whole
  run record pair probes.yaml "$1" --out "$1.out"
  check "$2" 'exits 0' 'out " requests paired"' '! out "0 of 0"'
}
# Whether the code of a process is as it is in the file: no breakpoint is in it.
cat >as_in_file.py <<'END'
import sys
pid, name = sys.argv[1:]
for line in open("/proc/%s/maps" % pid):
    at, how, offset, _, _, *path = line.split()
    if "x" not in how or path[:1] != [name]:
        continue
    start, end = (int(x, 16) for x in at.split("-"))
    memory, file = open("/proc/%s/mem" % pid, "rb"), open(name, "rb")
    memory.seek(start), file.seek(int(offset, 16))
    bytes_there = file.read(end - start)
    sys.exit(memory.read(len(bytes_there)) != bytes_there)
sys.exit(2)
END
# What is on disk is what happened, without a gap, up to some moment: calls are numbered, and return 2 ID - 1. And what `pair` made of
# it says no more: all that have an end there are paired, and the others may have ended.
cat >as_it_was.py <<'END'
import os, re, sys
text = open(sys.argv[1]).read()
lines = re.findall(r"^\d+ (begin|end) .*(?:id|result)=(-?\d+)$", text[:text.rfind("\n") + 1], re.M)
ids = [int(value) for what, value in lines if what == "begin"]
ends = [int(value) for what, value in lines if what == "end"]
if ends and (not ids or ends[0] != 2 * ids[0] - 1):
    ends = ends[1:] # of a call that had begun when the probes came
ends = ends[:len(ids)] # at an orderly end the probe of beginnings is taken away first
assert ids == list(range(ids[0], ids[0] + len(ids))) if ids else not ends, "a gap"
assert ends == [2 * id - 1 for id in ids][:len(ends)] and len(ends) >= len(ids) - 1, "an end is lost"
told = re.search(r"^(\d+) of (\d+) requests paired", sys.argv[3], re.M)
assert [int(told[1]), int(told[2])] == [len(ends), len(ids)] if told else not ids, (sys.argv[3], len(ends), len(ids))
left = os.path.join(sys.argv[2], "left_over")
if os.path.exists(left):
    doubtful = re.findall(r"^doubtful (\d+)-(\d+)$", open(left).read(), re.M)
    assert sum(int(last) - int(first) + 1 for first, last in doubtful) == len(ids) - len(ends)
END
signals="KILL HUP KILL"
[ -n "${TEST_ALL:-}" ] && signals="HUP $(printf 'KILL %.0s' {1..20})"
for signal in $signals; do
  rm -rf killed killed.out killed.events
  ./probed 100000000 20 >/dev/null & busy=$!
  until_true '[ "$(cat /proc/$busy/cmdline | tr "\0" " ")" = "./probed 100000000 20 " ]'
  kept="--keep-events killed" wanted=$((RANDOM % 3 * (RANDOM % 400))) # 0: while it attaches, or at once
  [ $((RANDOM % 2)) -eq 0 ] && kept="--out killed"
  # shellcheck disable=SC2086
  "$program" record --probes probes.yaml --pid $busy $kept >said 2>&1 & tracer=$!
  file=killed
  [ "$kept" = "--out killed" ] && file=killed.events
  if [ $wanted -eq 0 ] && [ $signal = KILL ]; then
    sleep "0.$((RANDOM % 40 + 10))"
  else
    until_true '[ "$(grep -c " end " $file)" -gt $wanted ]'
  fi
  kill -$signal $tracer
  wait $tracer 2>/dev/null
  if [ $signal = HUP ] && [ "$kept" = "--out killed" ]; then
    check "SIGHUP ends it as Ctrl-C does, $kept" 'grep -q "requests paired" said' '[ ! -e killed.events ]'
  else
    run record pair probes.yaml $file --out killed.out
    check "SIG$signal at some moment, $kept: what is on disk is what happened" \
      '[ ! -s $file ] || python3 as_it_was.py $file killed.out "$(cat out err)"'
  fi
  check "the program goes on, and has no breakpoint" 'kill -0 $busy' 'until_true "python3 as_in_file.py $busy $scratch/probed || ! kill -0 $busy"' 'python3 as_in_file.py $busy "$scratch/probed"'
  kill $busy
  wait $busy 2>/dev/null
done

(ulimit -f 64; exec "$program" record --probes probes.yaml --keep-events full -- ./probed 5000) >out 2>err </dev/null
status=$? last="record --probes, no space left"
check "a full disk is said" 'exits 70' 'err "full: cannot be written: "' 'err "what came before is there, in whole lines"' '[ "$(tail -c 1 full | od -An -c | tr -d " ")" = "\n" ]'
readable full "and what came before can be paired"
echo old >older
(ulimit -f 64; exec "$program" record --probes probes.yaml --keep-events older -- ./probed 5000) >out 2>err </dev/null
check "it takes the place of an older file, too" '[ "$(wc -l <older)" -gt 100 ]'
mkdir small
if mount -t tmpfs -o size=100k none small 2>/dev/null; then
  run record --probes probes.yaml --out small/store -- ./probed 5000
  check "a full disk with --out: its events are left" 'exits 70' 'err "small/store.events: cannot be written: No space left"' '[ "$(wc -l <small/store.events)" -gt 100 ]'
  cp small/store.events moved
  umount small
  readable moved "and can be paired where there is space"
fi

run record --probes probes.yaml --keep-events turned --rotate 1 --keep-files 2 -- ./probed 30000
files=$(ls turned turned.* 2>/dev/null | sort -t. -k2n | tr '\n' ' ')
check "files of a size, of which the last ones are kept: $files" 'exits 0' '[ "$(ls turned* | wc -l)" -eq 2 ]' \
  'for file in $files; do [ "$(stat -c %s $file)" -le 1048576 ] && grep -q "^process" $file && tail -n 1 $file | grep -q "^end " || false; done'
# shellcheck disable=SC2086
run record pair probes.yaml $files --out turned.out
check "and paired" 'exits 0' 'out " requests paired (" && ! out "0 of 0"'
run record --probes probes.yaml --keep-events turned --rotate 1 -- ./probed 10
[ -e turned ] || run record --probes probes.yaml --keep-events turned.2 --rotate 1 -- ./probed 10
run record --probes probes.yaml --keep-events turned --rotate 1 -- ./probed 10
check "none is overwritten" 'exits 70' 'err "File exists; a recording in several files overwrites none"'

# --- as a service ---

./probed 100000000 20 >/dev/null & busy=$!
until_true '[ "$(cat /proc/$busy/cmdline | tr "\0" " ")" = "./probed 100000000 20 " ]'
"$program" record --probes probes.yaml --pid $busy --keep-events served --reopen >said 2>&1 & tracer=$!
last="record --reopen"
until_true '[ "$(grep -c " end " served)" -gt 20 ]'
kill -HUP $tracer
until_true '[ -e served.2 ] && [ "$(grep -c " end " served.2)" -gt 20 ]'
check "a hang-up ends the file, and the recording goes on in the next" 'kill -0 $tracer' 'tail -n 1 served | grep -q "^end "' 'grep -q "^process $busy " served.2'
kill $tracer $busy
wait $tracer $busy 2>/dev/null
run record pair probes.yaml served served.2 --out served.out
check "both are one recording" 'exits 0' 'out " requests paired"' '! out "0 of 0"'
unit=$here/examples/agent/tailproof-record.service
if command -v systemd-analyze >/dev/null; then
  sed "s|/usr/bin/tailproof|$program|" "$unit" >tailproof-record.service
  last="systemd-analyze verify" status=0
  systemd-analyze verify --man=no ./tailproof-record.service >out 2>err || status=$?
  check "the unit is one" 'exits 0' '! grep -q tailproof-record.service err'
fi
options=$(sed -n 's/.*exec \/usr\/bin\/tailproof \(.*\)/\1/p' "$unit" | grep -o -- "--[a-z-]*" | sort -u | tr '\n' ' ')
check "the options of the unit are those of the program: $options" '[ -n "$options" ]' \
  'for option in $options; do "$program" record --help | grep -q -- "$option" || false; done'
finish
