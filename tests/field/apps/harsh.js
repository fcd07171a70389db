// SPDX-License-Identifier: GPL-3.0-or-later
// A server that goes on as another user, or is killed, where DO says so, between its requests.
'use strict';

const fastify = require('fastify');
const pino = require('pino');
const ask = require('./ask.js');

const app = fastify({ logger: false });
const logger = pino({ base: null, timestamp: false }, pino.destination({ fd: 1, sync: true }));
const deeds = {
  setuid: () => { process.setgid(65534); process.setuid(65534); },
  kill: () => process.kill(process.pid, 'SIGKILL'),
  term: () => process.kill(process.pid, 'SIGTERM'),
};
app.get('/:id', async (request) => ({ id: request.params.id }));
app.listen({ port: 0, host: '127.0.0.1' }).then(async () => {
  const { port } = app.server.address();
  await ask(port, [['GET', '/a'], ['GET', '/b']]);
  logger.info('before');
  deeds[process.env.DO]?.();
  if (process.env.DO === 'kill' || process.env.DO === 'term') await new Promise(() => {});
  await ask(port, [['GET', '/c'], ['GET', '/nowhere/at/all']]);
  logger.info('after');
  await app.close();
  process.exitCode = 9;
});
