// SPDX-License-Identifier: GPL-3.0-or-later
'use strict';
// node:http alone, N additions for each request.
const http = require('node:http');
const additions = Number(process.env.N);
let x = 1.1;
http.createServer((request, response) => {
  for (let i = 0; i < additions; i++) x = x * 1.0000001 + 1e-9;
  response.setHeader('Content-Length', 3);
  response.end('ok\n');
}).listen(Number(process.env.PORT), '127.0.0.1');
