#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# profile: shares are right, functions have their callers and their names, and what forbids sampling
# is said. TEST_ALL=1: a hundred runs of known shares.
. "$(dirname "$0")/tap.sh"
tools=$(dirname "$program")/tests/tools
sources=$PWD/tests/tools
[ -x "$tools/shares" ] || { echo "not ok 1 - $tools/shares is not built"; exit 69; }
cd "$scratch" || exit 70

# The functions of the programs callers.c are called NAME_of_CALLER: each line says by how many
# samples a caller was right, missing, or another.
callers() { # FILE
  "$tools/stack_callers" "$1" | awk '$1 != "leaf" && $3 ~ /_of_/ {
      wanted = $3
      sub(/.*_of_/, "", wanted)
      kind = index($2, wanted) == 1 ? "right" : $2 == "[unknown]" ? "missing" : "wrong"
      print kind, $1, $2, $3
    }'
}
sum() { awk -v kind="$1" '$1 == kind { n += $2 } END { print n + 0 }' edges; }
# Every function of the program was seen.
all_seen() {
  local name
  for name in leaf_of_plain plain_of_main leaf_of_greedy greedy_of_main host_of_main work_of_handler \
    interrupted_of_main work_of_forked forked_of_start program_of_main work_of_short_thread; do
    grep -q " $name\$" edges || return 1
  done
}

run profile -- true
if [ "$status" -eq 69 ]; then
  check "without the right to sample, one line says so" '[ "$(wc -l <err)" -eq 1 ]' 'err "tailproof profile: "'
  echo "# left out: everything else, as this machine does not let programs be sampled"
  finish
fi
check "a program that does nothing" 'exits 0' 'out "samples in"' 'quiet_err'

# All samples of a run fit in: none is lost on a machine where the sampler waits for a processor.
ring=
[ "$(id -u)" -ne 0 ] || ring="--ring 4096"

# --- shares ---

# Pieces of a small part of the time between samples, of about that time, and of many times as much: the
# intervals of all functions hold at once, in 99 of 100 runs.
# The large ones are few in a second of a slow machine.
runs=1 seconds=0.4
[ -z "${TEST_ALL:-}" ] || runs=100 seconds=1
for rounds in 25000 500000 10000000; do
  [ $rounds -lt 10000000 ] || seconds=1.6
  missed=0
  for ((seed = 1; seed <= runs; seed++)); do
    for _ in 1 2 3 4 5 6; do # again where the program's own clock is wrong
      # shellcheck disable=SC2086
      run profile --rate 999 $ring --json --full -- "$tools/shares" $seconds $seed $rounds
      "$sources/share_truth.py" err out >>wrong
      held=$?
      [ $held -eq 99 ] || break
    done
    missed=$((missed + (held != 0)))
  done
  last="$missed of $runs runs have a share outside of its interval, pieces of $rounds rounds"
  check "all shares of a run are within their intervals, pieces of $rounds rounds" 'exits 0' '[ "$missed" -le $((runs / 100)) ]' 'json_lines' \
    'json ".[0] | .kind == \"sampling\" and .rate == 999 and .samples > 200 and .lost == 0 and .reached > 900"'
  [ -z "${TEST_ALL:-}" ] || echo "# $last"
done
sed 's/^/# /' wrong

# --- who called whom ---

for flags in "-O2 -fomit-frame-pointer" "-O1 -fno-omit-frame-pointer"; do
  # shellcheck disable=SC2086
  ${CC:-gcc} $flags -pthread -o callers "$sources/callers.c"
  run profile --rate 1999 $ring --out calls.tpp -- ./callers 200
  callers calls.tpp >edges
  last="$flags: $(sum right) samples with the right caller, $(sum missing) with none, $(sum wrong) with another"
  check "callers, $flags" 'exits 0' '[ "$(sum wrong)" -eq 0 ]' '[ "$(sum right)" -gt 300 ]' \
    '[ "$(sum missing)" -eq 0 ]' all_seen
  run profile show calls.tpp --format folded
  check "callers of a signal handler, $flags" 'grep -q "main;interrupted_of_main;.*;work_of_handler" out' '! grep "work_of_handler" out | grep -qv "interrupted_of_main"'
