#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The open loop leaves no request out, and counts latency from when a request was due. A server that is slow on purpose
# gives lower bounds; nothing here depends on how fast anything is. Exit code 2 says that the machine was too busy.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

# Answers after 40 ms in the framing that the path names, writes down what it was asked, and blocks for a second once.
cat >server.js <<'JS'
const http = require('http'), fs = require('fs');
const asked = fs.openSync('asked', 'w');
let stalled = false;
http.createServer({ keepAliveTimeout: 0 }, (request, response) => { // no connection ends by itself
  let body = '';
  request.on('data', piece => { body += piece; });
  request.on('end', () => {
    fs.writeSync(asked, `${request.method} ${request.url} ${request.headers['x-who']} ${body.length}\n`);
    if (request.url === '/stall') {
      const start = Date.now();
      while (!stalled && Date.now() - start < 1000) continue;
      stalled = true;
      return response.end();
    }
    if (request.url === '/never') return;
    setTimeout(() => {
      if (request.url === '/length') response.end('x'.repeat(100000));
      else if (request.url === '/early') { response.writeEarlyHints({ link: '</a>; rel=preload' }); response.end('x'); }
      else if (request.url === '/chunked') { response.write('a'); response.write('b'); response.end(); }
      else if (request.url === '/close') { response.shouldKeepAlive = false; response.end('x'); }
      else if (request.url === '/garbage') request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n');
      else if (request.url === '/cut') request.socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx');
      else if (request.url === '/broken') request.socket.destroy();
      else { response.statusCode = 500; response.end(); }
    }, 40);
  });
}).listen(0, '127.0.0.1', function () { fs.writeFileSync('port', String(this.address().port)); });
JS
node server.js &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
until [ -s port ]; do sleep 0.05; kill -0 $server || break; done
at=http://127.0.0.1:$(cat port)
ran() { [ "$status" -eq 0 ] || [ "$status" -eq 2 ]; }

run load "$at/" --routes '/length*2,/chunked,/early,/close,/broken,/cut,/garbage,/error' --rate 60 --seconds 1 --timeout 60 --constant --json --out all.csv
check "a run" ran '[ ! -s err ]'
check "a row for each request, and each was sent, some again" '[ "$(tail -n +2 all.csv | wc -l)" -eq 60 ]' \
  '[ "$(wc -l <asked)" -eq "$(jq -se ".[0].requests + .[0].retried" out)" ]'
check "every framing is read to its end; what has no whole answer, or a bad status, never ended" \
  'awk -F, "NR > 1 { good = \$2 !~ /broken|cut|garbage|error/; want = good ? 200 : \$2 == \"/error\" ? 500 : 0; if (\$3 != want || good != (\$4 != \"timeout\")) exit 1 }" all.csv'
check "no answer comes before the server gives it" 'awk -F, "NR > 1 && \$4 != \"timeout\" && \$4 < 20000000 { exit 1 }" all.csv'
check "the counts add up" 'jq -se ".[0] | .kind == \"load\" and .requests == 60 and .good + .bad_status + .broken == 60 and .timed_out == 0 and .broken > 0" out'
run load "$at/" --routes '/length,/error' --rate 60 --seconds 1 --timeout 60 --exclude-failed --out good.csv
check "what failed is left out on request" ran '! grep -q timeout good.csv' 'grep -q "with a bad status" out'

# 100 requests a second; those due in the first half of the stall wait for more than half a second.
run load "$at/stall" --rate 100 --seconds 2 --constant --timeout 60 --out stall.csv
check "a stall of a second shows in full" ran '[ "$(awk -F, "NR > 1 && \$4 > 5e8" stall.csv | wc -l)" -ge 50 ]'
# One connection: the last of twenty requests that take 40 ms each waits for those before.
run load "$at/chunked" --rate 100 --seconds 1 --requests 20 --constant --connections 1 --timeout 60 --out one.csv
check "waiting for a connection is part of the latency" ran 'awk -F, "NR > 1 { n++; if (\$4 / 1e6 < 20 * n - \$1 * 1000 - 1) exit 1 } END { exit n != 20 }" one.csv'
run load "$at/never" --requests 3 --rate 100 --timeout 0.3 --out never.csv
check "without an answer in time a request failed, and without any that did not nothing can be told" '[ "$status" -eq 2 ]' \
  '[ "$(grep -c timeout never.csv)" -eq 3 ]' 'grep -q "cannot tell: no request succeeded" out'

