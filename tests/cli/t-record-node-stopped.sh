#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: what goes wrong with the log is not the application's business. It ends with its own
# exit code, has said what it would have said, and is not held up; the recording stops, and that is
# said at the end of `record` and by those who read the log.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
cd "$scratch" || exit 70
chmod 755 .

# A server that asks itself, says what it has seen, and ends with 7.
cat >app.js <<'EOS'
const http = require('http');
const agent = new http.Agent({ keepAlive: true });
process.on('warning', (warning) => console.log('warned of', warning.name));
const get = (port, path) => new Promise((done) => http.get({ host: '127.0.0.1', port, path, agent }, (answer) => answer.resume().on('end', done)));
const server = http.createServer((q, r) => setTimeout(() => r.end('ok'), 0)).listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  for (let i = 0; i < 4; i++) await get(port, '/');
  await require(process.env.MIDDLE ?? './nothing.js')(port, get);
  for (let i = 0; i < 4; i++) await get(port, '/');
  console.log('answered', process.execArgv.length, process.exitCode);
  console.error('and said so');
  process.exit(7);
});
EOS
echo 'module.exports = () => {};' >nothing.js
untouched='[ "$(cat out)" = "answered 0 undefined" ] && [ "$(grep -c "and said so" err)" = 1 ] && ! grep -qE "Error|at .*\.js:|Warning" err'
run record --node --out plain -- node app.js
check "nothing goes wrong, and nothing is said of it" 'exits 7' "$untouched" '! grep -q "stopped early" err'

# --- the thread that writes fails, at each place where it can ---

# Preloaded behind the recorder; it does nothing but in the recorder's thread.
cat >fault.js <<'EOS'
const fs = require('fs');
const { workerData } = require('worker_threads');
const fail = () => { throw Object.assign(new Error('EIO: planted'), { code: 'EIO', errno: -5 }); };
const nth = (object, name, n) => {
  const original = object[name];
  let calls = 0;
  object[name] = function () { return ++calls >= n ? fail() : Reflect.apply(original, this, arguments); };
};
// A disk takes no more: what is added to the log fails, from the nth time on, and of one it takes so many bytes before.
const full = (n, bytes) => {
  const { writeSync } = fs;
  let calls = 0;
  fs.writeSync = (file, data, at, length, position) => {
    if (typeof data === 'string' || position !== undefined || ++calls < n) return writeSync(file, data, at, length, position);
    return calls === n && bytes > 0 ? writeSync(file, data, at, bytes) : fail();
  };
};
const faults = {
  write1: () => full(1, 0),
  write2: () => full(2, 0),
  short: () => full(2, 70),
  wait: () => nth(Atomics, 'wait', 3),
  load: () => nth(Atomics, 'load', 5),
  claim: () => nth(Atomics, 'compareExchange', 1),
  clock: () => nth(performance, 'now', 3),
  timer: () => setTimeout(fail, 0),
  begin: fail,
  syntax: () => { require('module')._extensions['.js'] = fail; },
  exit: () => { const load = Atomics.load; Atomics.load = (...all) => { process.exit(3); return load(...all); }; },
};
if (workerData?.tailproofWriter) faults[process.env.FAULT]();
EOS
# Until the recording has stopped, as `record` is told. The limit is that of one that never does.
cat >waits.js <<'EOS'
const fs = require('fs');
const stopped = () => fs.readFileSync(process.env.TAILPROOF_NODE_NOTES, 'latin1').startsWith(`${process.pid} `);
module.exports = async (port, get) => {
  for (let i = 0; i < 3000 && !stopped(); i++) {
    await get(port, '/');
    await new Promise((done) => setTimeout(done, 10));
  }
};
EOS
for fault in write1 write2 short wait load claim clock timer begin syntax exit; do
  for middle in nothing waits; do
    [ "$fault" != timer ] || [ $middle = nothing ] || continue # a timer of a thread that waits never comes
    FAULT=$fault MIDDLE=./$middle.js NODE_OPTIONS="--require $PWD/fault.js" run record --node --out "$fault-$middle" -- node app.js
    said='grep -q "stopped early.*\(Input/output error\|ended of its own\); what it did later is not known" err'
    [ $middle = waits ] || said=true # it may have ended before the thread came so far
    check "the thread fails at $fault, and the application ${middle/nothing/does not wait}" 'exits 7' "$untouched" "$said"
  done
done
run tail --above p50 short-waits
check "who reads the log is told, and nothing in it is damaged" 'said "the recording of app.js (process .* stopped early"' 'said "Input/output error"' '! said "records of app.js are missing"'
run trace path short-waits
check "also trace path" 'said "stopped early"'
finish
