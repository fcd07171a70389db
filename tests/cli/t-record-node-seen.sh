#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: what an application sees of its own objects and worker threads is what it sees without a recorder; and
# worker threads with an environment of their own are recorded, too.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
cd "$scratch" || exit 70
cat >objects.js <<'EOS'
const { isDeepStrictEqual, inspect } = require('util');
const http = require('http');
const http2 = require('http2');
const own = (object) => Reflect.ownKeys(object ?? {}).map(String).join();
const say = (...all) => console.log(...all);
const first = Promise.resolve(1);
const then = first.then((value) => value);
say(then, own(then), isDeepStrictEqual(first.then(() => 1), first.then(() => 1)), inspect(then, { showHidden: true }), own(Object.getPrototypeOf(then)));
(async () => { await then; })().then(() => say('awaited'));
const seen = [];
const handles = [];
const server = http.createServer(async (q, r) => {
  seen.push(r);
  await new Promise((done) => setTimeout(done, 5));
  r.end('ok');
}).listen(0, '127.0.0.1', async () => {
  const get = () => new Promise((done) => http.get({ host: '127.0.0.1', port: server.address().port }, (answer) => { handles.push(own(answer.socket._handle)); answer.resume().on('end', () => done(answer)); }));
  const [one, two] = await Promise.all([get(), get()]);
  say(seen.map(own), own(one), own(two), handles);
  const frozen = Object.freeze(Promise.resolve().then(() => {}));
  await frozen;
  const second = http2.createServer((q, r) => r.end('ok')).listen(0, '127.0.0.1', () => {
    let open = 2; // both ends of the stream
    const closed = () => --open === 0 && process.exit(0);
    second.on('stream', (stream) => stream.on('close', () => { say(own(stream).replace(/Symbol\(async_id_symbol\)/, '')); closed(); }));
    const client = http2.connect(`http://127.0.0.1:${second.address().port}`);
    client.request({ ':path': '/' }).resume().on('close', closed);
  });
});
EOS
node objects.js >plain 2>&1
run record --node --out objects -- node objects.js
check "objects have nothing that they have not without a recorder" 'exits 0' '[ "$(wc -l <plain)" -ge 4 ]' 'diff plain out >&2' '! grep -qi tailproof plain'

cat >workers.mjs <<'EOS'
import { Worker, SHARE_ENV } from 'node:worker_threads';
import * as all from 'worker_threads';
const code = `const { workerData, Worker } = require('worker_threads');
const names = Object.keys(process.env).filter((name) => /^(A|NODE_OPTIONS|TAILPROOF_.*)$/.test(name)).map((name) => name + '=' + process.env[name]);
console.log(workerData, names.join(), process.execArgv.length);
if (workerData === 'nested') new Worker('setTimeout(() => {}, 20)', { eval: true, env: { A: '5' } });
setTimeout(() => {}, 20);`;
const go = (data, options, Class = Worker) => new Promise((done) => new Class(code, { eval: true, workerData: data, ...options }).on('exit', done).on('error', (error) => { console.log(error.message); done(); }));
await go('empty', { env: {} });
await go('options', { env: { NODE_OPTIONS: '--max-http-header-size=9000', A: '1' } });
await go('arguments', { execArgv: [], env: { A: '2' } });
await go('nested', { env: { A: '3' } });
class Mine extends Worker {}
await go('mine', { env: { A: '4' } }, Mine);
for (const wrong of [[1, 2], [code, { eval: true, env: 5 }], [code, { eval: true, execArgv: 5 }]]) try { new Worker(...wrong); } catch (error) { console.log(error.code); }
const last = new Worker('1', { eval: true });
console.log(last.constructor === Worker, last instanceof Worker, Worker.name, Worker.length, all.Worker === Worker, Object.getPrototypeOf(Mine) === Worker);
EOS
node workers.mjs >plain 2>&1
run record --node --out workers -- node workers.mjs
check "worker threads see the environment that they were given" 'exits 0' '[ "$(wc -l <plain)" = 9 ]' 'diff plain out >&2'
check "and are recorded, each" '[ "$(ls workers | grep -c "\.0\.tpn$")" = 8 ]'
finish