done
${CC:-gcc} -O2 -g -fomit-frame-pointer -pthread -o callers "$sources/callers.c"
run profile --rate 1999 $ring --out calls.tpp -- ./callers 200
"$tools/stack_callers" calls.tpp >pairs
callers calls.tpp >edges
last="debug information: $(grep -c _.i.$ pairs) pairs with a function put into another"
check "functions that the compiler put into others are named by debug information, and only there" 'exits 0' \
  'grep -q "^[0-9]* host_of_main square_\[i\]$" pairs' '[ "$(grep -c " square_\[i\]$" pairs)" -eq 2 ]' \
  'grep -q "^leaf 0 host_of_main$" pairs' '[ "$(sum wrong)" -eq 0 ]'
${CC:-gcc} -O2 -static -fno-asynchronous-unwind-tables -pthread -o callers "$sources/callers.c"
run profile --rate 1999 $ring --out calls.tpp -- ./callers 200
callers calls.tpp >edges
last="no tables: $(sum right) samples with the right caller, $(sum missing) with none, $(sum wrong) with another"
check "callers, of a program without unwind tables and frame pointers: not known, and not wrong" \
  'exits 0' '[ "$(sum wrong)" -eq 0 ]' '[ "$(sum missing)" -gt 300 ]'
# The names alone are taken away: what is left is where functions begin.
strip callers
run profile --rate 999 --json --full -- ./callers 100
check "a program without names" 'exits 0' \
  'json "[.[] | select(.kind == \"function\" and .module == \"callers\")] | length > 0 and all(.named | not) and all(.name | test(\"^callers[+]0x\"))"'
# ten threads of 3.5 ms after each 35 ms: half of the time, of which a seventh and more is in no sample at 499 Hz
run profile --rate 499 --out short.tpp --json --full -- "$tools/short_lives" 8 3.5
truth=$(sed -n 's/^short_work //p' err)
within() { printf '[.[] | select(.kind == "function" and .name == "short_work")][0] | .total_share_lower <= %s and %s <= .total_share_upper' "$truth" "$truth"; }
check "threads that live for a few periods: what is in no sample can be theirs" 'exits 0' \
  'json ".[0].unseen > 0.02"' 'json "$(within)"'
run profile show short.tpp
check "so in what is kept" 'exits 0' 'said "which may be any function"'
run profile show short.tpp --format folded
check "and in folded text and pprof of it" 'exits 0' 'grep -q "^# unit=samples .* unseen=[1-9]" out' \
  '"$program" profile show short.tpp --format pprof --out short.pb.gz && "$program" profile show short.pb.gz --format folded | grep "^#" | diff - <(grep "^#" out)'
# by the clocks of processors: not short of samples by more than chance, and nothing of what else runs
"$tools/shares" 3 >/dev/null & busy=$!
run profile --rate 499 --short-threads --json --full -- "$tools/short_lives" 8 3.5
truth=$(sed -n 's/^short_work //p' err)
check "short threads by the clocks of processors" 'exits 0' 'json "$(within)"' 'json ".[0].samples > 150"' \
  'json "[.[] | select(.kind == \"function\" and .name == \"short_work\")][0] | .total_share - $truth | fabs < 0.17"'
check "others are interrupted, and in no sample" '! out "\"alpha\""'
kill $busy
{ wait $busy; } 2>/dev/null
run profile --short-threads --all --seconds 1
check "all is sampled so anyway" 'exits 64' 'err "--short-threads is of a program or a process"'
run profile --rate 499 --plot flame.html -- "$tools/shares" 0.1
check "a flame graph" 'exits 0' 'grep -q alpha flame.html' 'grep -q "<svg" flame.html'
run profile --plot flame.txt -- true
check "a picture of no kind" 'exits 64' 'err "flame.txt"' '[ ! -e flame.txt ]'
cp "$tools/shares" gone
for pause in 0.1 0.6 2.5; do
  seconds=$(awk -v pause=$pause 'BEGIN { print 3 * pause }') # it is named if the sampler came before it went
  run profile --rate 499 --json -- sh -c "cp gone gone2; ./gone2 $seconds 1 & sleep $pause; rm gone2; wait"
  json 'any(.name == "alpha")' && break
done
check "a program whose file is gone" 'exits 0' 'json "any(.name == \"alpha\")"'

# --- several languages ---

