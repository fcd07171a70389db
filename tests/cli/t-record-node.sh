#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: an unmodified Node.js server is recorded; what it did is in the log.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
cd "$scratch" || exit 70

# The server asks itself, so that the test needs no other program, and ends when all is answered.
cat >client.js <<'EOF'
const http = require('http');
const net = require('net');
exports.get = (port, path, arrived) => new Promise((done) => {
  const request = http.request({ host: '127.0.0.1', port, path, agent: false }, (answer) => answer.resume().on('close', done));
  request.on('error', done).end();
  arrived?.then(() => request.destroy());
});
exports.raw = (port, text, end) => new Promise((done) => {
  const socket = net.connect(port, '127.0.0.1', () => socket.write(text)).on('close', done).on('error', done);
  let got = '';
  socket.on('data', (part) => (got += part).includes(end) && socket.destroy());
});
EOF
cat >app.js <<'EOF'
const http = require('http');
const fs = require('fs');
const { get, raw } = require('./client.js');
let waiting;
let gone, arrived;
const log = `${process.env.TAILPROOF_STORE}/${process.pid}.0.tpn`;
// Until the recorder has looked at it. The limit is that of a recorder that never does.
const slow = () => { for (let i = 0; i < 1e6 && !(fs.existsSync(log) && fs.readFileSync(log, 'latin1').includes('app.js:8:')); i++); };
const routes = {
  '/file': (q, r) => fs.readFile(__filename, (error, data) => r.end(data)),
  '/async': async (q, r) => { await Promise.all([1, 2].map(() => fs.promises.stat('.'))); r.end(); },
  '/timer': (q, r) => setTimeout(() => r.end(), 5),
  '/wait': (q, r) => { waiting = r; },
  '/free': (q, r) => { waiting.end(); r.end(); },
  '/slow': (q, r) => { slow(); r.end(); },
  '/stream': (q, r) => { r.write('a'); setImmediate(() => r.end('b')); },
  '/never': (q, r) => { gone = new Promise((done) => r.on('close', done)); arrived(); },
};
const server = http.createServer((q, r) => (routes[q.url] ?? ((q, r) => r.end('hello')))(q, r));
server.on('upgrade', (q, socket) => socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\nEND'));
server.listen(0, async () => {
  const { port } = server.address();
  const head = 'HTTP/1.1\r\nHost: a\r\n';
  for (const path of ['/', '/users/17', '/file', '/async', '/timer', '/slow', '/stream']) await get(port, path);
  const wait = get(port, '/wait');
  let given = false;
  wait.then(() => { given = true; });
  while (waiting === undefined && !given) await new Promise((done) => setTimeout(done, 1));
  if (waiting === undefined) process.exit(1);
  await get(port, '/free');
  await wait;
  await get(port, '/never', new Promise((done) => { arrived = done; }));
  await gone;
  await raw(port, `GET /a ${head}\r\nGET /b ${head}Connection: close\r\n\r\n`, 'nothing');
  await raw(port, `GET /up ${head}Connection: Upgrade\r\nUpgrade: x\r\n\r\n`, 'END');
  process.exit(7);
});
EOF
export TAILPROOF_NODE_WATCH=50 # percent: so that the recorder looks again soon
run record --node --out one --json -- node app.js
check "a server, with its exit code" 'exits 7' 'json_lines' \
  'json "[.[].kind] == [\"loop\",\"recorded\"]"' \
  'json ".[0] | .name == \"app.js\" and .answered == 11 and .aborted == 1 and .upgraded == 1 and .unanswered == 0 and .incomplete == 0 and .left_out == 0"' \
  'json ".[1] | .exit == 7 and .loops == 1"' '! grep -qi "deprecat\|debugger" err'
unset TAILPROOF_NODE_WATCH
run record --node --out two -- node -e 'setTimeout(() => {}, 10)'
check "for people" 'exits 0' 'err "two: 1 event loop"' 'quiet_out'

run trace --help
last="the folder that record --node left"
ls one >out
check "a log, and the stamps of the kernel" 'grep -qE "^[0-9]+\.0\.tpn$" out' 'grep -qE "^[0-9]+\.tpr$" out'

"$program" trace path --json one >out 2>err
status=$? last="trace path one"
check "the requests are read as requests of traces are" 'exits 0' 'json_lines'

# The function that held the loop is named: the one place that the recorder can have seen.
grep -qaF 'app.js:8:' one/*.tpn
status=$? last="a look at the log"
check "the function of a long turn, with file and line" 'exits 0'

# Native code is asked for the function when it ends. That it took long is not what asking costs: with a tenth of the time
# for it, each of these turns may be asked, and not one in ten.
cat >native.js <<'EOF'
const crypto = require('crypto');
const fs = require('fs');
const log = `${process.env.TAILPROOF_STORE}/${process.pid}.0.tpn`;
const samples = () => (fs.existsSync(log) ? fs.readFileSync(log, 'latin1').split('TPNS').length - 1 : 0);
let left = 12;
function hash() {
  crypto.pbkdf2Sync('secret', 'salt', 400000, 32, 'sha256');
  if (--left > 0 && samples() < 3) setTimeout(hash, 20);
  else console.log(samples() >= 3 ? 'often' : 'seldom');
}
setTimeout(hash, 20);
EOF
TAILPROOF_NODE_WATCH=10 run record --node --out native -- node native.js
check "long native code is asked for its function as often as other code" 'exits 0' 'out often'

cat >cluster.js <<'EOF'
const cluster = require('cluster');
const http = require('http');
const { get } = require('./client.js');
if (cluster.isPrimary) {
  let listening = 0;
  let gone = 0;
  cluster.fork();
  cluster.fork();
  cluster.on('listening', async (worker, { port }) => {
    if (++listening < 2) return;
    for (let i = 0; i < 6; i++) await get(port, '/');
    for (const one of Object.values(cluster.workers)) one.send('end');
  });
  cluster.on('exit', () => ++gone === 2 && process.exit());
} else {
  http.createServer((q, r) => setTimeout(() => r.end(), 1)).listen(0);
  process.on('message', () => setTimeout(() => process.exit(), 200));
}
EOF
run record --node --out three --json -- node cluster.js
check "a cluster: a loop for each process" 'exits 0' 'json "[.[] | select(.kind == \"loop\")] | length == 3 and (map(.answered) | add) == 6 and (map(.left_out) | add) == 0"'

# A request is one, also where the application hands it on to another server; and each answer is.
cat >handed.js <<'EOF'
const http = require('http');
const inner = http.createServer((q, r) => setTimeout(() => r.end('inner'), 1));
const outer = http.createServer((q, r) => inner.emit('request', q, r));
outer.on('checkContinue', (q, r) => { r.writeContinue(); outer.emit('request', q, r); });
const ask = (port, headers) => new Promise((done) => {
  http.request({ port, method: 'POST', agent: false, headers }, (answer) => answer.resume().on('close', done)).end('a');
});
outer.listen(0, async () => {
  const { port } = outer.address();
  await Promise.all([1, 2, 3].map(() => ask(port, {})));
  await ask(port, { expect: '100-continue' });
  process.exit();
});
EOF
run record --node --out handed --json -- node handed.js
check "a request that is handed on is one" 'exits 0' 'json ".[0] | .answered == 4 and .unanswered == 0 and .incomplete == 0"'

# Connections have the place that they go to: an address, one of several that are tried, or the path of a socket.
cat >peers.js <<'EOF'
const fs = require('fs');
const http = require('http');
const net = require('net');
const echo = () => net.createServer((socket) => socket.pipe(socket));
const agent = new http.Agent({ keepAlive: true });
const get = (port) => new Promise((done) => http.get({ host: '127.0.0.1', port, agent }, (answer) => answer.resume().on('end', done)));
const ask = (...to) => new Promise((done) => {
  const socket = net.connect(...to, () => socket.write('a')).on('data', () => socket.destroy()).on('close', done);
});
const one = echo().listen(0, '127.0.0.1', () => {
  const two = echo().listen('two.sock', async () => {
    const { port } = one.address();
    const lookup = (name, options, done) => done(null, options.all ? [{ address: '::1', family: 6 }, { address: '127.0.0.1', family: 4 }] : '127.0.0.1', 4);
    await ask(port, '127.0.0.1');
    await ask('two.sock');
    await ask({ port, host: 'several', lookup });
    const other = (name, options, done) => { // another handle is made just before it connects
      new net.Socket({ fd: fs.openSync('fifo', 'r+'), readable: false });
      done(null, '127.0.0.1', 4);
    };
    await ask({ port, host: 'one', autoSelectFamily: false, lookup: other });
    const server = http.createServer((request, response) => response.end('c')).listen(0, '127.0.0.1', async () => {
      for (let i = 0; i < 3; i++) await get(server.address().port); // one connection, by three names
      fs.writeFileSync('ports', `${port} ${server.address().port}`);
      process.exit();
    });
  });
});
EOF
mkfifo fifo
run record --node --out peers -- node peers.js
EVENT_LOG_ROWS=1 "$facts" peers >rows 2>&1
status=$? last="a look at the rows"
ids() { grep "^row .* $1#.* run [0-9]" rows | grep -o '#[0-9]*' | sort -u | wc -l; }
read -r port kept <ports
check "where connections go to" 'exits 0' '[ "$(ids "TCPWRAP 127.0.0.1:$port")" = 3 ]' '[ "$(ids "TCPWRAP 127.0.0.1:$kept")" = 3 ]' '[ "$(ids "PIPEWRAP two.sock")" = 1 ]'

# A connection that is closed is not kept by the recorder.
cat >closed.js <<'EOF'
const net = require('net');
const server = net.createServer((socket) => socket.end()).listen(0, '127.0.0.1', async () => {
  const sockets = [];
  for (let i = 0; i < 20; i++) {
    await new Promise((done) => {
      const socket = net.connect(server.address().port, '127.0.0.1').resume().on('close', done);
      sockets.push(new WeakRef(socket));
    });
  }
  await new Promise((done) => setTimeout(done, 1));
  gc();
  process.exit(sockets.filter((socket) => socket.deref() !== undefined).length < 10 ? 0 : 1);
});
EOF
run record --node --out closed -- node --expose-gc closed.js
check "what is closed may be collected" 'exits 0'

# How many threads the pool has is in the head of the file, as Node.js reads it.
threads() { UV_THREADPOOL_SIZE=$1 run record --node --out "pool$1" -- node -e 0 && od -An -tu4 -j48 -N4 "pool$1"/*.0.tpn | tr -d ' '; }
check "the size of the pool" '[ "$(threads 7)" = 7 ]' '[ "$(threads 0)" = 1 ]' '[ "$(threads -3)" = 1024 ]'

# What is compiled on the loop has the name of its file, and the application does not notice.
cat >compile.js <<'EOF'
const fs = require('fs');
const http = require('http');
const vm = require('vm');
const { get } = require('./client.js');
const text = Array.from({ length: 3000 }, (_, i) => `exports.f${i} = (a) => [${i}, 'a${i}', a];\n`).join('');
fs.writeFileSync('table.js', text);
fs.writeFileSync('wrong.js', text + 'a b');
const table = require('./table.js');
const script = new vm.Script(text + '//1', { filename: 'lib/page.js' });
class Own extends vm.Script {}
if (!(script instanceof vm.Script) || new Own('1 + 1').runInThisContext() !== 2 || table.f7(1)[0] !== 7) process.exit(1);
vm.compileFunction(text + '//2', []);
try { require('./wrong.js'); process.exit(1); } catch (error) { if (error.name !== 'SyntaxError') process.exit(1); }
const { value, writable } = Object.getOwnPropertyDescriptor(require.cache[require.resolve('./table.js')], 'exports');
if (value !== table || !writable) process.exit(1);
const server = http.createServer((q, r) => { new vm.Script(text + '//' + q.url, 'lib/of.js'); r.end(); }).listen(0, async () => {
  for (let i = 0; i < 60; i++) await get(server.address().port, `/7/${i}`);
  process.exit(0);
});
EOF
run record --node --out compiled --json -- node compile.js
check "an application that compiles goes on as before" 'exits 0' 'json "[.[] | select(.kind == \"loop\")][0].answered == 60"'
for name in /table.js lib/page.js 'code at .*/compile.js:12' lib/of.js; do grep -qa "$name" compiled/*.tpn || echo "$name is missing"; done >out
grep -qa wrong.js compiled/*.tpn && echo "wrong.js was not compiled" >>out
status=0 last="a look at the log"
check "compilations with the names of their files" 'quiet_out'
"$program" tail --json --above p50 compiled >out 2>err
status=$? last="tail --above p50 compiled"
check "and tail tells them from execution" 'json "[.[] | select(.kind == \"route_part\" and .phase == \"executing\" and .name == \"compilation of lib/of.js\")] | length == 1 and .[0].rest_ns > 0"'

# Many words in one place of the path are one route.
cat >words.js <<'EOF'
const http = require('http');
const { get } = require('./client.js');
const server = http.createServer((q, r) => r.end()).listen(0, async () => {
  for (let i = 0; i < 60; i++) await get(server.address().port, `/word-${[...String(i)].map((digit) => 'abcdefghij'[digit]).join('')}`);
  process.exit();
});
EOF
run record --node --out words --json -- node words.js
"$program" tail --full words >out 2>err
status=$? last="tail words"
check "many words are one route" 'exits 2' 'out "GET /*: 0 of 60 requests"' 'out "60 paths, such as GET /word-"' 'out "are told as 1 route"'

process=$(basename words/*.0.tpn .0.tpn)
printf x | dd of="words/$process.tpr" conv=notrunc status=none
run tail words
check "damaged stamps are left out, and that is said" 'exits 2' 'said "the stamps of words.js (process $process, .tpr) are damaged and left out"'

# HTTP/2: what the end of a stream waited for is in its chain.
cat >streams.js <<'EOF'
const http2 = require('http2');
let never;
const server = http2.createServer((q, r) => {
  if (q.url === '/timer') setTimeout(() => r.end('later'), 5);
  else if (q.url === '/empty') r.stream.respond({ ':status': 204 }, { endStream: true });
  else if (q.url === '/file') r.stream.respondWithFile(__filename);
  else if (q.url === '/two') { r.write('a'.repeat(3e5)); setImmediate(() => r.end('b')); }
  else if (q.url === '/never') never.close(http2.constants.NGHTTP2_CANCEL); // it has arrived
  else r.end('hello');
});
server.listen(0, '127.0.0.1', () => {
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
  const paths = ['/', '/timer', '/empty', '/file', '/two', '/users/17', '/never'];
  let left = paths.length;
  for (const path of paths) {
    const stream = client.request({ ':path': path });
    if (path === '/never') never = stream;
    stream.resume().on('error', () => {}).on('close', () => --left === 0 && server.close(() => process.exit()) && client.close());
  }
});
EOF
run record --node --out streams --json -- node streams.js
EVENT_LOG_CHAINS=1 "$facts" streams >chains
check "requests by HTTP/2, with their chains" 'exits 0' \
  'json ".[0] | .answered == 6 and .aborted == 1 and .unanswered == 0 and .incomplete == 0 and .left_out == 0"' \
  'grep -qx "residuals 0" chains' 'grep -q "^GET /timer: answered .*| Timeout .* | HTTP2STREAM " chains' \
  'grep -q "^GET /users/:id: answered" chains' '! grep -q "HTTP/2 was spoken" chains'
for log in streams/*.tpn; do printf '\0' | dd of="$log" bs=1 seek=40 conv=notrunc status=none; done
"$facts" streams >chains
check "a log of a recorder that did not know HTTP/2" 'grep -q "HTTP/2 was spoken" chains'

cat >thread.mjs <<'EOF'
import { Worker, isMainThread, parentPort } from 'worker_threads';
import http from 'http';
import client from './client.js';
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.on('message', async (port) => {
    await client.get(port, '/');
    worker.postMessage('end');
  });
} else {
  const server = http.createServer((q, r) => setTimeout(() => r.end(), 1));
  server.listen(0, () => parentPort.postMessage(server.address().port));
  parentPort.on('message', () => process.exit());
}
EOF
run record --node --out four --json -- node thread.mjs
check "an ES module, and a worker thread with a log of its own" 'exits 0' \
  'json "[.[] | select(.kind == \"loop\")] | length == 2 and (.[1] | .thread > 0 and .answered == 1)"'
ls four >out
"$program" trace path four >paths 2>&1
check "with stamps of its own: it is known when the request arrived" 'grep -qE "^[0-9]+-[0-9]+\.tpr$" out' 'grep -q "took" paths' '! grep -q "arrived at the socket nobody saw" paths'

cat >killed.js <<'EOF'
const http = require('http');
const { get } = require('./client.js');
const server = http.createServer((q, r) => r.end()).listen(0, async () => {
  for (let i = 0; ; i++) {
    await get(server.address().port, '/');
    if (i === 200) process.kill(process.pid, 'SIGKILL');
  }
});
EOF
run record --node --out five --json -- node killed.js
check "a server that was killed: what was written is read" 'exits 137' \
  'json ".[0] | .answered <= 201 and .left_out == 0 and .aborted == 0"'

run record --node --out six -- sh -c 'exit 3'
check "a program that is not Node.js" 'exits 3' 'err "nothing was recorded: no Node.js program ran"'
run record --node --out seven
check "no program" 'exits 64' 'err "name a program to run"'

# What was started ends, and leaves a server behind.
cat >left.js <<'EOS'
require('fs').writeFileSync('left', String(process.pid));
setInterval(() => {}, 1000);
EOS
run record --node --out behind -- sh -c 'node left.js >/dev/null 2>&1 & until [ -s left ]; do sleep 0.05; done'
kill "$(cat left)"
check "who goes on is named" 'exits 0' 'err "left.js (process $(cat left)) goes on"'
finish
