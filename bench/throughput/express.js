// SPDX-License-Identifier: GPL-3.0-or-later
'use strict';
// Express: WORK us for each request, MODE spin (until the time is over), sum (N additions) or sleep; then NEXT, URLs with
// commas, one after the other, then an EVAL of REDIS_N steps of the Redis server at port REDIS.
const http = require('node:http');
const express = require('express');

const { PORT, MODE = 'sleep', NEXT = '', REDIS, REDIS_N } = process.env;
const work = Number(process.env.WORK || 0);
const additions = Number(process.env.N || 0);
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
const script = 'local s=0 for i=1,ARGV[1] do s=s+i end return s';
const urls = NEXT.split(',').filter(Boolean);
let x = 1.1;

async function busy() {
  if (MODE === 'sleep') {
    if (work > 0) await new Promise((done) => setTimeout(done, work / 1000));
  } else if (MODE === 'spin') {
    for (const end = process.hrtime.bigint() + BigInt(work) * 1000n; process.hrtime.bigint() < end;);
  } else {
    for (let i = 0; i < additions; i++) x = x * 1.0000001 + 1e-9;
  }
}

function ask(url) {
  return new Promise((done, fail) => {
    http.get(url, { agent }, (answer) => {
      answer.resume();
      answer.on('end', () => (answer.statusCode === 200 ? done() : fail(new Error(`${url}: ${answer.statusCode}`))));
    }).on('error', fail);
  });
}

async function main() {
  const store = REDIS ? new (require('ioredis'))(Number(REDIS), '127.0.0.1') : null;
  const app = express();
  app.get('/', async (request, response) => {
    try {
      await busy();
      for (const url of urls) await ask(url);
      if (store) await store.eval(script, 0, REDIS_N);
      response.send('ok\n');
    } catch (error) {
      response.status(503).send(`${error.message}\n`);
    }
  });
  app.listen(Number(PORT), '127.0.0.1');
}

main();