cat >work.js <<'END'
function hashing(n) { let h = 0; for (let i = 0; i < n; i++) h = (h * 31 + i) | 0; return h }
let s = 0
const end = process.cpuUsage().user + 400000
while (process.cpuUsage().user < end) s += hashing(200000)
END
cat >work.cc <<'END'
#include <ctime>
#include <vector>
namespace shop { struct Cart { std::vector<int> items; __attribute__((noinline)) long price(); }; }
long shop::Cart::price() { long sum = 0; for (int k = 0; k < 1000; k++) for (int i : items) sum += i ^ k; return sum; }
int main() {
  shop::Cart cart; cart.items.assign(1000, 7);
  volatile long sum = 0;
  while (clock() < CLOCKS_PER_SEC * 3 / 10) sum += cart.price();
}
END
cat >work.py <<'END'
import time
def hashing(n):
    h = 0
    for i in range(n):
        h = (h * 31 + i) & 0xffffffff
    return h
while time.process_time() < 0.3:
    hashing(20000)
END
# Only Python from 3.12 on says where its functions are.
python=/usr/bin/python3
for candidate in python3 python3.12 python3.13 python3.14 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[2-9]*/bin/python3; do
  "$candidate" -X perf -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>perf.err && python=$candidate
done
names=-Xperf
[ "$python" != /usr/bin/python3 ] || "$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' || names=
g++ -O2 -o work work.cc
run profile --rate 499 --json --full -- sh -c \
  'node --perf-basic-prof --interpreted-frames-native-stack work.js & ./work & "$0" $1 work.py & wait' "$python" $names
check "Node, C++ and Python in one run" 'exits 0' \
  'json "any(.kind == \"function\" and (.name | test(\"^(JS|LazyCompile):.?hashing \")) and .self_share > 0.05)"' \
  'json "any(.name == \"shop::Cart::price\" and .module == \"work\" and .self_share > 0.05)"' \
  'json "any((.module // \"\") | test(\"python3\"))"' \
  '[ -z "$names" ] || json "any(((.name // \"\") | startswith(\"py::hashing:\")) and .total_share > 0.05)"'
[ -n "$names" ] || echo "# left out: the names of Python's functions, as $python is older than 3.12"
run profile --rate 499 -- node work.js
check "Node without names: that they are missing, and how to get them" 'exits 0' \
  'said "[compiled at run time, without a name]"' 'said "start Node with --perf-basic-prof"'

# A virtual machine of Java starts and compiles for a second or two; once, so that the map stays true.
if [ -n "${TEST_ALL:-}" ]; then
  command -v javac >/dev/null && command -v jcmd >/dev/null || { echo "not ok 1 - javac is missing (apt-get install default-jdk-headless)"; exit 69; }
  cat >Work.java <<'END'
public class Work {
  static int hashing(int n) { int h = 0; for (int i = 0; i < n; i++) h = h * 31 + (i ^ (h >>> 3)); return h; }
  static int sorting(int n) { int[] a = new int[n]; for (int i = 0; i < n; i++) a[i] = i * 7919 % n; java.util.Arrays.sort(a); return a[n / 2]; }
  public static void main(String[] a) { int s = 0; while (s != 1) s = (s + hashing(20000) + sorting(2000)) | 2; }
}
END
  javac Work.java
  java -XX:+PreserveFramePointer -XX:TieredStopAtLevel=1 -XX:CompileCommand=dontinline,Work.hashing -XX:CompileCommand=dontinline,Work.sorting Work >java.out 2>&1 &
  target=$!
  until_true 'jcmd $target Compiler.perfmap >jcmd.out 2>&1 && grep -q "Work.hashing" /tmp/perf-$target.map && grep -q "Work.sorting" /tmp/perf-$target.map'
  run profile --rate 499 --seconds 2 --pid $target --json --full
  check "Java, by the map that jcmd writes" 'exits 0' \
    'json "any(((.name // \"\") | test(\"Work.hashing\")) and .self_share > 0.05)"' \
    'json "any(((.name // \"\") | test(\"Work.sorting\")) and .total_share > 0.05)"'
  kill $target
  wait $target 2>/dev/null
  rm -f "/tmp/perf-$target.map"
fi

# --- processes, files, ends ---

