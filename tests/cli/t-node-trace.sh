#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What Node.js writes by itself, of a server that does all that may go wrong with a chain: pipelined, streamed and aborted
# requests, bodies in pieces, answers from another request's callback or a timer, joins of promises. Each request that Node.js
# says is answered has a chain without a residual.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
cd "$scratch" || exit 1
cat >app.js <<'END'
const http = require('http'), fs = require('fs'), net = require('net');
const sleep = ms => new Promise(done => setTimeout(done, ms));
const late = [], pairs = [];
setInterval(() => { while (late.length) late.pop().end('late'); }, 5).unref();
const server = http.createServer(async (request, response) => {
  if (request.url === '/files') {
    let left = 3;
    for (let i = 0; i < 3; i++) fs.readFile(__filename, () => { if (--left === 0) response.end('files'); });
  } else if (request.url === '/joins') {
    await Promise.all([sleep(1), sleep(3)]);
    await Promise.race([sleep(1), sleep(9)]);
    await Promise.any([sleep(1), Promise.reject(new Error('no'))]);
    await Promise.allSettled([sleep(1), Promise.reject(new Error('no'))]);
    response.end('joins');
  } else if (request.url === '/stream') fs.createReadStream(__filename, { highWaterMark: 512 }).pipe(response);
  else if (request.url === '/body') { let n = 0; request.on('data', part => { n += part.length; }); request.on('end', () => response.end(`${n}`)); }
  else if (request.url === '/pair') { pairs.push(response); if (pairs.length === 2) for (const other of pairs.splice(0)) other.end('pair'); }
  else if (request.url === '/late') late.push(response);
  else if (request.url === '/never') return;
  else response.end('hello');
});
const ask = (text, gone) => new Promise(done => {
  const socket = net.connect(server.address().port, '127.0.0.1', () => socket.write(text));
  socket.on('error', () => {}).on('close', done).resume();
  if (gone) setTimeout(() => socket.destroy(), 5);
});
const get = (path, more = '') => `GET ${path} HTTP/1.1\r\nHost: x\r\n${more}\r\n`;
const last = path => get(path, 'Connection: close\r\n');
server.listen(0, '127.0.0.1', async () => {
  for (let round = 0; round < 3; round++) {
    await Promise.all(['/', '/files', '/joins', '/stream', '/pair', '/pair', '/late'].map(path => ask(last(path))));
    await ask(get('/') + get('/joins') + get('/') + last('/files'));
    await ask(`POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nConnection: close\r\n\r\nabcd`);
  }
  await ask(get('/never'), true);
  process.exit(0);
});
END
LC_ALL=C node --trace-event-categories node.async_hooks,node.http,v8 app.js >said 2>&1
check "the server ran" '[ -s node_trace.1.log ] || { cat said; false; }'
answered=$(grep -o '"statusCode"' node_trace.1.log | wc -l)
"$facts" node_trace.1.log >out
fact() { awk -v fact="$1" '$1 == fact { print $2 }' out; }
check "all 36 requests that are answered have a chain" '[ "$answered" -ge 36 ]' '[ "$(awk "/^state 0 /{ print \$3 }" out)" = "$answered" ]'
check "without a residual" '[ "$(fact residuals)" = 0 ]'
check "those that waited for others are counted: a timer, a pair, a pipeline" '[ "$(fact shared)" -ge 9 ]'
run trace path . --json
check "and are requests of path" 'exits 0' "json 'map(select(.kind == \"paths\"))[0].requests == $answered'"
EVENT_LOG_CHAINS=1 "$facts" node_trace.1.log >chains
check "joins are found: after all, the race, any and allSettled wait for one timer each" \
  '[ "$(grep "^HTTP /joins" chains | grep -o "Timeout" | wc -l)" -ge 24 ]' \
  '[ "$(grep "^HTTP /joins" chains | grep -vc "Timeout.*Timeout.*Timeout.*Timeout")" = 0 ]'
finish
