// SPDX-License-Identifier: GPL-3.0-or-later
// What undici.mjs and undici7.mjs do with their version of the package.
import { once } from 'node:events';
import http from 'node:http';

export async function use({ Agent, fetch, request }) {
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
}
