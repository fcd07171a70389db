#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Rows of the sampler for bench/run.sh: what it costs the program that is sampled, held against
# `perf record` of the same rate side by side, and what it costs itself.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
scratch=$(mktemp -d)
victim=
trap '[ -z "$victim" ] || kill "$victim" 2>/dev/null; rm -rf "$scratch"' EXIT
row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }

"$BUILD"/tailproof profile -- true >"$scratch/out" 2>&1 || {
  row "the sampler" "-" "this machine does not let programs be sampled"
  exit 0
}

cat >"$scratch/work.c" <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
static volatile unsigned long sink;
static long rounds;
__attribute__((noinline)) void leaf(void) { for (int i = 0; i < 10000; i++) sink += (unsigned long)i; }
__attribute__((noinline)) void deep(int n) { if (n == 0) leaf(); else deep(n - 1); sink++; }
static void *work(void *unused) { for (long i = 0; i < rounds; i++) deep(30); return unused; }
int main(int argc, char **argv) {
  pthread_t thread;
  rounds = argc > 1 ? atol(argv[1]) : 1;
  for (int i = 1; i < (argc > 2 ? atoi(argv[2]) : 1); i++) pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  struct timespec used;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  fprintf(stderr, "used %f\n", (double)used.tv_sec + (double)used.tv_nsec * 1e-9);
}
END
gcc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -o "$scratch/work" "$scratch/work.c"

# Processor seconds of the program, run by a command; again where it did not say them.
used() {
  local try seconds=
  for try in 1 2 3; do
    "$@" "$scratch/work" 30000 2>"$scratch/said" >/dev/null || true
    seconds=$(awk '$1 == "used" { print $2 }' "$scratch/said")
    [ -z "$seconds" ] || break
    echo "bench/profile.sh: $1, try $try: $(head -c 300 "$scratch/said")" >&2
  done
  [ -n "$seconds" ] && echo "$seconds"
}
middle() { sort -g "$1" | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

# Turn and turn about, so that what else the machine does is the same for all; the ratios of one turn
# are compared, and the middle one is told.
turns=${TURNS:-15}
for ((turn = 0; turn < turns; turn++)); do
  plain=$(used env)
  for rate in 99 999; do
    ours=$(used "$BUILD"/tailproof profile --rate $rate --)
    echo "$ours $plain" | awk '{ print 100 * ($1 / $2 - 1) }' >>"$scratch/ours.$rate"
    if command -v perf >/dev/null; then
      theirs=$(used perf record -q -e cpu-clock -F $rate -g -o "$scratch/perf.data" --)
      echo "$theirs $plain" | awk '{ print 100 * ($1 / $2 - 1) }' >>"$scratch/theirs.$rate"
      echo "$ours $theirs" | awk '{ print $1 / $2 }' >>"$scratch/ratio.$rate"
    fi
  done
  used env | awk -v p="$plain" '{ print 100 * ($1 / p - 1) }' >>"$scratch/noise"
done
row "a program sampled at 99 Hz: more processor time" "$(middle "$scratch/ours.99" | awk '{ printf "%.1f %%", $1 }')" "<= 0.5 %"
row "  at 999 Hz" "$(middle "$scratch/ours.999" | awk '{ printf "%.1f %%", $1 }')" "reported"
row "  the same, not sampled: what is noise" "$(sort -g "$scratch/noise" | awk '{ v[NR] = $1 } END { printf "%.1f .. %.1f %%", v[int(NR / 4) + 1], v[int(NR * 3 / 4) + 1] }')" "reported"
if command -v perf >/dev/null; then
  for rate in 99 999; do
    row "  at $rate Hz by perf record" "$(middle "$scratch/theirs.$rate" | awk '{ printf "%.1f %%", $1 }')" "reported"
    row "  its processor time at $rate Hz over that by perf record" "$(middle "$scratch/ratio.$rate" | awk '{ printf "%.3f", $1 }')" "<= 1.1"
  done
else
  row "  by perf record" "-" "perf is not installed (apt install linux-perf)"
fi

# The collector alone, while it goes on: its time on a processor, in ns, as the scheduler counts it.
"$scratch/work" 1000000000 64 2>/dev/null &
victim=$!
"$BUILD"/tailproof profile --rate 999 --seconds 12 --pid $victim --out "$scratch/collected.tpp" --json >"$scratch/json" &
sampler=$!
sleep 3
before=$(cut -d ' ' -f 1 /proc/$sampler/schedstat)
sleep 8
after=$(cut -d ' ' -f 1 /proc/$sampler/schedstat)
wait $sampler
kill $victim
wait $victim 2>/dev/null || true
victim=
row "the collector at 999 Hz and 64 threads, of a core" "$(awk -v a="$before" -v b="$after" 'BEGIN { printf "%.2f %%", (b - a) / 8e7 }')" "<= 0.4 %"
row "  samples a second, lost" "$(head -1 "$scratch/json" | sed 's/.*"seconds":\([0-9.]*\).*"samples":\([0-9]*\),"lost":\([0-9]*\).*/\1 \2 \3/' | awk '{ printf "%.0f, %d", $2 / $1, $3 }')" "reported"
# Frames of a stack, on average, times stacks, over its time: it also reads the rings, unwinds, writes.
"$BUILD"/tailproof profile show "$scratch/collected.tpp" --format folded >"$scratch/folded"
frames=$(awk -F ';' '{ n = $NF; sub(/.* /, "", n); frames += NF * n; all += n } END { print frames / all }' "$scratch/folded")
rate=$(head -1 "$scratch/json" | sed 's/.*"seconds":\([0-9.]*\).*"samples":\([0-9]*\).*/\1 \2/' | awk '{ print $2 / $1 }')
row "  million frames a second of its time, all told" "$(awk -v f="$frames" -v r="$rate" -v a="$before" -v b="$after" 'BEGIN { printf "%.1f", f * r * 8 / ((b - a) / 1e9) / 1e6 }')" ">= 5"

"$BUILD"/bench/symbols

# Waits: two processes that hand a byte to and fro as fast as they can. What a switch costs is told by
# their processor time, whatever else the machine does.
cat >"$scratch/switches.c" <<'END'
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
static double now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + (double)t.tv_nsec * 1e-9; }
static double used(int whose) {
  struct rusage u;
  getrusage(whose, &u);
  return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) * 1e6 + (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}
