// SPDX-License-Identifier: GPL-3.0-or-later
// A server that allocates in one of two patterns: node heap_patterns.js young|survives PORT.
// young: a request allocates some 6 MB in small objects, all of it garbage once it is answered.
// survives: a request allocates a tenth of that, and the data of the last 60 requests are kept.
'use strict';
const http = require('http');

const [pattern, port] = process.argv.slice(2);
const objects = pattern === 'young' ? 80000 : 8000;
const kept = new Array(pattern === 'survives' ? 60 : 0);
let requests = 0;

function allocate(seed) {
  const rows = [];
  for (let i = 0; i < objects; i++) rows.push({ key: seed + i, text: [seed, i], next: null });
  return rows;
}

http.createServer((request, response) => {
  const rows = allocate(requests++);
  if (kept.length > 0) kept[requests % kept.length] = rows;
  response.end(String(rows.length));
}).listen(Number(port), '127.0.0.1');