printf 'hello' >body
run load "$at/length" --method PUT --header 'X-Who: me' --body body --requests 2 --rate 50 --out put.csv
check "method, header and body are sent" '[ "$(grep -c "^PUT /length me 5$" asked)" -eq 2 ]'
run load "$at/" --routes '/length*3,/chunked' --rate 50 --seconds 1 --seed 7 --timeout 60 --out a.csv
run load "$at/" --routes '/length*3,/chunked' --rate 50 --seconds 1 --seed 7 --timeout 60 --out b.csv
check "a seed decides what is sent and when" 'cmp <(cut -d, -f1-2 a.csv) <(cut -d, -f1-2 b.csv)' '[ "$(wc -l <a.csv)" -gt 20 ]'
run load "$at/length" --times one.csv --timeout 60 --out again.csv
check "recorded times are replayed" ran '[ "$(wc -l <again.csv)" -eq 21 ]' \
  'paste -d, <(cut -d, -f1 one.csv) <(cut -d, -f1 again.csv) | awk -F, "NR == 2 { gap = \$1 - \$2 } NR > 1 && (\$1 - \$2 - gap)^2 > 1e-16 { exit 1 }"'
run load --rate 50 --requests 5 --out runs.csv -- /bin/sleep 0.05
check "runs of a command" ran 'awk -F, "NR > 1 && (\$3 != 0 || \$4 < 5e7) { exit 1 } END { exit NR != 6 }" runs.csv'
run load --rate 50 --requests 5 --out false.csv -- /bin/false
check "a command that fails" '[ "$status" -eq 2 ]' '[ "$(grep -c ",1,timeout" false.csv)" -eq 5 ]'

refused() { # exit code, what is said, options
  local code=$1 said=$2
  shift 2
  run load "$@"
  check "load $*: refused" '[ "$status" -eq '"$code"' ]' '[ "$(wc -l <err)" -eq 1 ]' 'grep -qF -e "'"$said"'" err' '[ ! -e bad.csv ]'
}
refused 69 'start the server first' http://127.0.0.1:1/ --out bad.csv
refused 69 'no such program' --out bad.csv -- no-such-program
refused 69 'nobody.invalid' http://nobody.invalid/ --out bad.csv
refused 64 'https:// and redis:// are spoken' ftp://127.0.0.1/ --out bad.csv
refused 64 '--ca and --insecure are of https://' "$at/" --insecure --out bad.csv
refused 64 'no address' http://:1/ --out bad.csv
refused 64 '--rate 0' "$at/" --rate 0 --out bad.csv
refused 64 '--routes page' "$at/" --routes page --out bad.csv
refused 64 '--warmup: no request is due after it' "$at/" --seconds 1 --warmup 2 --out bad.csv
refused 64 'is no header' "$at/" --header who --out bad.csv
refused 64 'of addresses, not of commands' --method PUT --out bad.csv -- true
refused 64 '--out FILE.csv' "$at/"
printf 'when\n1\n0.5\n' >times
refused 65 'times:3: earlier than the line before' "$at/" --times times --out bad.csv
printf '1\nsoon\n' >times
refused 65 'times:2: not a time in seconds' "$at/" --times times --out bad.csv
: >times
refused 65 'no times in it' "$at/" --times times --out bad.csv
refused 66 'nothing.txt' "$at/" --times nothing.txt --out bad.csv
finish
