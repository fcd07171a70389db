#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# TAP: the open-loop load generator leaves no request out, and counts latency from when a request was due. A server that
# is slow on purpose gives lower bounds; nothing here depends on how fast anything is.
set -u
# shellcheck source=tests/examples/common.sh
. "$(dirname "$0")/common.sh"
load=$BUILD/examples/load/load
out=$scratch/out

wrong "$load" "--routes page" "--routes page"
wrong "$load" "--routes /page*0" "--routes /page*0"
wrong "$load" "--seconds 2 --warmup 2" "--warmup 2"

# A server that answers after 40 ms in the framing that the path names, and writes down what it was asked.
cat >"$scratch/server.js" <<'JS'
const http = require('http'), fs = require('fs');
const asked = fs.openSync(process.argv[2], 'w');
const server = http.createServer((request, response) => {
  fs.writeSync(asked, request.url + '\n');
  setTimeout(() => {
    if (request.url === '/length') response.end('x'.repeat(100000));
    else if (request.url === '/chunked') { response.write('a'); response.write('b'); response.end(); }
    else if (request.url === '/close') { response.shouldKeepAlive = false; response.end('x'); }
    else if (request.url === '/broken') request.socket.destroy();
    else { response.statusCode = 500; response.end(); }
  }, 40);
}).listen(0, '127.0.0.1', () => fs.writeFileSync(process.argv[3], String(server.address().port)));
JS
node "$scratch/server.js" "$scratch/asked" "$scratch/port" &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
until [ -s "$scratch/port" ]; do sleep 0.05; kill -0 $server || break; done
port=$(cat "$scratch/port")

"$load" --port "$port" --routes '/length*2,/chunked,/close,/broken,/error' --rate 60 --seconds 1 --patience 60 --constant --out "$out" 2>"$scratch/table"
result $? "a run"
[ "$(tail -n +2 "$out" | wc -l)" -eq "$(wc -l <"$scratch/asked")" ] && [ "$(tail -n +2 "$out" | wc -l)" -ge 60 ]
result $? "a row for each request, and each was sent"
awk -F, 'NR > 1 { want = $2 == "/broken" ? 0 : $2 == "/error" ? 500 : 200; if ($3 != want || ($3 == 0) != ($4 == "timeout")) exit 1 }' "$out"
result $? "every framing is read to its end, and a broken answer is a timeout"
awk -F, 'NR > 1 && $3 == 200 && $4 < 20000000 { exit 1 }' "$out"
result $? "no answer comes before the server gives it"
grep -q "^/broken .*[1-9]" "$scratch/table" && grep -q "^all " "$scratch/table"
result $? "a table of the routes"

# One connection, 20 requests in a second that take 40 ms each one after the other: the last one waits for those before.
"$load" --port "$port" --routes /chunked --rate 100 --seconds 1 --constant --connections 1 --patience 60 --out "$out" 2>/dev/null &&
  awk -F, 'NR > 1 { n++; if ($4 / 1e6 < 20 * n - $1 * 1000 - 1) exit 1 }' "$out"
result $? "waiting for a connection is part of the latency"
"$load" --port "$port" --routes '/length*3,/chunked' --rate 50 --seconds 1 --seed 7 --patience 60 --out "$scratch/a" 2>/dev/null &&
  "$load" --port "$port" --routes '/length*3,/chunked' --rate 50 --seconds 1 --seed 7 --patience 60 --out "$scratch/b" 2>/dev/null &&
  cmp -s <(cut -d, -f1-2 "$scratch/a") <(cut -d, -f1-2 "$scratch/b")
result $? "a seed decides what is sent and when"
kill $server
wait $server 2>/dev/null
"$load" --port "$port" --rate 10 --seconds 1 2>"$scratch/log"
[ $? -eq 70 ] && grep -q "start the server first" "$scratch/log"
result $? "no server is one message"
finish
