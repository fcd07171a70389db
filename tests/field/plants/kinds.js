// SPDX-License-Identifier: GPL-3.0-or-later
// What holds up a loop, as people have written it. ON=0: the same without it.
'use strict';
const crypto = require('crypto');
const childProcess = require('child_process');
const dns = require('dns');
const { EventEmitter } = require('events');
const fs = require('fs');
const net = require('net');
const os = require('os');
const path = require('path');
const { Worker } = require('worker_threads');
const zlib = require('zlib');

const on = process.env.ON !== '0';
const large = (length) => Array.from({ length: on ? length : 10 }, (_, i) => ({ id: i, name: `name ${i}`, tags: ['a', 'b'] }));
const route = (name, work) => ({ routes: { [name]: work.length === 0 ? (answer) => answer(work()) : work } });

// --- computing in a handler ---

const address = /^(([a-z0-9])+\.?)+$/;
function checkAddress() {
  return address.test(on ? `${'a'.repeat(23)}!` : 'a.example.com');
}

const data = large({ parse: 400000, stringify: 120000 }[process.env.PLANT] ?? 10);
const text = JSON.stringify(data);
function parseDocument(answer) {
  const parsed = JSON.parse(text);
  answer(parsed.length);
}

function renderRows(answer) {
  const rendered = JSON.stringify(data);
  answer(rendered.length);
}

function verifyPassword(answer) {
  const key = crypto.pbkdf2Sync('password', 'salt', on ? 150000 : 10, 32, 'sha256');
  answer(key.toString('hex'));
}

const lines = Buffer.from(Array.from({ length: on ? 400000 : 10 }, (_, i) => `line ${(i * 7919) % 10007}`).join('\n'));
function packLines(answer) {
  const packed = zlib.gzipSync(lines);
  answer(packed.length);
}

const keys = Array.from({ length: on ? 6000 : 50 }, (_, i) => `k${(i * 7919) % 12000}`);
function uniqueKeys() {
  return keys.filter((key, i) => keys.indexOf(key) === i).length;
}

const file = path.join(os.tmpdir(), `plant-${process.pid}`);
if (process.env.PLANT === 'readsync') fs.writeFileSync(file, 'é'.repeat(on ? 8e6 : 10));
function readAll(answer) {
  const all = fs.readFileSync(file, 'utf8');
  answer(all.length);
}
process.on('exit', () => fs.rmSync(file, { force: true }));

function version() {
  return on ? childProcess.execSync('sleep 0.03; echo 1').toString() : '1';
}

// One of four functions, another each time.
const spin = (ms) => { const until = performance.now() + (on ? ms : 0); while (performance.now() < until); };
function loadParts() { spin(30); }
function joinParts() { spin(30); }
function sortParts() { spin(30); }
function printParts() { spin(30); }
const steps = [loadParts, joinParts, sortParts, printParts];
let step = 0;
const report = () => steps[step++ % steps.length]();

// --- what hands work on ---

const bus = new EventEmitter();
bus.setMaxListeners(0);
let seen = 0;
function subscriber(x) {
  for (let k = 0; k < 300; k++) seen += Math.sqrt(x + k);
}
for (let i = 0; i < (on && process.env.PLANT === 'emitter' ? 40000 : 5); i++) bus.on('order', (x) => subscriber(x));
function placeOrder() {
  bus.emit('order', 1);
  return 'ok';
}

function drainQueue(left, answer) {
  if (left === 0) { answer('ok'); return; }
  for (let i = 0; i < 40; i++) seen += Math.sqrt(i + left);
  process.nextTick(drainQueue, left - 1, answer);
}

async function parseRow(x) { return x * 2; }
async function parseAll(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += await parseRow(i);
  return sum;
}

// Whoever comes while the answer has expired computes it.
let cached;
let expires = 0;
async function rebuild() {
  await new Promise((resolve) => setTimeout(resolve, 20));
  spin(12);
  cached = 'prices';
  expires = performance.now() + 500;
}
async function prices() {
  if (performance.now() > expires) await rebuild();
  return cached;
}

// --- what no request asks for ---

const measured = new Map(Array.from({ length: 200000 }, (_, i) => [`k${i}`, i]));
function collectMetrics() {
  let sum = 0;
  for (let i = 0; i < (on ? 12 : 0); i++) for (const [key, value] of measured) sum += value + key.length;
  return sum;
}

