#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Searching settings of a server's heap: the server and its load are made so that the latencies follow from the setting
# alone. So nothing here depends on how fast anything is.
. "$(dirname "$0")/tap.sh"

cd "$scratch" || exit 1
mkdir tmp
export TMPDIR=$scratch/tmp

# It says with which size it runs. It does not run with 128 MB; with "silent" it never listens.
cat >app.js <<'E2'
const size = (process.execArgv.join(' ').match(/max-semi-space-size=(\d+)/) || [0, 16])[1];
if (size == 128) { console.error('no room for that'); process.exit(3); }
if (process.argv[2] === 'broken') throw new Error('broken from the start');
if (process.argv[2] !== 'silent')
  require('http').createServer((q, r) => r.end(`size ${size}\n`)).listen(0, '127.0.0.1', function () {
    require('fs').writeFileSync('port', String(this.address().port));
  });
E2
# 1000 latencies of a law that the size stretches by size^POWER in hundredths, and a little chance.
cat >load.sh <<'E2'
until [ -s port ]; do sleep 0.02; done
exec 3<>/dev/tcp/127.0.0.1/$(cat port)
printf 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n' >&3
size=$(tr -d '\r' <&3 | sed -n 's/^size //p')
rm port
runs=$(($(cat runs 2>/dev/null || echo 0) + 1))
echo $runs >runs
awk -v size="$size" -v power="$1" -v run="$runs" 'BEGIN {
  srand(run); noise = exp(0.1 * (rand() - 0.5)); print "latency_us"
  for (i = 0; i < 1000; i++) print 1000 * (1 + i % 17) * noise * exp(power / 100 * log(size)) }'
E2

mistake() { # what must be said, then the arguments
  local wanted=$1
  shift
  run tune gc "$@"
  check "tune gc $*" 'exits 64' '[ ! -s out ]' "err '$wanted'"
}
mistake 'name the server' --metric p99 --load true
mistake 'begin it with that: -- node app.js' --metric p99 --load true -- npm start
mistake 'name the command that asks' --metric p99 -- node app.js
mistake '--metric p99.9' --load true -- node app.js
mistake '--metric p99.9' --metric 99 --load true -- node app.js
mistake 'unusable sizes "4,x"' --metric p99 --load true --sizes 4,x -- node app.js
mistake 'unusable --pairs 7' --metric p99 --load true --pairs 7 -- node app.js

run tune gc --metric p99 --load 'exit 7' -- ./node-none app.js
check "no such program" 'exits 69' 'err "no such program"'
run tune gc --metric p99 --load 'echo no numbers' -- node app.js
check "a load that writes no latencies" 'exits 65' 'err "LATENCIES"' 'out "Given up"'
run tune gc --metric p99 --load 'echo nobody there >&2; exit 7' -- node app.js
check "a load that fails" 'exits 66' 'err "the load: ended with exit code 7; its last words: nobody there"'
run tune gc --metric p99 --load 'echo not sure; exit 2' -- node app.js
check "an unsure load that writes no latencies" 'exits 65' 'err "LATENCIES"'
run tune gc --metric p99 --load 'exit 2' -- node app.js
check "an unsure load that writes nothing" 'exits 66' 'err "the load: ended with exit code 2"'
run tune gc --metric p99 --load true -- node app.js broken
check "a server that ends" 'exits 66' 'err "node ended with exit code 1"'

rm -f port runs
run tune gc --metric p99 --load 'bash load.sh -20 >"$LATENCIES"; echo 7 were late; exit 2' --sizes 4,64,128 --pairs 8 --json -- node app.js
check "larger is better, by a load that is not sure" 'exits 0' 'json_lines' 'grep -q "not sure of its own measurement in .* ended with exit code 2; its last words: 7 were late" out' \
  'json "[.[] | select(.kind == \"tuned\")][0] | .verdict == \"better\" and .semi_mb == 64 and .pairs == 8"' \
  'json "[.[] | select(.kind == \"tuned\")][0] | .ratio_least <= 0.758 and .ratio_most >= 0.758 and .ratio_most < 1"' \
  'json "[.[] | select(.kind == \"tuned\")][0] | .memory_as_is_bytes > 10000000 and .memory_best_bytes > 10000000"' \
  '[ -z "$(ls tmp)" ]' \
  'json "[.[] | select(.kind == \"tried_setting\" and .usable == false)] | length == 1 and .[0].setting == \"--max-semi-space-size=128\""'
if [ -n "${TEST_ALL:-}" ]; then
  rm -f port runs
  run tune gc --metric p99 --load 'bash load.sh 20 >"$LATENCIES"' --sizes 4,64 --pairs 8 --full -- node app.js
  check "smaller is better, in words" 'exits 0' 'out "Found: node --max-semi-space-size=4"' 'out "% lower"' 'out "Memory at most"' 'out "tried"'
  rm -f port runs
  run tune gc --metric p99 --load 'bash load.sh 0' --sizes 4,64 --pairs 12 -- node app.js
  check "nothing is found where there is nothing" 'exits 2' 'out "No difference found"'
fi
finish
