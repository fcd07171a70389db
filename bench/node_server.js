// SPDX-License-Identifier: GPL-3.0-or-later
// A server whose handler computes: node node_server.js TURNS. /cost says how many requests it has
// answered and how much processor time the process has used, in us. Without TURNS: how many turns
// take a microsecond.
'use strict';
const http = require('http');

let rate = 0; // turns in a microsecond
let sink = 0; // without it the compiler leaves the turns out
function spin(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum = (sum * 31 + i) | 0;
  return sum;
}
function calibrate() {
  for (let round = 0; round < 40; round++) {
    const start = process.cpuUsage();
    for (let i = 0; i < 100; i++) sink += spin(50000); // often, so that it is compiled as it will be
    rate = Math.max(rate, 5e6 / process.cpuUsage(start).user);
  }
}

if (process.argv.length < 3) {
  calibrate();
  console.log(rate);
  process.exit();
}
const count = Number(process.argv[2]);
let answered = 0;
const server = http.createServer((request, response) => {
  if (request.url === '/cost') {
    const { user, system } = process.cpuUsage();
    response.end(JSON.stringify({ answered, cost: user + system }));
    return;
  }
  answered++;
  if (count > 0) sink += spin(count);
  response.end('hello');
});
server.listen(0, () => console.log(server.address().port));
