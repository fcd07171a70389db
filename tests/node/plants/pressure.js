// SPDX-License-Identifier: GPL-3.0-or-later
// A cache that grows by many small objects three times a second, and forgets them later: collections copy and promote
// them.
'use strict';
const { planted, start } = require('./planted');

const cache = [];
setInterval(function grow() {
  const entries = new Map();
  const on = planted();
  for (let i = 0; i < 60000 && on; i++) entries.set(i, { i, text: `entry ${i}` });
  cache.push(entries);
  if (cache.length > 6) cache.shift();
}, 333);
start();
