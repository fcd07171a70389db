// SPDX-License-Identifier: GPL-3.0-or-later
// A service with one thing in it that makes pages slow, PLANT, on a framework from npm, FRAMEWORK. GET /page reads a file and
// renders it; the plant is another route (one of twenty requests), a timer, a connection, or nothing in this process.
// WORK=4: a page computes for 4 ms besides (work.js).
'use strict';
const fs = require('fs');
const path = require('path');
const plants = require('./kinds.js');
const { mark } = require('../../node/plants/turns');
const { working } = require('./work.js');

const plant = plants[process.env.PLANT] ?? {};
const template = path.join(__dirname, 'app.js');

function page(answer) {
  fs.readFile(template, 'utf8', (error, text) => {
    let cells = '';
    for (let i = 0; i < 60; i++) cells += `<td>${text.charCodeAt(i)}</td>`;
    answer(cells);
  });
}

const routes = { '/page': page, ...plant.routes };
if (process.env.WORK) routes['/page'] = working(routes['/page'], Number(process.env.WORK));
const port = Number(process.env.PORT);

const servers = {
  http() {
    require('http').createServer((request, response) => {
      const at = request.url.split('?')[0];
      mark(request, at);
      routes[at]((body) => response.end(String(body)), request.url);
    }).listen(port, '127.0.0.1');
  },
  express() {
    const app = require('express')();
    for (const [at, handler] of Object.entries(routes)) app.get(at, (request, response) => {
      mark(request, at);
      handler((body) => response.send(String(body)), request.url);
    });
    app.listen(port, '127.0.0.1');
  },
  fastify() {
    const app = require('fastify')();
    for (const [at, handler] of Object.entries(routes)) app.get(at, (request, reply) => {
      mark(request.raw, at);
      handler((body) => reply.send(String(body)), request.raw.url);
    });
    app.listen({ port, host: '127.0.0.1' });
  },
  koa() {
    const Koa = require('koa');
    const app = new Koa();
    app.use(async (context) => {
      mark(context.req, context.path);
      context.body = await new Promise((resolve) => routes[context.path]((body) => resolve(String(body)), context.url));
    });
    app.listen(port, '127.0.0.1');
  },
  hapi() {
    const server = require('@hapi/hapi').server({ port, host: '127.0.0.1' });
    for (const [at, handler] of Object.entries(routes)) {
      const answer = (request) => {
        mark(request.raw.req, at);
        return new Promise((resolve) => handler((body) => resolve(String(body)), request.raw.req.url));
      };
      server.route({ method: 'GET', path: at, handler: answer });
    }
    server.start();
  },
};

servers[process.env.FRAMEWORK ?? 'http']();
plant.start?.();
process.on('SIGTERM', () => process.exit(0));
