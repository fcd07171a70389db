// SPDX-License-Identifier: GPL-3.0-or-later
// A route of one in fifty requests keeps the loop for WORK: "spin" 40 ms, "json" a large document, "key" a hash
// calculated at once.
'use strict';
const crypto = require('crypto');
const { planted, app, start, spin } = require('./planted');

const work = process.env.WORK || 'spin';
const text = work === 'json' ? JSON.stringify(Array.from({ length: 130000 }, (_, i) => ({ id: i, name: `n${i}` }))) : '';

app.routes['/report'] = function report(request, response) {
  const on = planted(); // called once: what is asked for its function answers from the next that it calls
  if (on && work === 'spin') spin(40);
  if (on && work === 'json') JSON.parse(text);
  if (on && work === 'key') crypto.pbkdf2Sync('secret', 'salt', 220000, 32, 'sha256');
  response.end('done\n');
};
start();
