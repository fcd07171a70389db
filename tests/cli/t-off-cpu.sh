#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where threads wait: profile --off-cpu, and tail with what it kept: of servers that wait in slow requests only.
# TEST_ALL=1: twenty runs of each kind of wait, and twenty without.
. "$(dirname "$0")/tap.sh"
tools=$(dirname "$program")/tests/tools
cd "$scratch" || exit 70

cat >naps.c <<'END'
#include <unistd.h>
static volatile unsigned long sink;
__attribute__((noinline)) void waits_long(void) { usleep(30000); sink++; }
__attribute__((noinline)) void computes(void) { for (long i = 0; i < 300000; i++) sink += i; }
int main(void) { for (int i = 0; i < 10; i++) { waits_long(); computes(); } }
END
gcc -O2 -o naps naps.c

run profile -- ./naps
if [ "$status" -eq 69 ]; then
  check "without the right to sample, one line says so" '[ "$(wc -l <err)" -eq 1 ]'
  finish
fi
check "a program that hardly ran: that is said, and what shows the rest" 'exits 0' 'said "The program waited for 9"' \
  'said "that it ran: \`profile --off-cpu\` shows the rest"'
run profile --off-cpu --out naps.tpp --json -- ./naps
if [ "$status" -eq 69 ]; then
  check "without the right to see stacks of waits, one line says so" '[ "$(wc -l <err)" -eq 1 ]' 'err "sysctl kernel.perf_event_paranoid=1"'
  finish
fi
waiting='[.[] | select(.kind == "waiting")]'
check "where it waited, and for how long" 'exits 0' 'quiet_err' 'json_lines' \
  'json "$waiting[0] | .thread == \"naps\" and .waits == 10 and .waited_ns >= 300000000 and .share > 0.5 and .longest_ns >= 30000000"' \
  'json "$waiting[0] | [.name, .called_by] | join(\" < \") | test(\"waits_long < main\")"' \
  'json ".[] | select(.kind == \"waits\") | .doubtful == 0 and .least_ns == 10000 and .ran_ns > 0 and .waited_ns >= 300000000"' \
  'json ".[] | select(.kind == \"sampling\") | .event == \"off-cpu\" and .lost == 0"'
run profile show naps.tpp --json
check "kept, without intervals" 'exits 0' 'json ".[0] | .kind == \"folded_stacks\" and .unit == \"ns of waiting (off-cpu)\" and .samples >= 10"' \
  'json "[.[] | select(.kind == \"function\")] | length > 1 and all(.[]; has(\"self_share_lower\") | not)"'
run profile show naps.tpp --format folded --out naps.folded
run profile show naps.folded
check "as folded text" 'exits 0' 'said "ns of waiting (off-cpu) in"' 'grep -q "^# unit=ns .*event=off-cpu" naps.folded'
run profile show naps.tpp --format pprof --out naps.pb.gz
run profile show naps.pb.gz --format folded
check "as pprof" 'exits 0' 'diff out naps.folded'
run merge --out both.pb.gz naps.tpp naps.tpp
check "added to its like" 'exits 0'
"$program" profile --rate 999 --out ran.tpp -- "$tools/shares" 0.1 >/dev/null 2>&1
run merge --out both.pb.gz naps.tpp ran.tpp
check "not to samples" 'exits 65' 'err "ns of waiting (off-cpu)"'
run profile diff naps.tpp naps.tpp
check "nor held against another" 'exits 65' 'err "it has waits (profile --off-cpu)"'
run profile simulate naps.tpp
check "nor taken for samples" 'exits 65' 'err "it has waits"'
run profile --off-cpu --rate 99 -- true
check "there is no rate" 'exits 64' 'err "leave out --rate"'
run profile --off-cpu-min 1ms -- true
check "a length of nothing" 'exits 64' 'err "give --off-cpu, too"'
run profile --off-cpu --off-cpu-min soon -- true
check "no length" 'exits 64' 'err "--off-cpu-min soon: give a time"'
run profile --off-cpu --off-cpu-min 1s --json -- ./naps
check "shorter waits are only counted" 'exits 0' 'json ".[] | select(.kind == \"waits\") | .brief + .waits >= 10 and .brief >= 5 and .brief_ns >= 150000000"'

