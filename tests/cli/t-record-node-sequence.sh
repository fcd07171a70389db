#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: a client that asks one thing after the other, on one connection, looks at the clock
# before and after. What is recorded of each request lies between: so it takes no longer than the
# client waited, and requests do not overlap. Without stamps of the kernel the recorder alone must
# tell the callbacks of two requests apart.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
cd "$scratch" || exit 70

# The next request is there before the callback of the last is over, as that goes on after its
# answer: so the loop reads it at once.
cat >app.js <<'EOS'
const http = require('http');
const { spawn } = require('child_process');
const work = (steps) => { for (let i = 0, x = 1; i < steps; i++) x = (x * 31 + i) % 65521; };
const handlers = {
  page: (q, r) => { work(3e4); r.end('page'); },
  late: (q, r) => { r.end('late'); work(3e5); },
  then: (q, r) => setImmediate(() => { r.write('th'); work(3e4); r.end('en'); }),
  wait: async (q, r) => { await null; work(3e4); r.end('wait'); work(3e5); },
};
const server = http.createServer((q, r) => handlers[q.url.slice(1, 5)](q, r));
server.listen(0, '127.0.0.1', () => {
  const client = [require.resolve('./client.js'), server.address().port];
  spawn(process.execPath, client, { stdio: 'inherit', env: { PATH: process.env.PATH } }).on('exit', (code) => process.exit(code));
});
EOS
cat >client.js <<'EOS'
const net = require('net');
const socket = net.connect(Number(process.argv[2]), '127.0.0.1').setNoDelay();
const kinds = ['page', 'late', 'then', 'wait'];
let number = 0;
let path;
let sent;
let got = '';
const ask = () => {
  path = `/${kinds[Math.floor(number / 10)]}-${'abcdefghij'[number % 10]}`;
  got = '';
  sent = process.hrtime.bigint();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
};
socket.on('connect', ask).on('error', () => process.exit(1)).on('data', (part) => {
  got += part;
  if (!/\r\n\r\n(?:.{4}|2\r\nth\r\n2\r\nen\r\n0\r\n\r\n)$/s.test(got)) return;
  console.log(path, sent, process.hrtime.bigint());
  if (++number < 40) ask();
  else process.exit();
});
EOS
run record --node --out log -- node app.js
cp out asked
check "40 requests, one after the other" 'exits 0' '[ "$(wc -l <asked)" = 40 ]'

EVENT_LOG_REQUESTS=1 "$facts" log >facts
last="event_log log"
awk '$1 == "request" { print $3, $4, $5 }' facts >recorded
# path, sent, arrived, answered, got: as text, since they are exact and have the same length
join <(sort asked) <(sort recorded) | awk '{ print $1, $2, $4, $5, $3 }' | sort -k2,2 >both
rising() { awk '{ for (i = 2; i <= NF; i++) { if ($i "" < before) exit 1; before = $i "" } }'; }
check "each is recorded within what its client waited for, and they do not overlap" \
  '[ "$(wc -l <both)" = 40 ]' 'rising <both'

package=$(dirname "$program")/../measure/node
TAILPROOF_STORE=plain node --require "$package" app.js >asked 2>err
status=$? last="node --require $package"
EVENT_LOG_REQUESTS=1 "$facts" plain >facts
awk '$1 == "request" { print $3, $4, $5 }' facts >recorded
join <(sort asked) <(sort recorded) | awk '{ print $1, $2, $4, $3 }' | sort -k2,2 >both
check "without stamps each begins behind what was asked before it" \
  'exits 0' '! ls plain/*.tpr 2>/dev/null' '[ "$(wc -l <both)" = 40 ]' 'rising <both'
finish
