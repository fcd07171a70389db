// SPDX-License-Identifier: GPL-3.0-or-later
// Handlers that are promises, one of which is rejected.
'use strict';

const express = require('express');
const ask = require('./ask.js');

const app = express();
app.use(express.json());
app.get('/users/:name', async (request, response) => { await null; response.json(request.params); });
app.post('/sum', (request, response) => { response.json(request.body.reduce((a, b) => a + b, 0)); });
app.get('/fails', async () => { throw new Error('expected'); });
app.use((error, request, response, next) => response.status(500).send(error.message)); // four arguments make it the one for errors
const server = app.listen(0, '127.0.0.1', async () => {
  await ask(server.address().port, [['GET', '/users/a'], ['POST', '/sum', '[1,2,3]'], ['GET', '/fails'], ['GET', '/nowhere']]);
  server.close(() => console.log('closed'));
});
