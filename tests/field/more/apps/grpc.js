// SPDX-License-Identifier: GPL-3.0-or-later
// Calls over HTTP/2: one that answers, one that streams, one that fails.
'use strict';

const { Client, Metadata, Server, ServerCredentials, credentials, status } = require('@grpc/grpc-js');

const text = { requestSerialize: Buffer.from, requestDeserialize: String, responseSerialize: Buffer.from, responseDeserialize: String };
const service = {
  echo: { path: '/test/echo', requestStream: false, responseStream: false, ...text },
  count: { path: '/test/count', requestStream: false, responseStream: true, ...text },
};
const server = new Server();
server.addService(service, {
  echo: ({ request }, done) => (request === 'fail' ? done({ code: status.NOT_FOUND, details: 'expected' }) : setTimeout(() => done(null, `echo ${request}`), 2)),
  count: (call) => { for (let i = 0; i < 3; i++) call.write(`${call.request} ${i}`); call.end(); },
});
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), async (error, port) => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const call = (value) => new Promise((done) => client.makeUnaryRequest('/test/echo', Buffer.from, String, value, new Metadata(), (failed, answer) => done(failed?.details ?? answer)));
  for (const value of ['a', 'b', 'fail']) console.log(await call(value));
  const stream = client.makeServerStreamRequest('/test/count', Buffer.from, String, 'n', new Metadata());
  for await (const part of stream) console.log(part);
  client.close();
  server.tryShutdown(() => console.log('closed'));
});
