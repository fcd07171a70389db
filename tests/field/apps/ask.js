// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to a server of the same process, one after the other; each answer is printed.
'use strict';

const http = require('http');

const ask = (port, method, path, body) => new Promise((done, failed) => {
  const request = http.request({ host: '127.0.0.1', port, method, path, agent: false, headers: body ? { 'content-type': 'application/json' } : {} }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => {
      console.log(method, path, answer.statusCode, text);
      done();
    });
  });
  request.on('error', failed).end(body);
});

module.exports = async (port, requests) => {
  for (const [method, path, body] of requests) await ask(port, method, path, body);
};
