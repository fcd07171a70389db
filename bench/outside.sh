#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What probes cost the thread that comes by, beside bpftrace doing the same in the same run, as processor time: a function that
# begins with a push, behind which the kernel goes on by itself, and one whose first instruction the processor steps over, which
# costs both the same; by its entry, and by entry and return. How fast 100 probes come and go. And whether events of one busy
# processor are lost on their way to the disk. Prints rows of bench/run.sh: medians, and the least and the most.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$BUILD/tests/tools/probed" "$scratch/probed"
cd "$scratch"
calls=${CALLS:-40000} rounds=${ROUNDS:-5}
cat >hot.c <<'END'
#include <stdlib.h>
__attribute__((noinline)) long moves(const long *id, long b) { return *id * 2 - b; }
__attribute__((noinline)) long pushes(const long *id, long b) { return moves(id, b) + moves(id, *id + b); }
int main(int argc, char **argv) {
  long sum = 0, step = argc > 2;
  for (long i = 0; i < atol(argv[1]); i++) sum += step ? moves(&i, sum) : pushes(&i, sum);
  return sum == 1;
}
END
gcc -O2 -Wl,--build-id -o hot hot.c
cat >pushes.entry.yaml <<END
probes:
  begin: {uprobe: "$scratch/hot:pushes", read: {id: "*(arg1)"}}
END
sed 's/$/\n  end: {uretprobe: "SCRATCH\/hot:pushes", read: {result: ret}}/; 1s/\n.*//' pushes.entry.yaml | sed "s#SCRATCH#$scratch#" >pushes.pair.yaml
sed 's/pushes/moves/' pushes.entry.yaml >moves.entry.yaml
sed 's/pushes/moves/' pushes.pair.yaml >moves.pair.yaml
cat >busy.yaml <<END
probes:
  begin: {syscall: write, read: {size: arg3}}
  end: {syscall.exit: write, read: {result: ret}}
END
if ! "$BUILD/tailproof" record --probes pushes.pair.yaml -- ./hot 1 >/dev/null 2>said; then
  row "probes: not measured" "-" "$(head -n 1 said)"
  exit 0
fi
# us of processor time for a call, of the program alone: what remains when that without probes is taken off.
us() { # FUNCTION
  python3 - "$calls" "$1" <<'END'
import os, subprocess, sys
def spent():
    now = os.times()
    return now.children_user + now.children_system
before = spent()
subprocess.run(["./hot", sys.argv[1]] + (["moves"] if sys.argv[2] == "moves" else []), check=False)
print((spent() - before) / int(sys.argv[1]) * 1e6)
END
}
await() { for ((tries = 0; tries < 600; tries++)); do eval "$1" && return; sleep 0.05; done; }
ours() { # FUNCTION PROBES
  rm -f ready
  "$BUILD/tailproof" record --probes "$1.$2.yaml" --keep-events events --ready-file ready 2>/dev/null & recorder=$!
  await '[ -s ready ]'
  us "$1"
  kill -INT $recorder
  wait $recorder || true
}
theirs() { # FUNCTION PROBES
  local text="uprobe:$scratch/hot:$1 { printf(\"%llu b %d %llu\\n\", nsecs, tid, *(uint64 *)arg0); }"
  [ "$2" = entry ] || text+=" uretprobe:$scratch/hot:$1 { printf(\"%llu e %d %llu\\n\", nsecs, tid, retval); }"
  bpftrace -o traced -e "BEGIN { printf(\"in place\\n\"); } $text" >/dev/null 2>&1 & tracer=$!
  await 'grep -qs "in place" traced'
  us "$1"
  kill -INT $tracer
  wait $tracer || true
  rm -f traced
}
median() { sort -g "$1" | awk '{ v[NR] = $1 } END { printf "%.2f (%.2f..%.2f)", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
for function in pushes moves; do
  for kind in entry pair; do
    for ((round = 0; round < rounds; round++)); do # in turn
      us $function >>alone
      ours $function $kind >>ours
      if command -v bpftrace >/dev/null; then theirs $function $kind >>theirs; fi
    done
    paste alone ours | awk '{ print $2 - $1 }' >cost
    row "probes: $kind of a function that begins with a ${function%es}, us" "$(median cost)" "reported"
    if [ -s theirs ]; then
      paste alone ours theirs | awk '{ print ($2 - $1) / ($3 - $1) }' >over
      paste alone theirs | awk '{ print $2 - $1 }' >cost
      row "  over bpftrace ($(median cost) us)" "$(median over)" "<= 0.5"
    else
      row "  over bpftrace: it is not installed (apt-get install bpftrace)" "-" "<= 0.5"
    fi
    rm -f alone ours theirs
  done
done
# A hundred functions.
{ for i in {1..100}; do printf '__attribute__((noinline)) long many%d(long x) { return x + %d; }\n' $i $i; done; echo 'int main(void) { return 0; }'; } >many.c
gcc -O2 -Wl,--build-id -o many many.c
{ echo probes:; for i in {1..100}; do printf '  p%d: {uprobe: "%s/many:many%d"}\n' $i "$scratch" $i; done; } >hundred.yaml
for ((round = 0; round < rounds; round++)); do
  begun=$EPOCHREALTIME
  "$BUILD/tailproof" record --probes hundred.yaml -- ./many >/dev/null 2>&1
  awk -v begun="${begun/,/.}" -v ended="${EPOCHREALTIME/,/.}" 'BEGIN { print ended - begun }' >>came
done
row "probes: 100 of them found, attached and taken away, s" "$(median came)" "< 2"
# shellcheck disable=SC2016
/usr/bin/time -f %M -o most "$BUILD/tailproof" record --probes busy.yaml --keep-events events --json -- \
  taskset -c 0 sh -c 'for i in 1 2 3 4 5 6 7 8; do ./probed 50000 1 & done; wait' >counts 2>/dev/null
row "probes: events lost of $(jq -s 'map(.hits // 0) | add' counts), written to the disk" \
  "$(jq -s 'map(.lost // 0) | add' counts)" "0"
row "  events a second" \
  "$(jq -s '(map(.hits // 0) | add) / ((map(.end_ns // 0) | add) - (map(.start_ns // 0) | add)) * 1e9 | floor' counts)" "> 100000"
row "  peak memory" "$(awk 'END { printf "%.0f MB", $1 / 1024 }' most)" "< 64 MB"
