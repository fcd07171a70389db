#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a pair of probes costs the thread that comes by, beside bpftrace doing the same in the same run;
# and whether events of one busy processor are lost. Prints rows of bench/run.sh.
set -eu
cd "$(dirname "$0")/.."
BUILD=${BUILD:-build}
case $BUILD in /*) ;; *) BUILD=$PWD/$BUILD ;; esac
row() { printf '%-58s %14s   %s\n' "$1" "$2" "$3"; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cp "$BUILD/tests/tools/probed" "$scratch/probed"
cd "$scratch"
calls=100000
cat >pair.yaml <<END
probes:
  begin: {uprobe: "$scratch/probed:serve_order", read: {id: "*(arg1)"}}
  end: {uretprobe: "$scratch/probed:serve_order", read: {result: ret}}
END
cat >busy.yaml <<END
probes:
  begin: {syscall: write, read: {size: arg3}}
  end: {syscall.exit: write, read: {result: ret}}
END
# Seconds that the calls take, of the program alone.
seconds() {
  python3 - "$@" <<'END'
import os, subprocess, sys
before = os.times().children_user + os.times().children_system
subprocess.run(["./probed", sys.argv[1]], check=True, stdout=subprocess.DEVNULL)
print(os.times().children_user + os.times().children_system - before)
END
}
if ! "$BUILD/tailproof" record --probes pair.yaml -- ./probed 1 >/dev/null 2>said; then
  row "probes: not measured" "-" "$(head -n 1 said)"
  exit 0
fi
# Alone, ours, bpftrace, in turn; the least of each counts.
least() { sort -g "$1" | head -n 1; }
for round in 1 2 3; do
  seconds $calls >>alone
  "$BUILD/tailproof" record --probes pair.yaml --keep-events /dev/null 2>/dev/null & recorder=$!
  sleep 1
  seconds $calls >>ours
  kill -INT $recorder
  wait $recorder || true
  if command -v bpftrace >/dev/null; then
    bpftrace -o traced -e "uprobe:$scratch/probed:serve_order { printf(\"%llu b %d %llu\\n\", nsecs, tid, *(uint64 *)arg0); }
      uretprobe:$scratch/probed:serve_order { printf(\"%llu e %d %llu\\n\", nsecs, tid, retval); }" >/dev/null 2>&1 & tracer=$!
    sleep 3
    seconds $calls >>theirs
    kill -INT $tracer
    wait $tracer || true
  fi
done
each() { awk -v with="$(least "$1")" -v without="$(least alone)" -v n=$calls 'BEGIN { printf "%.2f", (with - without) / n * 1e6 }'; }
row "probes: a uprobe and its uretprobe, us" "$(each ours)" "reported"
if [ -s theirs ]; then
  row "  over bpftrace ($(each theirs) us)" \
    "$(awk -v a="$(each ours)" -v b="$(each theirs)" 'BEGIN { printf "%.2f", a / b }')" "< 1.3"
else
  row "  over bpftrace: it is not installed (apt-get install bpftrace)" "-" "< 1.3"
fi
# shellcheck disable=SC2016
"$BUILD/tailproof" record --probes busy.yaml --keep-events events --json -- \
  taskset -c 0 sh -c 'for i in 1 2 3 4 5 6 7 8; do ./probed 50000 1 & done; wait' >counts 2>/dev/null
row "probes: events lost of $(jq -s 'map(.hits // 0) | add' counts), written to a file" \
  "$(jq -s 'map(.lost // 0) | add' counts)" "0"
row "  events a second" \
  "$(jq -s '(map(.hits // 0) | add) / ((map(.end_ns // 0) | add) - (map(.start_ns // 0) | add)) * 1e9 | floor' counts)" "> 100000"
