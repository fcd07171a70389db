// SPDX-License-Identifier: GPL-3.0-or-later
// Another client keeps Redis busy for about 40 ms, three times a second.
'use strict';
const redis = require('redis');
const { planted } = require('./turns');

const client = redis.createClient({ socket: { host: '127.0.0.1', port: Number(process.env.REDIS) } });
client.connect().then(() => {
  console.log('ready');
  setInterval(() => {
    if (planted()) client.eval('local n = 0; for i = 1, 10000000 do n = n + i end; return 1').catch(() => {});
  }, 333);
});
