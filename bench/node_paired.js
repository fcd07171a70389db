// SPDX-License-Identifier: GPL-3.0-or-later
// What recording costs: node node_paired.js TAILPROOF MICROSECONDS PAIRS. Two servers stand side by
// side, one of them recorded; wrk asks one and then the other, again and again. Prints the
// median of the quotients of their processor time per request, less one, in percent, an interval of
// it (95 %), and the time per request without recording, in us.
'use strict';
const { spawn, execFileSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');

const [program, microseconds, pairs] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'node-paired-'));
const script = path.join(__dirname, 'node_server.js');
const rate = Number(execFileSync(process.execPath, [script]));
const server = [process.execPath, script, String(Math.round(rate * Number(microseconds)))];

function start(command) {
  const child = spawn(command[0], command.slice(1), { stdio: ['ignore', 'pipe', 'ignore'] });
  return new Promise((done) => child.stdout.once('data', (port) => done({ child, port: Number(port) })));
}

const cost = ({ port }) =>
  new Promise((done) => http.get({ port, path: '/cost', agent: false }, (answer) => {
    let text = '';
    answer.on('data', (part) => (text += part)).on('end', () => done(JSON.parse(text)));
  }));

function load({ port }) {
  const wrk = spawn('timeout', ['0.3', 'wrk', '-t1', '-c8', '-d9', `http://127.0.0.1:${port}/`], { stdio: 'ignore' });
  return new Promise((done) => wrk.on('exit', done));
}

async function measure(one) {
  const before = await cost(one);
  await load(one);
  const after = await cost(one);
  return (after.cost - before.cost) / (after.answered - before.answered);
}

async function main() {
  const plain = await start(server);
  const recorded = await start([program, 'record', '--node', '--out', path.join(folder, 'log'), '--', ...server]);
  for (let i = 0; i < 2; i++) for (const one of [plain, recorded]) await load(one);
  const quotients = [];
  const alone = [];
  for (let i = 0; i < Number(pairs); i++) {
    const [first, second] = i % 2 === 0 ? [plain, recorded] : [recorded, plain];
    const a = await measure(first);
    const b = await measure(second);
    alone.push(i % 2 === 0 ? a : b);
    quotients.push(i % 2 === 0 ? b / a : a / b);
  }
  quotients.sort((x, y) => x - y);
  alone.sort((x, y) => x - y);
  const n = quotients.length;
  const reach = 0.98 * Math.sqrt(n);
  const at = (rank) => (100 * (quotients[Math.min(n - 1, Math.max(0, Math.round(rank)))] - 1)).toFixed(1);
  console.log(at((n - 1) / 2), at((n - 1) / 2 - reach), at((n - 1) / 2 + reach), alone[n >> 1].toFixed(1));
  plain.child.kill();
  recorded.child.kill();
  recorded.child.on('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
}

main();
