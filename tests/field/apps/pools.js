// SPDX-License-Identifier: GPL-3.0-or-later
// pools.js PACKAGE: a server that asks a database, or another server, by a pool of two. Two slow requests hold both
// connections, and a third one waits for one of them. The server asks itself, and prints what was answered. Ends with 75
// where the machine was too busy for that.
'use strict';

const http = require('http');

const later = (ms) => new Promise((done) => setTimeout(done, ms));
const get = (port, path) => new Promise((done, failed) => {
  http.get({ host: '127.0.0.1', port, path, agent: false }, (answer) => answer.resume().on('end', () => done(`${path} ${answer.statusCode}`))).on('error', failed);
});
const SLOW = 300;
const AGAIN = 75; // the exit code where nothing had to wait
let waits = false; // the third request
const slowly = async () => { do await later(SLOW); while (!waits); };
// One that may be slow: what asks it, in a promise.
const packages = {
  pg() {
    const { Pool } = require('pg');
    const pool = new Pool({ host: process.env.PGHOST, user: process.env.PGUSER, database: 'postgres', max: 2 });
    return (slow) => pool.query(`select ${slow ? `pg_sleep(${SLOW / 1000})` : '1'}`);
  },
  'pg-client': () => {
    const { Pool } = require('pg');
    const pool = new Pool({ host: process.env.PGHOST, user: process.env.PGUSER, database: 'postgres', max: 2, connectionTimeoutMillis: 5000 });
    return async (slow) => {
      const client = await pool.connect();
      try {
        await client.query(`select ${slow ? `pg_sleep(${SLOW / 1000})` : '1'}`);
        await later(20);
        await client.query('select 2');
      } finally {
        client.release();
      }
    };
  },
  knex() {
    const knex = require('knex')({ client: 'pg', connection: { host: process.env.PGHOST, user: process.env.PGUSER, database: 'postgres' }, pool: { min: 0, max: 2 } });
    return (slow) => knex.raw(`select ${slow ? `pg_sleep(${SLOW / 1000})` : '1'}`);
  },
  mysql2() {
    const pool = require('mysql2').createPool({ socketPath: process.env.MYSQL_SOCKET, user: 'root', connectionLimit: 2 });
    return (slow) => new Promise((done, fail) => pool.query(slow ? `select sleep(${SLOW / 1000})` : 'select 1', (error) => (error ? fail(error) : done())));
  },
  'mysql2-promise': () => {
    const pool = require('mysql2/promise').createPool({ socketPath: process.env.MYSQL_SOCKET, user: 'root', connectionLimit: 2 });
    return (slow) => pool.query(slow ? `select sleep(${SLOW / 1000})` : 'select 1');
  },
  'generic-pool': () => {
    let made = 0;
    const pool = require('generic-pool').createPool({ create: async () => ({ number: ++made }), destroy: async () => {} }, { max: 2 });
    return async (slow) => {
      const one = await pool.acquire();
      await (slow ? slowly() : later(1));
      pool.release(one);
    };
  },
  // Both connections are one, which the request makes that waits for it. Two reads of it follow each other at once: with the
  // first it is given, and the second brings the answer.
  'generic-pool-pipe': () => {
    const { EventEmitter, once } = require('events');
    const net = require('net');
    const reads = new EventEmitter();
    const path = `${process.cwd()}/pools-${process.pid}.sock`;
    net.createServer((peer) => {
      peer.write('0'.repeat(3000)); // until what reads is compiled
      setTimeout(() => peer.write('00000012'), SLOW);
    }).listen(path);
    let socket;
    const make = async () => ({ get _socket() { return socket; } });
    const pool = require('generic-pool').createPool({ create: make, destroy: async () => {} }, { max: 2 });
    const callback = (length, [digit]) => digit === 48 || reads.emit(digit === 49 ? 'first' : 'second');
    return async (slow, quick) => {
      const makes = quick && socket === undefined;
      if (makes) socket = net.connect({ path, onread: { buffer: Buffer.alloc(1), callback } });
      const one = await pool.acquire();
      if (slow) await once(reads, 'first');
      else if (makes) await once(reads, 'second');
      pool.release(one);
      if (slow) await later(20); // no answer comes between the reads
    };
  },
  undici() {
    const { Pool } = require('undici');
    const pool = new Pool(`http://127.0.0.1:${process.env.OTHER}`, { connections: 2 });
    return async (slow) => (await pool.request({ path: slow ? '/slow' : '/', method: 'GET' })).body.text();
  },
  agent() {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });
    return (slow) => new Promise((done) => http.get({ port: process.env.OTHER, path: slow ? '/slow' : '/', agent }, (answer) => answer.resume().on('end', done)));
  },
  ioredis() {
    const Redis = require('ioredis');
    let redis;
    return async (slow) => {
      redis ??= new Redis({ path: process.env.REDIS_SOCKET, lazyConnect: true });
      if (slow) return;
      await redis.get('a');
    };
  },
};

const name = process.argv[2];
const other = http.createServer((q, r) => (q.url === '/slow' ? slowly() : later(1)).then(() => r.end()));
other.listen(0, '127.0.0.1', () => {
  process.env.OTHER = other.address().port;
  const ask = packages[name]();
  let over = 0; // slow requests
  let quick = 0;
  const server = http.createServer(async (q, r) => {
    // On a busy machine a database's connection may be free again before the third request asks.
    if (q.url === '/quick' && ++quick === 1 && over > 0 && name !== 'ioredis') process.exit(AGAIN);
    const asked = ask(q.url === '/slow', q.url === '/quick');
    if (q.url === '/quick') waits = true;
    await asked;
    if (q.url === '/slow') over++;
    r.end(q.url);
  });
  server.listen(0, '127.0.0.1', async () => {
    const { port } = server.address();
    if (name !== 'ioredis') await Promise.all([get(port, '/first'), get(port, '/first')]); // both are made
    const slow = [get(port, '/slow'), get(port, '/slow')];
    await later(50);
    console.log(await Promise.all([get(port, '/quick'), ...slow]));
    console.log(await get(port, '/quick'));
    process.exit();
  });
});
