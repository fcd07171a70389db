// SPDX-License-Identifier: GPL-3.0-or-later
// What fanout.js asks: every answer takes about DELAY ms (2), and one of SLOW_IN requests (none),
// at random, takes SLOW_MS (80).
'use strict';
const serve = require('./serve');

const delay = Number(process.env.DELAY || 2);
const slowIn = Number(process.env.SLOW_IN || 0);
const slowFor = Number(process.env.SLOW_MS || 80);

function answer(request, response) {
  const slow = slowIn > 0 && Math.random() * slowIn < 1;
  setTimeout(() => response.end('12'), slow ? slowFor : delay);
}

serve(Object.fromEntries(['/name', '/price', '/stock', '/near', '/far'].map(path => [path, answer])));
