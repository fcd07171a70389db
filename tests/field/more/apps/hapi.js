// SPDX-License-Identifier: GPL-3.0-or-later
// A server with a pattern, a body, and an error.
'use strict';

const Hapi = require('@hapi/hapi');
const ask = require('./ask.js');

(async () => {
  const server = Hapi.server({ port: 0, host: '127.0.0.1' });
  server.route([
    { method: 'GET', path: '/users/{name}', handler: async (request) => ({ name: request.params.name }) },
    { method: 'POST', path: '/sum', handler: (request) => request.payload.reduce((a, b) => a + b, 0) },
    { method: 'GET', path: '/fails', handler: async () => { throw new Error('expected'); } },
  ]);
  await server.start();
  await ask(server.info.port, [['GET', '/users/a'], ['POST', '/sum', '[1,2,3]'], ['GET', '/fails'], ['GET', '/nowhere']]);
  await server.stop();
  console.log('closed');
})();
