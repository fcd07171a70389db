// SPDX-License-Identifier: GPL-3.0-or-later
// Web sockets, and what is built on them: echoes, in order.
'use strict';

const { once } = require('events');
const http = require('http');
const { Server } = require('socket.io');
const client = require('socket.io-client');
const WebSocket = require('ws');

(async () => {
  const plain = http.createServer().listen(0, '127.0.0.1');
  await once(plain, 'listening');
  new WebSocket.WebSocketServer({ server: plain }).on('connection', (socket) => socket.on('message', (text) => socket.send(`echo ${text}`)));
  const socket = new WebSocket(`ws://127.0.0.1:${plain.address().port}/`);
  await once(socket, 'open');
  for (let i = 0; i < 5; i++) {
    socket.send(String(i));
    console.log(String((await once(socket, 'message'))[0]));
  }
  socket.close();
  const other = http.createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const server = new Server(other);
  server.on('connection', (one) => one.on('add', (a, b, done) => setTimeout(() => done(a + b), 2)));
  const asking = client(`http://127.0.0.1:${other.address().port}`);
  console.log(await asking.emitWithAck('add', 1, 2), await asking.emitWithAck('add', 'a', 'b'));
  asking.close();
  await server.close();
  plain.close(() => process.exit(4));
})();
