// SPDX-License-Identifier: GPL-3.0-or-later
'use strict';
// A checkout: signs the order (SHA-256, ROUNDS times), then asks Redis how many bits are set of STOCK bytes.
const http = require('node:http');
const { pbkdf2Sync } = require('node:crypto');
const redis = require('redis');

const rounds = Number(process.env.ROUNDS || 12000);
const stock = Number(process.env.STOCK || 4000000);

async function main() {
  const store = redis.createClient({ socket: { host: '127.0.0.1', port: Number(process.env.STORE_PORT) } });
  store.on('error', (error) => console.error(`shop: store: ${error.message}`));
  await store.connect();
  await store.setBit('stock', 8 * stock - 1, 1);
  http.createServer(async (request, response) => {
    try {
      const signature = pbkdf2Sync('order', 'salt', rounds, 32, 'sha256').toString('hex');
      response.end(`${signature} ${await store.bitCount('stock')}\n`);
    } catch (error) {
      response.statusCode = 503;
      response.end(`${error.message}\n`);
    }
  }).listen(Number(process.env.PORT), '127.0.0.1');
}

main();
