// SPDX-License-Identifier: GPL-3.0-or-later
// A server of middlewares, each of which awaits the next; with a context that is kept over awaits, and an error.
'use strict';

const { AsyncLocalStorage } = require('async_hooks');
const Koa = require('koa');
const ask = require('./ask.js');

const app = new Koa();
const context = new AsyncLocalStorage();
app.silent = true;
app.use((ctx, next) => context.run({ path: ctx.path }, next));
app.use(async (ctx, next) => {
  await next();
  await new Promise((done) => setTimeout(done, 1));
  ctx.set('x-context', context.getStore().path);
  ctx.body = { ...ctx.body, kept: context.getStore().path };
});
app.use(async (ctx) => {
  if (ctx.path === '/fails') ctx.throw(418, 'expected');
  ctx.body = { path: ctx.path, query: ctx.query };
});
const server = app.listen(0, '127.0.0.1', async () => {
  await ask(server.address().port, [['GET', '/'], ['GET', '/users/17?a=1'], ['POST', '/', '{"a":1}'], ['GET', '/fails']]);
  server.close(() => console.log('closed'));
});