// Another process sends a batch four times a second.
function handleBatch(batch) {
  if (batch.length > 1000) spin(40);
}
const sender = `const s = require('net').createServer((c) => { c.on('error', () => {}); setInterval(() => c.write('x'.repeat(9000)), 250); });
  s.listen(0, '127.0.0.1', () => console.log(s.address().port)); process.stdin.on('end', () => process.exit()).resume();`;
function consume() {
  const child = childProcess.spawn(process.execPath, ['-e', sender], { env: { PATH: process.env.PATH }, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdout.once('data', (port) => net.connect(Number(port), '127.0.0.1').on('data', handleBatch));
}

// --- what waits for threads and connections ---

const some = lines.subarray(0, 600000);
function packSix(answer) {
  let left = 6;
  for (let i = 0; i < 6; i++) zlib.gzip(on ? some : lines.subarray(0, 10), () => { if (--left === 0) answer('ok'); });
}

// Addresses that a name server tells late: more than the threads that look up names.
const lookUp = (name) => new Promise((done) => dns.lookup(name, done));
function notify(answer) {
  Promise.all([1, 2, 3, 4].map((i) => lookUp(`${on ? 'slow' : 'quick'}${i}.test`))).then(answer);
}

// Another thread has the rows.
const rowsOf = `const { parentPort } = require('worker_threads');
  const rows = Array.from({ length: ${on ? 60000 : 10} }, (_, i) => ({ id: i, name: 'name ' + i, tags: ['a', 'b'] }));
  parentPort.on('message', () => parentPort.postMessage(rows));`;
let rowsWorker;
function fetchRows(answer) {
  rowsWorker.once('message', (rows) => answer(rows.length));
  rowsWorker.postMessage(0);
}

// A pool of two: pages ask quickly, and one of twenty requests for long. What asks it, in a promise.
const pools = {
  pg() {
    const { Pool } = require('pg');
    const pool = new Pool({ host: process.env.PGHOST, user: process.env.PGUSER, database: 'postgres', max: 2 });
    return (slow) => pool.query(slow ? 'select pg_sleep(0.25)' : 'select 1');
  },
  redis() {
    const Redis = require('ioredis');
    const create = async () => new Redis({ path: process.env.REDIS_SOCKET });
    const pool = require('generic-pool').createPool({ create, destroy: async (one) => one.quit() }, { max: 2 });
    return (slow) => pool.use((one) => (slow ? one.blpop('nothing', 0.25) : one.get('a')));
  },
  undici() {
    const other = require('http').createServer((request, response) => setTimeout(() => response.end('ok'), Number(request.url.slice(1))));
    const { Pool } = require('undici');
    let pool;
    other.listen(0, '127.0.0.1', () => { pool = new Pool(`http://127.0.0.1:${other.address().port}`, { connections: 2 }); });
    return async (slow) => (await pool.request({ path: slow ? '/250' : '/1', method: 'GET' })).body.text();
  },
};
function ofPool(name) {
  if (process.env.PLANT !== `${name}pool`) return {};
  const ask = pools[name]();
  return { routes: { '/page': (answer) => ask(false).then(() => answer('ok')), '/yearly': (answer) => ask(on).then(() => answer('ok')) } };
}

module.exports = {
  none: {},
  redos: route('/signup', checkAddress),
  parse: route('/import', parseDocument),
  stringify: route('/export', renderRows),
  password: route('/login', verifyPassword),
  gzip: route('/archive', packLines),
  quadratic: route('/dedupe', uniqueKeys),
  readsync: route('/static', readAll),
  exec: route('/version', version),
  split: route('/report', report),
  emitter: route('/order', placeOrder),
  ticks: { routes: { '/drain': (answer) => drainQueue(on ? 60000 : 5, answer) } },
  awaits: { routes: { '/rows': (answer) => parseAll(on ? 100000 : 5).then(answer) } },
  stampede: { routes: { '/prices': (answer) => prices().then(answer) } },
  timer: { start: () => setInterval(collectMetrics, 500) },
  consumer: { start: consume },
  zlib: route('/pack', packSix),
  dns: { routes: { '/page': (answer) => lookUp('quick.test').then(answer), '/notify': notify } },
  messages: { routes: { '/rows': fetchRows }, start: () => { rowsWorker = new Worker(rowsOf, { eval: true }); } },
  pgpool: ofPool('pg'),
  redispool: ofPool('redis'),
  undicipool: ofPool('undici'),
};
