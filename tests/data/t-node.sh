#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Published files of Node.js tools, where they are present, against facts that were counted from them by other means.
cd "$(dirname "$0")/../.." || exit 1
BUILD=${BUILD:-build}
data=../shared/data/node
if [ ! -f $data/expected.csv ]; then
  echo "# SKIP files of Node.js tools: $data/expected.csv is not here"
  echo "ok 1 - no files of Node.js tools to read # SKIP"
  echo 1..1
  exit 0
fi
n=0
check() { # got, expected, title
  n=$((n + 1))
  if [ "$1" = "$2" ]; then echo "ok $n - $3"; else echo "not ok $n - $3: expected $2, got $1"; fi
}
expected() { # FILE FACT [FIELD]: the value after the fact, of several the one of that number
  awk -F, -v file="$1" -v fact="$2" -v field="${3:-1}" 'index($0, file "," fact ",") == 1 {
    value = substr($0, length(file "," fact ",") + 1); split(value, values, " "); print values[field] }' $data/expected.csv
}
fact() { awk -v fact="$1" '$1 == fact { print $2 }' <<<"$facts"; }

for name in bubbleprof-slowio bubbleprof-acmeair; do
  file=$name.json.gz
  facts=$("$BUILD"/tests/tools/event_log $data/$file)
  check "$(sed -n 's/^ledger .* holds \([0-9]*\) asynchronous operations.*/\1/p' <<<"$facts")" "$(($(expected $file sources) - 1))" \
    "$name: all operations but the root, which was never made"
  check "$(sed -n 's/.* operations with \([0-9]*\) callbacks.*/\1/p' <<<"$facts")" "$(expected $file 'callbacks (before/after pairs)')" "$name: callbacks"
  check "$(sed -n 's/.* callbacks of \([0-9.]*\) ms.*/\1/p' <<<"$facts")" "$(expected $file 'total callback time ms')" "$name: time in callbacks"
  check "$(grep -c '^ledger .*do not begin as often' <<<"$facts")" "$(expected $file 'sources with unequal before and after counts')" "$name: each callback ends"
done
for name in slow-gc-8core-250ms slow-gc-2core-1000ms; do
  file=$name.traceevent.csv.gz
  facts=$("$BUILD"/tests/tools/event_log $data/$file)
  check "$(fact pauses)" "$(expected $file rows)" "$name: collections"
  # the expected sum is of binary fractions of milliseconds since 1970, each off by up to 0.0001
  check "$(fact paused_covered_ns | awk -v ms="$(expected $file 'union of all intervals ms')" '{ d = $1 / 1e6 - ms; print (d < 0 ? -d : d) < 0.002 }')" 1 \
    "$name: paused time is the union"
  check "$(fact paused_longest_ns | awk '{ printf "%.3f", $1 / 1e6 }')" "$(expected $file 'V8.GCScavenger count total_ms max_ms' 3)" "$name: the longest pause"
done
echo "1..$n"
