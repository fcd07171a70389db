// SPDX-License-Identifier: GPL-3.0-or-later
// A client of HTTP, from an ES module: its parser is WebAssembly, its globals are made by getters.
import { once } from 'node:events';
import http from 'node:http';
import { Agent, fetch, request } from 'undici-7';

const server = http.createServer((asked, answer) => asked.pipe(answer)).listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${server.address().port}/`;
const dispatcher = new Agent({ pipelining: 2 });
for (const text of ['one', 'two']) {
  const { statusCode, body } = await request(url, { method: 'POST', body: text, dispatcher });
  console.log(statusCode, await body.text());
}
console.log(await (await fetch(url, { method: 'POST', body: JSON.stringify({ three: 3 }), dispatcher })).json());
await dispatcher.close();
server.close();
console.log('closed');
