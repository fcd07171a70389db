// SPDX-License-Identifier: GPL-3.0-or-later
// What recording costs a server on a framework: node node_frameworks.js TAILPROOF NODE_MODULES TIMES FRAMEWORK... Servers
// stand side by side, recorded and not, and wrk asks one and then the other; after a while both are started anew, as one
// process differs from another by some percent. For each framework: the median over TIMES such pairs of the quotient of
// processor time per request, less one, in percent, the range of them, and the time per request without recording, in us.
// The time of a process is that of its quick stretches of 250 requests (the lower tenth), so that what else runs
// on the machine counts little.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const STRETCH = 250; // requests
const STRETCHES = 60; // of each process at least, beside the first
const FIRST = 16; // are not compiled yet

if (process.env.BENCH_STRETCHES) { // in the server
  const stretches = [];
  let count = 0;
  let last = 0;
  require('diagnostics_channel').subscribe('http.server.request.start', () => {
    if (++count % STRETCH !== 0) return;
    const { user, system } = process.cpuUsage();
    if (last > 0) stretches.push((user + system - last) / STRETCH);
    last = user + system;
  });
  process.on('SIGTERM', () => {
    fs.writeFileSync(process.env.BENCH_STRETCHES, JSON.stringify(stretches));
    process.exit();
  });
  return;
}

const SERVERS = {
  http: "const server = require('http').createServer((q, r) => r.end('hello')).listen(0, ready);",
  fastify: "const app = require('fastify')(); app.get('/', async () => ({ hello: 'world' })); const { server } = app; app.listen({ port: 0 }).then(ready);",
  koa: "const app = new (require('koa'))(); app.use(async (ctx, next) => { await next(); ctx.set('x-a', 'b'); }); app.use(async (ctx) => { ctx.body = { hello: 'world' }; }); const server = app.listen(0, ready);",
  express: "const app = require('express')(); app.get('/', (q, r) => r.json({ hello: 'world' })); const server = app.listen(0, ready);",
  hapi: "const app = require('@hapi/hapi').server({ port: 0 }); app.route({ method: 'GET', path: '/', handler: async () => ({ hello: 'world' }) }); const server = app.listener; app.start().then(ready);",
};
const [program, modules, times, ...frameworks] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'node-frameworks-'));
fs.symlinkSync(path.resolve(modules), path.join(folder, 'node_modules'));
let started = 0;

function start(framework, recorded) {
  const stretches = path.join(folder, `stretches-${++started}`);
  const script = path.join(folder, `${framework}.js`);
  fs.writeFileSync(script, `require(${JSON.stringify(__filename)}); ${SERVERS[framework]} function ready() { console.log(server.address().port); }`);
  const command = [process.execPath, script];
  if (recorded) command.unshift(program, 'record', '--node', '--out', path.join(folder, `log-${started}`), '--');
  const child = spawn(command[0], command.slice(1), { env: { ...process.env, BENCH_STRETCHES: stretches }, stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((done) => child.stdout.once('data', (port) => done({ child, port: Number(port), stretches })));
}

// How many requests were answered in half a second.
function load({ port }) {
  const wrk = spawn('timeout', ['-s', 'INT', '0.5', 'wrk', '-t1', '-c8', '-d9', `http://127.0.0.1:${port}/`], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  wrk.stdout.on('data', (part) => { text += part; });
  return new Promise((done) => wrk.on('close', () => done(Number(/(\d+) requests in/.exec(text)?.[1] ?? 0))));
}

async function end({ child, stretches }) {
  const exit = new Promise((done) => child.on('exit', done));
  child.kill();
  await exit;
  const got = JSON.parse(fs.readFileSync(stretches)).slice(FIRST).sort((a, b) => a - b);
  return got[Math.floor(got.length / 10)];
}

async function pair(framework) {
  const both = [await start(framework, false), await start(framework, true)];
  const answered = new Map(both.map((one) => [one, 0]));
  for (let i = 0; Math.min(...answered.values()) < (FIRST + STRETCHES) * STRETCH; i++) {
    for (const one of i % 2 === 0 ? both : [...both].reverse()) answered.set(one, answered.get(one) + await load(one));
  }
  const plain = await end(both[0]);
  return [plain, await end(both[1]) / plain];
}

async function main() {
  for (const framework of frameworks) {
    const pairs = [];
    for (let i = 0; i < Number(times); i++) pairs.push(await pair(framework));
    const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
    const quotients = pairs.map(([, quotient]) => 100 * (quotient - 1)).sort((a, b) => a - b);
    console.log(framework, ...[middle(quotients), quotients[0], quotients[quotients.length - 1]].map((x) => x.toFixed(1)), middle(pairs.map(([plain]) => plain)).toFixed(1));
  }
  fs.rmSync(folder, { recursive: true, force: true });
}

main();
