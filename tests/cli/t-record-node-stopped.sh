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
// It keeps connections for ever: however slow the machine is, none goes while a client that is about to ask believes in it.
const server = http.createServer({ keepAliveTimeout: 0 }, (q, r) => setTimeout(() => r.end('ok'), 0)).listen(0, '127.0.0.1', async () => {
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
  const value = function () { return ++calls >= n ? fail() : Reflect.apply(original, this, arguments); };
  Object.defineProperty(object, name, { value, writable: true, configurable: true }); // an assignment is ignored by some versions
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
  clock: () => nth(performance, 'now', 1), // where it asks whether the loop has been busy for long; later calls may be where it gives up looks
  timer: () => setTimeout(fail, 0),
  begin: fail,
  syntax: () => { require('module')._extensions['.js'] = fail; },
  exit: () => { const load = Atomics.load; Atomics.load = (...all) => { process.exit(3); return load(...all); }; },
};
if (workerData?.tailproofWriter) faults[process.env.FAULT]();
EOS
# Until the recording has stopped, as `record` is told. Who fails at the clock must see that the loop is busy, so it is. The limit
# is that of a recorder that never stops.
cat >waits.js <<'EOS'
const fs = require('fs');
const stopped = () => fs.readFileSync(process.env.TAILPROOF_NODE_NOTES, 'latin1').startsWith(`${process.pid} `);
module.exports = async (port, get) => {
  for (let i = 0; i < 30000 && !stopped(); i++) {
    await get(port, '/');
    if (process.env.FAULT === 'clock') while (performance.now() % 50 > 1);
    await new Promise((done) => setTimeout(done, 10));
  }
};
EOS
for fault in write1 write2 short wait load claim clock timer begin syntax exit; do
  for middle in nothing waits; do
    case $fault-$middle in *-waits | write1-* | exit-*) ;; *) continue ;; esac
    [ "$fault" != timer ] || middle=nothing # of a thread that waits none comes
    FAULT=$fault MIDDLE=./$middle.js NODE_OPTIONS="--require $PWD/fault.js" run record --node --out "$fault-$middle" -- node app.js
    said='grep -q "stopped early.*\(Input/output error\|ended of its own\); what it did later is not known" err'
    [ $middle = waits ] || said=true # it may have ended before the thread came so far
    check "the thread fails at $fault, and the application ${middle/nothing/does not wait}" 'exits 7' "$untouched" "$said"
  done
done
told() { cat out err | tr -s '\n ' ' ' | grep -q "the recording of app.js (process [0-9]*) $1"; }
run tail --above p50 short-waits
check "who reads the log is told, and nothing in it is damaged" \
  'told "stopped early, after [0-9.]* s: Input/output error; what it did later is not known; record again"' \
  '! cat out err | grep -q "are missing"'
run trace path short-waits
check "also trace path" 'told "stopped early, after [0-9.]* s: Input/output error"'

# --- what an application can do to its log ---

# That its folder goes away while it runs.
echo 'module.exports = () => require("fs").rmSync(process.env.TAILPROOF_STORE, { recursive: true });' >remove.js
MIDDLE=./remove.js run record --node --out removed -- node app.js
check "the folder is removed" 'exits 7' "$untouched" 'grep -q "removed: No such file or directory; it was there when the program started" err'

# That there are no more descriptors, when the log begins a second file.
cat >open.js <<'EOS'
const fs = require('fs');
module.exports = (port, get) => get(port, '/').then(() => { try { for (;;) fs.openSync('/dev/null'); } catch {} });
EOS
MIDDLE=./open.js run record --node --out many -- sh -c 'ulimit -n 80; exec node app.js'
check "there are no more descriptors" 'exits 7 || exits 1' '! grep -q "measure/node" err'

if [ "$(id -u)" = 0 ]; then
  # The process changes its user: the log is open by then.
  cat >drop.js <<'EOS'
module.exports = () => { process.setgid(65534); process.setuid(65534); };
EOS
  MIDDLE=./drop.js run record --node --out drop --json -- node app.js
  check "another user, after the start" 'exits 7' 'json ".[0].answered == 8 and .[0].stopped == null"' '! grep -q Error err'
  # Its next file cannot be made: that is said, and what there is is read.
  cat >much.js <<'EOS'
module.exports = async (port, get) => { process.setuid(65534); for (let i = 0; i < 200000; i++) setImmediate(() => {}); await new Promise((done) => setTimeout(done, 50)); for (let i = 0; i < 200000; i++) setImmediate(() => {}); await new Promise((done) => setTimeout(done, 50)); };
EOS
  TAILPROOF_NODE_BYTES=1 MIDDLE=./much.js run record --node --out much -- node app.js
  check "another user, whose second file cannot be made" 'exits 7' "$untouched" 'grep -q "stopped early, after .*: Permission denied; what it did later is not known; name a folder" err'
  # It is another user from the start: nothing can be written at all.
  package=$(dirname "$program")/../measure/node
  cp -r "$package" package
  chmod -R a+rX package
  run record --node --out other -- setpriv --reuid=65534 --regid=65534 --clear-groups env NODE_OPTIONS="--require $PWD/package/index.js" node app.js
  check "another user from the start" 'exits 7' "$untouched" 'grep -q "was not recorded: Permission denied; name a folder" err' '! grep -q "no Node.js program ran" err'
  other="setpriv --reuid=65534 --regid=65534 --clear-groups env NODE_OPTIONS='--require $PWD/package/index.js' node app.js"
  run record --node --out both --json -- sh -c "node app.js; $other"
  check "one of two programs" 'exits 7' 'json "[.[].kind] == [\"loop\", \"unrecorded\", \"recorded\"]"' 'json ".[1] | .name == \"app.js\" and .process > 0 and .thread == 0 and .stopped == \"Permission denied\""'
  # A disk that is full before the log is, and one that takes nothing.
  mkdir disk
  for size in 1200k 64k; do
    mount -t tmpfs -o "size=$size" tmpfs disk || exit 70
    [ "$size" != 64k ] || head -c 65536 /dev/zero >disk/zeros 2>dev.null
    MIDDLE=./waits.js run record --node --out disk/log -- node app.js
    check "a full disk, of $size" 'exits 7' "$untouched" 'grep -qE "(stopped early|was not recorded).*No space left on device; .*make room" err'
    umount disk
  done
else
  echo "# skip: another user, and a full disk: as root"
fi
finish
