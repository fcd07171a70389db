// SPDX-License-Identifier: GPL-3.0-or-later
// A server whose handler computes for so many microseconds: node node_server.js MICROSECONDS. /cost
// says how many requests it has answered and how much processor time the process has used, in us.
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
  for (let round = 0; round < 20; round++) {
    const start = process.cpuUsage();
    sink += spin(1000000);
    rate = Math.max(rate, 1e6 / process.cpuUsage(start).user);
  }
}

calibrate();
const count = Math.round(rate * Number(process.argv[2]));
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
