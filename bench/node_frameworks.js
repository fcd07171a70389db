// SPDX-License-Identifier: GPL-3.0-or-later
// What recording costs a server on a framework: node node_frameworks.js TAILPROOF NODE_MODULES TIMES [WORK=MICROSECONDS]
// FRAMEWORK... Servers stand side by side, recorded and not, and wrk asks one and then the other; after a while both are started
// anew, as one process differs from another by some percent. A handler makes and sorts a list of objects, and turns it to JSON,
// for MICROSECONDS (0: it answers at once). For each framework: the median over TIMES such pairs of the quotient of processor
// time per request, less one, in percent, the range of them, and the time per request without recording, in us. The time of a
// process is that of its stretches of STRETCH requests, without the slowest tenth, in which something else ran. Of all threads:
// what writes the log counts.
'use strict';
const { execFileSync, spawn } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const STRETCH = Number(process.env.BENCH_STRETCH || 250); // requests
const STRETCHES = 60; // of each process at least, beside the first
const LEAST = 32; // requests that are asked for at a time
const SECONDS_MOST = 20; // for so many
const FIRST = Number(process.env.BENCH_FIRST || 16); // are not compiled yet

// What handlers do.
const work = (count) => {
  const list = [];
  for (let i = 0; i < count; i++) list.push({ id: i, name: `item ${(i * 7919) % 1009}`, price: (i * 31) % 97, tags: ['a', 'b'] });
  return JSON.stringify(list.filter((one) => one.price > 10).sort((a, b) => a.price - b.price));
};

// How many objects take a microsecond.
function calibrate() {
  const COUNT = 100;
  let rate = 0;
  for (let round = 0; round < 40; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < 500; i++) work(COUNT);
    const { user, system } = process.cpuUsage(start);
    rate = Math.max(rate, (500 * COUNT) / (user + system));
  }
  return rate;
}

function countStretches() {
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
}

const listen = (server) => server.listen(0, '127.0.0.1', () => console.log(server.address().port));
const { get } = require('http');

// `make()` gives what a handler answers with.
const SERVERS = {
  http: (make) => listen(require('http').createServer((q, r) => r.end(make()))),
  fastify: async (make) => {
    const app = require('fastify')();
    app.get('/', async () => make());
    await app.listen({ port: 0 });
    console.log(app.server.address().port);
  },
  koa: (make) => {
    const app = new (require('koa'))();
    app.use(async (context, next) => { await next(); context.set('x-a', 'b'); });
    app.use(async (context) => { context.body = make(); });
    listen(require('http').createServer(app.callback()));
  },
  express: (make) => {
    const app = require('express')();
    app.get('/', (request, response) => response.type('json').send(make()));
    listen(require('http').createServer(app));
  },
  hapi: async (make) => {
    const app = require('@hapi/hapi').server({ port: 0 });
    app.route({ method: 'GET', path: '/', handler: async () => make() });
    await app.start();
    console.log(app.info.port);
  },
  yoga: (make) => {
    const { createSchema, createYoga } = require('graphql-yoga');
    const resolvers = { Query: { hello: async () => make() } };
    const yoga = createYoga({ schema: createSchema({ typeDefs: 'type Query { hello: String! }', resolvers }), logging: false });
    listen(require('http').createServer((request, response) => {
      request.url = '/graphql?query=%7Bhello%7D';
      return yoga(request, response);
    }));
  },
  nest: async (make) => {
    require('reflect-metadata');
    const { Controller, Get, Module } = require('@nestjs/common');
    class Users {
      async get() { return make(); }
    }
    Get()(Users.prototype, 'get', Object.getOwnPropertyDescriptor(Users.prototype, 'get'));
    Controller()(Users);
    class App {}
    Module({ controllers: [Users] })(App);
    const app = await require('@nestjs/core').NestFactory.create(App, { logger: false });
    console.log((await app.listen(0, '127.0.0.1')).address().port);
  },
  // Of a row of a table, over a pool (PGHOST and so on).
  pg: (make) => {
    const pool = new (require('pg').Pool)({ max: 4 });
    const app = require('express')();
    app.get('/', async (request, response) => {
      const { rows } = await pool.query('SELECT $1::int AS id, now() AS now', [7]);
      response.json({ rows, more: make() });
    });
    listen(require('http').createServer(app));
  },
  redis: (make) => {
    const redis = new (require('ioredis'))(Number(process.env.REDIS_PORT));
    const app = require('fastify')();
    app.get('/', async () => ({ value: await redis.get('a'), more: make() }));
    app.listen({ port: 0 }).then(() => console.log(app.server.address().port));
  },
  // A file is read, and sent with what was made.
  file: (make) => {
    const app = require('express')();
    app.get('/', async (request, response) => response.send(`${await fs.promises.readFile(__filename, 'utf8')}${make()}`));
    listen(require('http').createServer(app));
  },
  // Asks another server, which is not recorded.
  proxy: (make) => {
    const other = spawn(process.execPath, ['-e', "const s = require('http').createServer((q, r) => r.end('{\"a\":1}')).listen(0, () => console.log(s.address().port))"], { stdio: ['pipe', 'pipe', 'inherit'], env: { PATH: process.env.PATH } });
    process.on('exit', () => other.kill());
    const agent = new (require('http').Agent)({ keepAlive: true });
    other.stdout.once('data', (port) => {
      const app = require('fastify')();
      app.get('/', () => new Promise((done, failed) => get({ port: Number(port), agent }, (answer) => {
        let text = '';
        answer.on('data', (part) => { text += part; }).on('end', () => done({ ...JSON.parse(text), more: make() }));
      }).on('error', failed)));
      app.listen({ port: 0 }).then(() => console.log(app.server.address().port));
    });
  },
  // A page of an application that `next build` has made in the folder NEXT_APP.
  next: async () => {
    process.env.NODE_ENV = 'production';
    const app = require(require.resolve('next', { paths: [process.env.NEXT_APP] }))({ dev: false, dir: process.env.NEXT_APP, hostname: 'localhost', port: 3000 });
    await app.prepare();
    const handler = app.getRequestHandler();
    listen(require('http').createServer((request, response) => handler(request, response)));
  },
};

