#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: names, numbers and tokens of a path reach neither log nor page, whichever way a request came.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
cd "$scratch" || exit 70
cat >app.js <<'EOS'
const http = require('http');
const http2 = require('http2');
const net = require('net');
const secrets = ['eyJhbGciOiJIUzI1NiJ9.e30.c2VjcmV0', '4711007', 'SECRETSECRETSECRET', 'secret@example.com', 'deadbeef1', '%73%65cret', 's3cr3t'];
const base = (path) => `/${secrets[0]}${path}`;
const server = http.createServer((q, r) => {
  if (q.url.startsWith('/mounted/')) [q.baseUrl, q.route] = [base(''), { path: '/posts/:post' }];
  r.end('ok');
}).on('upgrade', (q, socket) => socket.end());
const get = (port, path) => new Promise((done) => http.get({ host: '127.0.0.1', port, path, agent: false }, (answer) => answer.resume().on('close', done)).on('error', done));
const second = http2.createServer((q, r) => r.end());
server.listen(0, '127.0.0.1', () => second.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  for (let i = 0; i < 25; i++) {
    for (const one of secrets) {
      await get(port, `/reset/${one}?token=${secrets[0]}`);
      await get(port, `/user/by-name/${one}`);
    }
    await get(port, '/mounted/x');
    await get(port, '/people/alice');
  }
  await new Promise((done) => {
    const socket = net.connect(port, '127.0.0.1', () => socket.write(`GET ${base('/up')} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n`)).on('close', done);
  });
  const client = http2.connect(`http://127.0.0.1:${second.address().port}`);
  await new Promise((done) => client.request({ ':path': base('/two') }).resume().on('close', done));
  process.exit(0);
}));
EOS
TAILPROOF_NODE_ROUTES='/people/:name, /files/*' run record --node --out log --json -- node app.js
check "it is recorded" 'exits 0' 'json ".[0] | .answered == 401 and .upgraded == 1"'
secret='eyJhbGci|4711007|SECRETSECRET|secret@|deadbeef1|%73%65|s3cr3t|alice|token='
"$program" tail --full --above p50 --plot page.html log >out 2>err
status=$? last="tail log"
check "no part of a path that is a name, a number or a token is in the log, in what is said, or in the page" \
  '[ -s page.html ]' '! grep -qaE "$secret" log/*.tpn' '! grep -qE "$secret" out err page.html'
check "and routes are told apart" 'out "GET /reset/:id"' 'out "GET /user/by-name/:id"' 'out "GET /:id/posts/:post"' 'out "GET /people/:name"'
finish
