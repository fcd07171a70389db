// SPDX-License-Identifier: GPL-3.0-or-later
// A queue of jobs in Redis, and requests that wait for a job: redis.js PORT.
'use strict';

const http = require('http');
const { Queue, QueueEvents, Worker } = require('bullmq');
const Redis = require('ioredis');
const ask = require('./ask.js');

(async () => {
  const connection = { host: '127.0.0.1', port: Number(process.env.REDIS_PORT), maxRetriesPerRequest: null };
  const redis = new Redis(connection);
  const queue = new Queue('q', { connection });
  const events = new QueueEvents('q', { connection });
  const worker = new Worker('q', async (job) => job.data.n * 2, { connection });
  await events.waitUntilReady();
  const server = http.createServer(async (q, r) => {
    await redis.incr('asked');
    const job = await queue.add('double', { n: q.url.length });
    r.end(`${await job.waitUntilFinished(events)} ${await redis.get('asked')}`);
  }).listen(0, '127.0.0.1');
  await new Promise((done) => server.on('listening', done));
  await redis.del('asked');
  await ask(server.address().port, [['GET', '/'], ['GET', '/long'], ['GET', '/longer']]);
  server.close();
  for (const one of [worker, events, queue]) await one.close();
  await redis.quit();
  console.log('closed');
})();