if (process.env.BENCH_STRETCHES) {
  const [, , framework, count] = process.argv;
  module.paths.unshift(process.env.BENCH_MODULES);
  countStretches();
  SERVERS[framework](Number(count) > 0 ? () => work(Number(count)) : () => 'hello');
  return;
}
if (process.argv[2] === 'calibrate') {
  console.log(calibrate());
  return;
}

const [program, modules, times, ...words] = process.argv.slice(2);
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'node-frameworks-'));
let started = 0;
let count = 0;

function start(framework, recorded) {
  const stretches = path.join(folder, `stretches-${++started}`);
  const command = [process.execPath, __filename, framework, String(count)];
  if (recorded) command.unshift(program, 'record', '--node', '--out', path.join(folder, `log-${started}`), '--');
  const env = { ...process.env, BENCH_STRETCHES: stretches, BENCH_MODULES: path.resolve(modules) };
  const child = spawn(command[0], command.slice(1), { env, stdio: ['ignore', 'pipe', process.env.BENCH_STDERR ? 'inherit' : 'ignore'] });
  return new Promise((done, failed) => {
    child.stdout.once('data', (port) => done({ child, port: Number(port), stretches, seconds: 0.5 }));
    child.once('exit', (code) => failed(new Error(`${command.join(' ')} ended with ${code}`)));
  });
}

// How many requests were answered in this time. A server that answers none has more of it the next time: those that wrk leaves
// are given up, and a slow one would never get on.
function load(one) {
  const { port } = one;
  const wrk = spawn('timeout', ['-s', 'INT', String(one.seconds), 'wrk', '-t1', '-c8', '-d99', `http://127.0.0.1:${port}/`], { stdio: ['ignore', 'pipe', 'ignore'] });
  let text = '';
  wrk.stdout.on('data', (part) => { text += part; });
  return new Promise((done, failed) => wrk.on('close', () => {
    const answered = Number(/(\d+) requests in/.exec(text)?.[1] ?? 0);
    const wrong = Number(/Non-2xx or 3xx responses: (\d+)/.exec(text)?.[1] ?? 0);
    if (wrong > 0) failed(new Error(`${wrong} of ${answered} answers are errors`));
    if (answered < LEAST) one.seconds *= 2;
    if (one.seconds > SECONDS_MOST) failed(new Error(`it answers ${answered} requests in ${one.seconds / 2} s`));
    done(answered);
  }));
}

// What is loaded and compiled with the first.
const first = ({ port }) => new Promise((done, failed) => get({ port, agent: false }, (answer) => answer.resume().on('end', done)).on('error', failed));

async function end({ child, stretches }) {
  const exit = new Promise((done) => child.on('exit', done));
  child.kill();
  await exit;
  const got = JSON.parse(fs.readFileSync(stretches)).slice(FIRST).sort((a, b) => a - b);
  const kept = got.slice(0, Math.ceil(got.length * 0.9));
  return kept.reduce((a, b) => a + b) / kept.length;
}

async function pair(framework) {
  const both = [await start(framework, false), await start(framework, true)];
  const answered = new Map(both.map((one) => [one, 0]));
  for (const one of both) await first(one);
  for (let i = 0; Math.min(...answered.values()) < (FIRST + STRETCHES) * STRETCH; i++) {
    for (const one of i % 2 === 0 ? both : [...both].reverse()) answered.set(one, answered.get(one) + await load(one));
  }
  const plain = await end(both[0]);
  return [plain, await end(both[1]) / plain];
}

async function measure(framework) {
  const pairs = [];
  for (let i = 0; i < Number(times); i++) pairs.push(await pair(framework));
  const middle = (list) => list.sort((a, b) => a - b)[list.length >> 1];
  const quotients = pairs.map(([, quotient]) => 100 * (quotient - 1)).sort((a, b) => a - b);
  console.log(framework, ...[middle(quotients), quotients[0], quotients[quotients.length - 1]].map((x) => x.toFixed(1)), middle(pairs.map(([plain]) => plain)).toFixed(1));
}

async function main() {

  let rate;
  for (const word of words) {
    if (word.startsWith('WORK=')) {
      const us = Number(word.slice(5));
      rate ??= us > 0 ? Number(execFileSync(process.execPath, [__filename, 'calibrate'])) : undefined;
      count = us > 0 ? Math.round(us * rate) : 0;
    } else {
      await measure(word);
    }
  }
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
}).finally(() => fs.rmSync(folder, { recursive: true, force: true }));