int main(void) {
  int there[2], back[2];
  long switches = 0;
  char byte = 0;
  if (pipe(there) != 0 || pipe(back) != 0) return 70;
  if (fork() == 0) {
    close(there[1]);
    while (read(there[0], &byte, 1) == 1 && write(back[1], &byte, 1) == 1) ;
    _exit(0);
  }
  for (double end = now() + 2; now() < end; switches += 2)
    if (write(there[1], &byte, 1) != 1 || read(back[0], &byte, 1) != 1) return 70;
  close(there[1]);
  wait(NULL);
  fprintf(stderr, "switches %ld %f\n", switches, (used(RUSAGE_SELF) + used(RUSAGE_CHILDREN)) / (double)switches);
  return 0;
}
END
gcc -O1 -o "$scratch/switches" "$scratch/switches.c"
switches() { "$@" 2>&1 >/dev/null | awk '$1 == "switches" { print $2 / 2, $3 }'; }
if "$BUILD"/tailproof profile --off-cpu -- true >"$scratch/out" 2>&1; then
  for ((turn = 0; turn < 5; turn++)); do
    plain=$(switches "$scratch/switches")
    kept=$(switches "$BUILD"/tailproof profile --off-cpu --json --out "$scratch/waits.tpp" -- "$scratch/switches")
    echo "$plain $kept" | awk '{ print $1, $3, $4 - $2 }' >>"$scratch/waits"
  done
  sort -g -k 3 "$scratch/waits" | sed -n 3p >"$scratch/middle"
  row "switches a second, and with their waits kept (--off-cpu)" "$(awk '{ printf "%.0f, %.0f", $1, $2 }' "$scratch/middle")" "reported"
  row "  processor time that this takes of the program for each" "$(awk '{ printf "%.1f us", $3 }' "$scratch/middle")" "reported"
else
  row "waits (--off-cpu)" "-" "this machine does not let them be seen"
fi
