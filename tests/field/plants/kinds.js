// SPDX-License-Identifier: GPL-3.0-or-later
// What holds up a loop, as people have written it. ON=0: the same without it; ON=turns, ON=middle: by turns with and without
// (turns.js).
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
const { planted } = require('../../node/plants/turns');

// What is large with the plant, and what is small without it, of a length that is made; with turns there are both.
const either = (make, large, small) => {
  const kept = { true: process.env.ON === '0' ? null : make(large), false: make(small) };
  return () => kept[planted()];
};
const rowsOf = (length) => Array.from({ length }, (_, i) => ({ id: i, name: `name ${i}`, tags: ['a', 'b'] }));
const route = (name, work) => ({ routes: { [name]: work.length === 0 ? (answer) => answer(work()) : work } });

// --- computing in a handler ---

const address = /^(([a-z0-9])+\.?)+$/;
function checkAddress() {
  return address.test(planted() ? `${'a'.repeat(23)}!` : 'a.example.com');
}

const data = either(rowsOf, { stringify: 120000 }[process.env.PLANT] ?? 10, 10);
const text = either((length) => JSON.stringify(rowsOf(length)), { parse: 400000 }[process.env.PLANT] ?? 10, 10);
function parseDocument(answer) {
  const parsed = JSON.parse(text());
  answer(parsed.length);
}

function renderRows(answer) {
  const rendered = JSON.stringify(data());
  answer(rendered.length);
}

function verifyPassword(answer) {
  const key = crypto.pbkdf2Sync('password', 'salt', planted() ? 150000 : 10, 32, 'sha256');
  answer(key.toString('hex'));
}

const linesOf = (length) => Buffer.from(Array.from({ length }, (_, i) => `line ${(i * 7919) % 10007}`).join('\n'));
const lines = either(linesOf, 400000, 10);
function packLines(answer) {
  const packed = zlib.gzipSync(lines());
  answer(packed.length);
}

const keys = either((length) => Array.from({ length }, (_, i) => `k${(i * 7919) % 12000}`), 6000, 50);
function uniqueKeys() {
  const all = keys();
  return all.filter((key, i) => all.indexOf(key) === i).length;
}

const folder = process.env.PLANT === 'readsync' ? fs.mkdtempSync(path.join(os.tmpdir(), 'plant-')) : undefined;
const file = either((length) => {
  const name = path.join(folder ?? '', `of-${length}`);
  if (folder) fs.writeFileSync(name, 'é'.repeat(length));
  return name;
}, 8e6, 10);
function readAll(answer) {
  const all = fs.readFileSync(file(), 'utf8');
  answer(all.length);
}
process.on('exit', () => { if (folder) fs.rmSync(folder, { recursive: true, force: true }); });

function version() {
  return planted() ? childProcess.execSync('sleep 0.03; echo 1').toString() : '1';
}

// One of four functions, another each time.
const spin = (ms) => { const until = performance.now() + (planted() ? ms : 0); while (performance.now() < until); };
function loadParts() { spin(30); }
function joinParts() { spin(30); }
function sortParts() { spin(30); }
function printParts() { spin(30); }
const steps = [loadParts, joinParts, sortParts, printParts];
let step = 0;
const report = () => steps[step++ % steps.length]();

// --- what hands work on ---

let seen = 0;
function subscriber(x) {
  for (let k = 0; k < 300; k++) seen += Math.sqrt(x + k);
}
const bus = either((listeners) => {
  const made = new EventEmitter();
  made.setMaxListeners(0);
  for (let i = 0; i < listeners; i++) made.on('order', (x) => subscriber(x));
  return made;
}, process.env.PLANT === 'emitter' ? 40000 : 5, 5);
function placeOrder() {
  bus().emit('order', 1);
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

const ROUNDS = process.env.ON === 'middle' ? 40 : 12; // beside pages that compute for long
const measured = new Map(Array.from({ length: 200000 }, (_, i) => [`k${i}`, i]));
function collectMetrics() {
  let sum = 0;
  for (let i = 0; i < (planted() ? ROUNDS : 0); i++) for (const [key, value] of measured) sum += value + key.length;
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

const some = either((length) => lines().subarray(0, length), 600000, 10);
function packSix(answer) {
  let left = 6;
  for (let i = 0; i < 6; i++) zlib.gzip(some(), () => { if (--left === 0) answer('ok'); });
}

const page = either((length) => lines().subarray(0, length), 20000, 10);
function shrinkSix(answer) {
  let left = 6;
  for (let i = 0; i < 6; i++) zlib.brotliCompress(page(), () => { if (--left === 0) answer('ok'); });
}

function deriveSix(answer) {
  let left = 6;
  for (let i = 0; i < 6; i++) crypto.pbkdf2('password', 'salt', planted() ? 60000 : 10, 32, 'sha256', () => { if (--left === 0) answer('ok'); });
}

// Files of many pieces, each of which is work of its own.
const directory = process.env.PLANT === 'files' ? fs.mkdtempSync(path.join(os.tmpdir(), 'plant-')) : undefined;
const download = either((length) => {
  const name = path.join(directory ?? '', `of-${length}`);
  if (directory) fs.writeFileSync(name, Buffer.alloc(length));
  return name;
}, 2e6, 10);
function readMany(answer) {
  let left = 16;
  for (let i = 0; i < 16; i++) fs.readFile(download(), () => { if (--left === 0) answer('ok'); });
}
process.on('exit', () => { if (directory) fs.rmSync(directory, { recursive: true, force: true }); });

// Addresses that a name server tells late: more than the threads that look up names.
const lookUp = (name) => new Promise((done) => dns.lookup(name, done));
function notify(answer) {
  Promise.all([1, 2, 3, 4].map((i) => lookUp(`${planted() ? 'slow' : 'quick'}${i}.test`))).then(answer);
}

// Another thread has the rows.
const rowsThread = `const { parentPort } = require('worker_threads');
  const rowsOf = ${rowsOf};
  const rows = { true: rowsOf(60000), false: rowsOf(10) };
  parentPort.on('message', (many) => parentPort.postMessage(rows[many]));`;
let rowsWorker;
function fetchRows(answer) {
  rowsWorker.once('message', (rows) => answer(rows.length));
  rowsWorker.postMessage(planted());
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
  return { routes: { '/page': (answer) => ask(false).then(() => answer('ok')), '/yearly': (answer) => ask(planted()).then(() => answer('ok')) } };
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
  ticks: { routes: { '/drain': (answer) => drainQueue(planted() ? 60000 : 5, answer) } },
  awaits: { routes: { '/rows': (answer) => parseAll(planted() ? 100000 : 5).then(answer) } },
  stampede: { routes: { '/prices': (answer) => prices().then(answer) } },
  timer: { start: () => setInterval(collectMetrics, 500) },
  consumer: { start: consume },
  zlib: route('/pack', packSix),
  brotli: route('/shrink', shrinkSix),
  keys: route('/token', deriveSix),
  files: route('/download', readMany),
  dns: { routes: { '/page': (answer) => lookUp('quick.test').then(answer), '/notify': notify } },
  messages: { routes: { '/rows': fetchRows }, start: () => { rowsWorker = new Worker(rowsThread, { eval: true }); } },
  pgpool: ofPool('pg'),
  redispool: ofPool('redis'),
  undicipool: ofPool('undici'),
};