# A wait that goes on when the recording begins, and one that does when it ends.
asleep() { [ "$(cut -d ' ' -f 2,3 "/proc/$1/stat")" = "(sleep) S" ]; }
sleep 7200 & sleeper=$!
until_true 'asleep $sleeper'
run profile --off-cpu --pid $sleeper --seconds 1 --json
check "a thread that waits all the time leaves no trace" 'exits 0' 'json ".[] | select(.kind == \"waits\") | .waits == 0 and .cut == 0"'
kill $sleeper
mkfifo go
bash -c 'read -r _ <go; exec sleep 7200' & shell=$!
"$program" profile --off-cpu --pid $shell --out cut.tpp --json >out 2>err & recorder=$!
until_true '[ -s cut.tpp ] || ! kill -0 $recorder'
sleep 0.3
echo >go
until_true 'asleep $shell'
sleep 0.1
kill -INT $recorder
wait $recorder
status=$? last="profile --off-cpu --pid, interrupted"
check "what is cut at either end is counted" 'exits 0' \
  'json ".[] | select(.kind == \"waits\") | .begun >= 1 and .begun_ns > 100000000 and .cut >= 1 and .cut_ns > 1000000"'
kill $shell
{ wait; } 2>/dev/null

# --- what slow requests wait in ---

hot='[.[] | select(.kind == "hot" and .significant)]'
serve() { # KIND SEED
  # with --json what the program prints goes to stderr
  "$program" profile --off-cpu --json --out "$1.tpp" -- "$tools/waiting_server" "$1" 1200 "$2" . 2>"$1.json" >profiled
  run tail "$1.json" --above p92 --profile "$1.tpp" --json
}
# Those that wait have a label, since on a busy machine others are slow.
kinds="mutex flock pipe"
[ -z "${TEST_ALL:-}" ] || kinds="mutex flock pipe sleep fsync"
for kind in $kinds; do
  serve "$kind" 1
  run tail "$kind.json" --slow planted=yes --profile "$kind.tpp" --json
  check "what slow requests alone wait in is named first, with its stack: $kind" 'exits 0' \
    'json "$hot[0] | .of == \"own\" and (.called_by | contains(\"planted_$kind\"))"' \
    'json ".[] | select(.kind == \"joined_profile\") | .off_cpu and .clock_inside * 20 < .clock_samples"'
done

# By latency alone. Without a processor requests are slow for that, and those who answer them, too: then it is said.
busy() { json 'any(.[]; .kind == "assumption" and (.text | contains("the machine was busy")))'; }
if [ -n "${TEST_ALL:-}" ]; then
  for kind in $kinds none; do
    first=0 named=0 calm=0
    for ((seed = 1; seed <= 40 && calm < 20; seed++)); do
      serve "$kind" $seed
      busy && continue
      calm=$((calm + 1))
      # What the slowest of requests without a plant wait in is true; by a tag that says nothing there is nothing to name.
      [ $kind != none ] || run tail "$kind.json" --slow planted=yes --profile "$kind.tpp" --json
      json "$hot[0] | .of == \"own\" and (.called_by | contains(\"planted_$kind\"))" && first=$((first + 1))
      json "$hot == []" || named=$((named + 1))
    done
    last="$kind: the planted wait is first in $first, something is named in $named of $calm runs"
    echo "# $last"
    if [ $kind = none ]; then
      check "a tag that says nothing names nothing, at 5 %" '[ "$named" -le 3 ]'
    else
      check "the planted wait is first: $kind" '[ $((first * 20)) -ge $((calm * 19)) ]'
    fi
  done
fi

run tail pipe.json --slow planted=yes --profile pipe.tpp
check "the same in words" 'exits 0' 'said "What slow requests wait in more, in the same time"' 'said "planted_pipe"'
jq -c '.data[].spans[].tags |= map(select(.key != "thread.id"))' pipe.json >anyone.json
run tail anyone.json --above p92 --profile pipe.tpp
check "without threads nobody knows whose a wait is" 'exits 2' 'said "Give spans a tag thread.id"'
jq -c '.data[].spans[].startTime += 250000' pipe.json >apart.json
run tail apart.json --above p92 --profile pipe.tpp --json
check "clocks that are apart" 'exits 2' 'json "$hot == []"' 'json ".[] | select(.kind == \"joined_profile\") | .verdict == \"clocks\""'
finish
