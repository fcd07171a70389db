// SPDX-License-Identifier: GPL-3.0-or-later
// An async/await page that asks others: GET /page asks an upstream server three things at once, and
// Redis for two, then stores a count; GET /price asks the upstream alone.
//
//   UPSTREAM=8081 REDIS=6379 PORT=8080 node fanout.js
//
// The client of Redis is Debian's package node-redis: NODE_PATH=/usr/share/nodejs where Node is not
// Debian's own.
'use strict';
const http = require('http');
const redis = require('redis');
const serve = require('./serve');

const agent = new http.Agent({ keepAlive: true, maxSockets: 64 });
const database = redis.createClient({ socket: { host: '127.0.0.1', port: Number(process.env.REDIS || 6379) } });
const upstream = Number(process.env.UPSTREAM || 8081);

function ask(path) {
  return new Promise((resolve, reject) => {
    const request = http.get({ host: '127.0.0.1', port: upstream, path, agent }, response => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', part => { text += part; });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    request.on('error', reject);
  });
}

async function page(request, response) {
  const [name, price, stock, visits] = await Promise.all([
    ask('/name'), ask('/price'), ask('/stock'), database.get('visits')]);
  const soon = await Promise.race([ask('/near'), ask('/far')]);
  await database.incr('visits');
  response.end(`${name} ${price} ${stock} ${soon} ${visits}\n`);
}

async function price(request, response) {
  response.end(`${await ask('/price')}\n`);
}

function safely(handler) {
  return (request, response) => handler(request, response).catch(error => {
    response.statusCode = 500;
    response.end(`${error.message}\n`);
  });
}

const routes = { '/page': safely(page), '/price': safely(price) };
const ready = database.connect();
if (require.main === module) ready.then(() => serve(routes));
module.exports = { routes, ready, database };
