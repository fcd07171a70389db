#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tail --profile of a Node.js server, recorded and sampled at once as docs/node.md says: the function
# that one request in ten calls is named first. Only with TEST_ALL=1: a real run, of some seconds.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 70
run profile -- true
check "sampling is possible, or it is said why not" 'exits 0 || { exits 69 && err "tailproof profile: "; }'
if [ "$status" -eq 69 ] || [ -z "${TEST_ALL:-}" ]; then
  echo "# skip: a server is sampled with TEST_ALL=1, where the machine lets programs be sampled"
  finish
  exit
fi
command -v node >/dev/null || { echo "not ok 2 - node is missing (apt-get install nodejs)"; exit 69; }

cat >app.js <<'EOS'
const http = require('http');
const { spawn } = require('child_process');
const sortRows = (rows) => rows.sort((a, b) => a.price - b.price);
function renderReport() {
  let text = 0;
  for (let i = 0; i < 2e6; i++) text = (text * 31 + i) % 65521;
  return text;
}
function renderPage() {
  const rows = [];
  for (let i = 0; i < 4000; i++) rows.push({ price: (i * 7919) % 4001 });
  return JSON.stringify(sortRows(rows)).length;
}
const server = http.createServer((request, response) => {
  let length = renderPage();
  if (request.url.endsWith('9')) length += renderReport();
  response.end(String(length));
});
server.listen(0, '127.0.0.1', () => {
  const client = [require.resolve('./client.js'), server.address().port];
  spawn(process.execPath, client, { env: { PATH: process.env.PATH } }).on('exit', (code) => process.exit(code));
});
EOS
cat >client.js <<'EOS'
const http = require('http');
const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true });
const get = (path) => new Promise((done, fail) => http.get({ host: '127.0.0.1', port, path, agent }, (answer) => answer.resume().on('end', done)).on('error', fail));
(async () => {
  for (let i = 0; i < 1000; i++) await get('/page/' + i);
  process.exit();
})();
EOS
run profile --rate 999 --out hot.tpp -- \
  "$program" record --node --out log -- node --perf-basic-prof --interpreted-frames-native-stack app.js
check "a server, recorded and sampled" 'exits 0' '[ -s hot.tpp ]' 'err "log: 1 event loop"'
run tail log --above p90 --profile hot.tpp --json
profile='map(select(.kind == "joined_profile"))[0]'
check "the function of the slow requests is named first" \
  "json '$profile | .while == \"executing\" and .verdict == \"found\" and .shared == 0'" \
  'json "map(select(.kind == \"hot\"))[0] | .name | contains(\"renderReport\")"'
# What the requests worked is not more than the loop's thread used.
check "the requests' own work is that of the loop" \
  "json '$profile | .slow_ns + .rest_ns <= 1.1e9 * .samples / .rate'"
run tail log --above p90 --profile hot.tpp
check "and in words" 'out "Functions that run more in slow requests"' 'out "renderReport"'
finish
