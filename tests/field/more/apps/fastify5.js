// SPDX-License-Identifier: GPL-3.0-or-later
// A server without a logger, which is the default; with a schema, a hook, a plugin, and an error.
'use strict';

const fastify = require('fastify');
const ask = require('./ask.js');

const app = fastify();
app.addHook('onRequest', async (request) => { request.seen = 'seen'; });
app.register(async (inner) => {
  inner.get('/:id', async (request) => ({ id: request.params.id, hook: request.seen }));
}, { prefix: '/inner' });
app.post('/add', { schema: { body: { type: 'object', required: ['a'], properties: { a: { type: 'integer' } } } } }, async (request) => ({ more: request.body.a + 1 }));
app.get('/fails', async () => { throw new Error('expected'); });
app.listen({ port: 0, host: '127.0.0.1' }).then(async () => {
  await ask(app.server.address().port, [['GET', '/inner/7'], ['POST', '/add', '{"a":1}'], ['POST', '/add', '{"b":1}'], ['GET', '/fails'], ['GET', '/nowhere']]);
  await app.close();
  console.log('closed');
});
