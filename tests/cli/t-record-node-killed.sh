#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: what a server did is in its log soon after it did it, whatever ends it; and a later process of the same
# number leaves it there.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
cd "$scratch" || exit 70
package=$(dirname "$program")/../measure/node

# It answers 20 requests, and then does nothing at all.
cat >app.js <<'EOS'
const http = require('http');
const { Worker, isMainThread } = require('worker_threads');
const agent = new http.Agent({ keepAlive: true });
const server = http.createServer({ keepAliveTimeout: 0 }, (q, r) => setImmediate(() => r.end('ok'))).listen(0, '127.0.0.1', async () => {
  for (let i = 0; i < 20; i++) await new Promise((done) => http.get({ port: server.address().port, agent }, (r) => r.resume().on('end', done)));
  if (process.env.STAYS) return require('fs').writeFileSync('at', String(process.pid));
  if (process.env.WORKER && isMainThread) await new Promise((done) => new Worker(__filename).on('exit', done));
  process.exit(5);
});
EOS
# Behind the recorder, in its thread: how often it waits, 10 ms, until what the loop has recorded is written.
cat >spy.js <<'EOS'
const { workerData } = require('worker_threads');
if (workerData?.tailproofWriter) {
  const fs = require('fs');
  const { wait } = Atomics;
  const { writeSync } = fs;
  const words = new Int32Array(workerData.tailproofWriter.shared, 0, 6); // what is recorded, and whether the loop is in a callback
  let [known, waits, longest] = ['', 0, 0];
  const look = () => {
    const state = words.join();
    if (state !== known) waits = 0;
    known = state;
  };
  Atomics.wait = (...all) => {
    look();
    waits++;
    return wait(...all);
  };
  fs.writeSync = (...all) => {
    look(); // something may have come while it waited
    if (typeof all[1] !== 'string' && all[1].latin1Slice(0, 4) === 'TPNC') longest = Math.max(longest, waits);
    fs.appendFileSync('longest', `${longest}\n`); // a kill leaves whole lines
    return writeSync(...all);
  };
}
EOS
chains() { "$facts" "$1" 2>err | sed -n 's/^state 0 \([0-9]*\) answered/\1/p'; }
chmod 755 .
for signal in KILL TERM; do
  rm -f at longest
  STAYS=1 NODE_OPTIONS="--require $PWD/spy.js" "$program" record --node --out "by-$signal" -- node app.js >out 2>err &
  until_true '[ -s at ]'
  until_true '[ "$(chains by-$signal)" = 20 ] || ! kill -0 "$(cat at)"'
  kill -$signal "$(cat at)"
  wait $!
  status=$? last="record, then kill -$signal"
  check "all of it is written while the loop rests, before SIG$signal" '[ "$(chains by-$signal)" = 20 ]' '[ "$(sort -n longest | tail -n 1)" -le 8 ]'
done

# Also where nothing follows behind the callback that answered: the client keeps its connection, and no timer runs.
cat >still.js <<'EOS'
const options = { keepAliveTimeout: 0, headersTimeout: 0, requestTimeout: 0, connectionsCheckingInterval: 2 ** 30 };
const server = require('http').createServer(options, (q, r) => { r.sendDate = false; r.end('ok'); }).listen(0, '127.0.0.1', () => require('fs').writeFileSync('at', `${process.pid} ${server.address().port}`));
EOS
rm at
"$program" record --node --out still -- node still.js >out 2>err &
until_true '[ -s at ]'
read -r process port <"./at"
exec 3<>"/dev/tcp/127.0.0.1/$port"
printf 'GET / HTTP/1.1\r\nHost: a\r\n\r\n' >&3
until_true '[ "$(chains still)" = 1 ] || ! kill -0 "$process"'
kill -KILL "$process"
wait $!
status=$? last="record, then kill -KILL"
exec 3>&-
check "also the last callback, behind which nothing comes" '[ "$(chains still)" = 1 ]'

# In a namespace of its own each is process 1.
if unshare --pid --fork --mount-proc true 2>/dev/null; then
  last="three recordings of process 1"
  mkdir one
  one="unshare --pid --fork --mount-proc env TAILPROOF_STORE=one"
  $one LD_PRELOAD="$(dirname "$program")/libtailproof-node.so" node --require "$package" app.js
  $one LD_PRELOAD="$(dirname "$program")/libtailproof-node.so" WORKER=1 node --require "$package" app.js
  $one node --require "$package" app.js
  status=$?
  ls one >names
  EVENT_LOG_REQUESTS=1 "$facts" one >facts
  check "three processes of one number in one folder: all is there, each with its own stamps" 'exits 5' \
    '[ "$(grep -v -- - names | tr "\n" " ")" = "1+1.0.tpn 1+1.tpr 1+2.0.tpn 1.0.tpn 1.tpr " ]' 'grep -qE "^1\+1-[0-9]+\.0\.tpn$" names' 'grep -qE "^1\+1-[0-9]+\.tpr$" names' \
    '[ "$(sed -n "s/^loops //p" facts)" = 4 ]' '[ "$(sed -n "s/^requests //p" facts)" = 80 ]'
else
  echo "# skip: process ids that come again: as root"
fi
finish
