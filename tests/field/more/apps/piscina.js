// SPDX-License-Identifier: GPL-3.0-or-later
// A pool of worker threads that is asked by requests; by messages, and by Atomics.
'use strict';

const http = require('http');
const { isMainThread } = require('worker_threads');

if (!isMainThread) {
  module.exports = (n) => { let sum = 0; for (let i = 0; i < n; i++) sum = (sum * 31 + i) % 65521; return sum; };
} else {
  const { Piscina } = require('piscina');
  const ask = require('./ask.js');
  (async () => {
    for (const atomics of ['disabled', 'sync']) {
      const pool = new Piscina({ filename: __filename, minThreads: 1, maxThreads: 2, atomics });
      const server = http.createServer(async (q, r) => r.end(String(await pool.run(Number(q.url.slice(1)))))).listen(0, '127.0.0.1');
      await new Promise((done) => server.on('listening', done));
      await ask(server.address().port, [['GET', '/1000'], ['GET', '/100000']]);
      server.close();
      await pool.destroy();
    }
    console.log('closed');
  })();
}