"$tools/shares" 2000 1 >/dev/null &
target=$!
run_until 'json "any(.name == \"alpha\" and .self_share > 0.1)"' profile --rate 499 --pid $target --json
check "a process that runs" 'exits 0' 'json "any(.name == \"alpha\" and .self_share > 0.1)"' 'kill -0 $target'
"$program" profile --rate 499 --out killed.tpp --pid $target >out 2>err &
sampler=$!
until_true '"$tools/stack_callers" killed.tpp | grep -q "main alpha"'
kill -9 $sampler
wait $sampler 2>/dev/null
last="profile --pid, killed"
check "the sampler is killed: its file is read, with names; the program goes on" \
  '"$tools/stack_callers" killed.tpp | grep -q "main alpha"' 'kill -0 $target'
run profile show killed.tpp
check "and says that its end is missing" 'exits 0' 'said "warning: killed.tpp: its end is missing"'
"$program" profile show killed.tpp --format folded --out killed.folded
run profile show killed.folded
check "in other forms, too" 'exits 0' 'said "its end is missing"'
# A ring holds a small part of a second of such samples. Until it is full the sampler is held.
"$program" profile --rate 9999 --ring 64 --seconds 2 --pid $target --out lost.tpp --json >out 2>err &
sampler=$!
until_true '[ -s lost.tpp ]'
used() { cut -d ' ' -f 1 /proc/$target/schedstat; }
from=$(used)
kill -STOP $sampler
until_true '[ $(($(used) - from)) -gt 300000000 ]'
kill -CONT $sampler
wait $sampler
status=$?
last="profile --pid, held for 0.3 s of the program's time"
check "lost samples are counted, and said" 'exits 0' 'json ".[0].lost > 0"' 'json "any(.name == \"alpha\")"'
run profile show lost.tpp
check "of a file, too" 'exits 0' 'said "records were lost"'
kill $target
wait $target 2>/dev/null
"$tools/shares" 2000 1 >/dev/null &
ends=$!
"$program" profile --rate 499 --pid $ends --out ends.tpp --json >out 2>err </dev/null &
sampler=$!
until_true '"$tools/stack_callers" ends.tpp | grep -q "main alpha" || ! kill -0 $sampler'
kill $ends
wait $sampler
status=$? last="profile --pid, of a process that ends"
check "a process that ends" 'exits 0' 'json "any(.name == \"alpha\")"'
run profile --pid $target
check "a process that is not there" 'exits 66' 'err "there is no process $target"' 'quiet_out' '[ "$(wc -l <err)" -eq 1 ]'
run profile -- sh -c 'exit 7'
check "the program's exit code" 'exits 7'
run profile -- no-such-program
check "a program that is not there" 'exits 69' 'err "no-such-program: cannot be run: No such file or directory"' 'quiet_out'
echo old >kept.tpp
for what in "--pid 999999999" "-- ./no-such-program"; do
  run profile --out kept.tpp $what
  check "a file is not lost to what cannot be sampled: $what" '! exits 0' 'grep -qx old kept.tpp' '[ "$(echo kept.tpp*)" = kept.tpp ]'
done
run profile --out made.tpp -- ./no-such-program
check "and none is made" 'exits 69' '[ "$(echo made.tpp*)" = "made.tpp*" ]'
run profile --out kept.tpp -- true
check "what was sampled takes its place" 'exits 0' '! grep -qx old kept.tpp' '[ "$(echo kept.tpp*)" = kept.tpp ]'
run profile --out no/such/folder -- true
check "a file that cannot be written" 'exits 70' 'err "no/such/folder: cannot be written"'
run profile
check "nothing to sample" 'exits 64' 'err "tailproof profile: name a program, a process, a cgroup or the machine"'
run profile --all --pid 1
check "two things to sample" 'exits 64' 'err "sample one thing at a time"'
run profile --pid x1
check "no number" 'exits 64' 'err "--pid x1: give the number of a process"'
run profile --rate 200000 -- true
check "too often" 'exits 64' 'err "the kernel takes at most 100000 samples a second"'
run profile --stack 12 -- true
check "half a word" 'exits 64' 'err "give a multiple of 8 below 65528"'
run profile --ring 100 -- true
check "half a ring" 'exits 64' 'err "give 64, 128, 256"'
# Of a group of processes only those in it are sampled, and all of them; a name of the file system is taken, too.
for group in /sys/fs/cgroup/unified /sys/fs/cgroup none; do
  [ -e $group/cgroup.procs ] && mkdir $group/tailproof-test-$$ 2>mkdir.err && break
