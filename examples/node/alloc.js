// SPDX-License-Identifier: GPL-3.0-or-later
// A page that allocates: each request makes ROWS objects and sorts them.
//
//   PORT=8080 KEEP=0 node alloc.js
//
// KEEP=0: garbage dies young, as nothing outlives its request, which takes WAIT ms (40) as if it
// asked another server. KEEP=60: the rows of the last 60 requests stay alive, as in a cache or in
// sessions, and every collection has to copy what is new of them.
'use strict';
const serve = require('./serve');

const KEEP = Number(process.env.KEEP || 0);
const WAIT = Number(process.env.WAIT || 40);
const ROWS = Number(process.env.ROWS || 5000);
const kept = [];

function makeRows(seed) {
  const rows = [];
  for (let i = 0; i < ROWS; i++) {
    const key = (i * 7919 + seed * 104729) % 1000003;
    rows.push({ key, name: `row ${key}`, tags: [key % 7, key % 11] });
  }
  return rows;
}

function page(request, response, url) {
  const rows = makeRows(Number(url.searchParams.get('seed') || 1));
  if (KEEP > 0) {
    kept.push(rows);
    if (kept.length > KEEP) kept.shift();
  }
  setTimeout(function answer() {
    let sum = 0;
    for (const row of rows) sum = (sum * 31 + row.key + row.tags[1]) % 1000003;
    response.end(`${sum}\n`);
  }, WAIT);
}

function small(request, response) {
  response.end('ok\n');
}

const routes = { '/page': page, '/small': small };
if (require.main === module) serve(routes);
module.exports = { routes };