done
if [ $group = none ]; then
  echo "# left out: a cgroup, as none may be made here: $(tail -1 mkdir.err)"
else
  group=$group/tailproof-test-$$
  cp "$tools/shares" inside
  cp "$tools/shares" outside
  ./outside 2000 1 >/dev/null &
  outside=$!
  sh -c "echo \$\$ >$group/cgroup.procs; ./inside 2000 1 >/dev/null & ./inside 2000 2 >/dev/null & wait" &
  shell=$!
  until_true '[ "$(wc -l <$group/cgroup.procs)" -eq 3 ]'
  run_until 'json "any(.name == \"alpha\" and .module == \"inside\")" && json ".[0].samples > 20"' profile --rate 499 --cgroup ${group#/sys/fs/cgroup/} --json --full
  check "a cgroup: its processes, and no others" 'exits 0' 'json "any(.name == \"alpha\" and .module == \"inside\" and .self_share > 0.1)"' \
    'json "all(.module != \"outside\")"' 'json ".[0].samples > 20"'
  kill $outside $(cat $group/cgroup.procs) 2>/dev/null
  wait $outside $shell 2>/dev/null
  until_true 'rmdir $group 2>/dev/null'
fi
run profile --cgroup no/such/group
check "no such cgroup" 'exits 66' 'err "name one below /sys/fs/cgroup"'

# --- permission ---

last="profile, in a container that forbids it"
"$tools/forbid" "$program" profile -- true >out 2>err
status=$?
check "in a container without the right" 'exits 69' 'err "filter of system calls forbids perf_event_open; start it with --cap-add PERFMON"' \
  '[ "$(wc -l <err)" -eq 1 ]' 'quiet_out'
if [ "$(id -u)" -eq 0 ]; then
  chmod 755 "$scratch"
  cp "$program" tailproof
  cp "$tools/shares" shares
  user() { setpriv --reuid 65534 --regid 65534 --clear-groups -- ./tailproof profile "$@" >out 2>err; status=$?; last="profile $* as another user"; }
  user --rate 999 -- ./shares 0.3 1
  check "a user's own program, without the kernel" 'exits 0' 'out alpha' 'said "The kernel is left out"' 'said "perf_event_paranoid"'
  user --all --seconds 1
  user --short-threads -- ./shares 0.1
  check "nor by the clocks of processors" 'exits 69' 'err "or leave out --short-threads"' '[ "$(wc -l <err)" -eq 1 ]'
  user --all --seconds 1
  check "a user cannot sample everything" 'exits 69' 'err "only with CAP_PERFMON or where kernel.perf_event_paranoid is below 1"' '[ "$(wc -l <err)" -eq 1 ]'
  sleep 1000 &
  user --pid $!
  check "nor another user's process" 'exits 69' 'err "is another user'"'"'s; sample it as that user or as root"' '[ "$(wc -l <err)" -eq 1 ]'
  kill $!
  user --ring 65536 -- true
  check "nor have rings of any size" 'exits 69' 'err "kernel.perf_event_mlock_kb"' '[ "$(wc -l <err)" -eq 1 ]'
  "$tools/shares" 2000 1 >/dev/null &
  run_until 'json "any(.name == \"alpha\" and .self > 0)"' profile --rate 499 --all --json --full
  check "everything" 'exits 0' 'json "any(.name == \"alpha\" and .self > 0)"'
  kill $!
  "$program" profile --all --seconds 60 --out kept.tpp >out 2>err &
  until_true 'grep -q "^CapEff:.*0000004400080004$" /proc/$!/status || ! kill -0 $!'
  rights=$(sed -n -E 's/^(CapPrm|CapEff|NoNewPrivs):\t//p' /proc/$!/status | tr '\n' ' ')
  kill -INT $!
  wait $!
  status=$? last="profile --all, as root"
  check "who samples keeps four capabilities, and gains none" 'exits 0' '[ "$rights" = "0000004400080004 0000004400080004 1 " ]' '[ -s kept.tpp ]'
fi
finish
