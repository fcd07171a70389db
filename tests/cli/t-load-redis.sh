#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Commands to Redis go over one connection in order, none waits for an answer, and answers are told apart from what is none.
# The server here speaks the protocol badly on purpose; examples/redis_load has a real one.
. "$(dirname "$0")/tap.sh"
cd "$scratch" || exit 1

# `ASK how number` is answered as `how` says, piece by piece; each byte of most answers comes by itself.
cat >server.js <<'JS'
const net = require('net'), fs = require('fs');
const asked = fs.openSync('asked', 'w');
const answers = { ok: '+OK\r\n', wrong: '-ERR no\r\n', number: ':12\r\n', none: '$-1\r\n', empty: '$0\r\n\r\n',
  text: '$5\r\na\r\n-b\r\n', list: '*3\r\n$1\r\nx\r\n*2\r\n:1\r\n*0\r\n-ERR inner\r\n', nothing: '*-1\r\n',
  long: '+' + 'x'.repeat(60000) + '\r\n', unknown: '?what\r\n', length: '$5x\r\nabcde\r\n', huge: '$99999999999\r\n',
  minus: '$-2\r\n', end: '$2\r\nabc\r\n', endless: '+' + 'x'.repeat(70000), newline: '+O\nK\r\n', bare: '\r\n',
  more: '+OK\r\n+OK\r\n+OK\r\n', cut: '$9\r\nab', deep: '*1\r\n'.repeat(2000) + ':1\r\n', values: '*99999999999\r\n',
  return: '+O\rK\r\n' };
net.createServer(socket => {
  let got = '', held = 0;
  socket.setNoDelay(true).on('error', () => {}).on('data', piece => {
    got += piece;
    for (let m; (m = /^\*3\r\n\$3\r\nASK\r\n\$(\d+)\r\n([a-z]+)\r\n\$(\d+)\r\n(\d+)\r\n/.exec(got)) !== null;) {
      got = got.slice(m[0].length);
      fs.writeSync(asked, `${m[2]} ${m[4]}\n`);
      if (+m[1] !== m[2].length || +m[3] !== m[4].length) process.exit(1);
      const how = m[2], answer = answers[how];
      if (how === 'never') continue;
      if (how === 'close') { socket.destroy(); return; }
      if (how === 'ten') { if (++held === 10) socket.write('+OK\r\n'.repeat(10)); continue; } // none before the tenth came
      if (answer.length > 100) socket.write(answer);
      else for (const byte of answer) socket.write(byte);
      if (how === 'cut') socket.end();
    }
  });
}).listen(0, '127.0.0.1', function () { fs.writeFileSync('port', String(this.address().port)); });
JS
node server.js &
server=$!
trap 'kill $server 2>/dev/null; rm -rf "$scratch"' EXIT
until [ -s port ]; do sleep 0.05; kill -0 $server || break; done
at=redis://127.0.0.1:$(cat port)/

ask() { # how, options
  local how=$1
  shift
  run load "$at" --send "ASK $how #" --rate 200 --requests 3 --timeout 60 --out "$how.csv" "$@"
}
rows() { awk -F, -v want="$2" 'NR > 1 { n++; bad += $2 "," $3 "," ($4 == "timeout") != want } END { exit n == 0 || bad }' "$1.csv"; }

for how in ok number none empty text list nothing long deep; do
  ask $how
  check "an answer: $how" '[ ! -s err ]' "rows $how ASK,0,0" '[ "$(grep -c "^'$how' [012]$" asked)" -eq 3 ]' 'grep -q "1 connection was opened" out'
done
ask wrong
check "an error is an answer, and failed" '[ "$status" -eq 2 ]' 'rows wrong ASK,1,1' 'grep -q "3 with a bad status" out'
for how in unknown length huge minus end endless newline bare cut close values return; do
  ask $how
  check "no answer of this protocol: $how" '[ "$status" -eq 2 ]' "rows $how ASK,0,1" 'grep -q "3 without a whole answer" out' '[ ! -s err ]'
done
# Where all three were sent before the first answer was read, no connection was needed behind it: again.
for ((tries = 0; tries < 50; tries++)); do
  ask more --connections 1 --constant --rate 20
  grep -q "1 connection was opened" out || break
done
check "answers that nobody asked for end the connection, not the program" '[ ! -s err ]' '[ "$(wc -l <more.csv)" -eq 4 ]' \
  '! grep -q "1 connection was opened" out'
run load "$at" --send 'ASK ten #' --rate 2000 --requests 10 --timeout 60 --out ten.csv
check "none waits for the answer before it" 'rows ten ASK,0,0' '[ "$(grep ^ten asked | tr -d "ten \n")" = 0123456789 ]'
run load "$at" --send 'ASK never #' --rate 200 --requests 3 --timeout 0.2 --out never.csv
check "without an answer in time a command failed" '[ "$status" -eq 2 ]' 'grep -q "3 timed out" out' 'rows never ASK,0,1'

refused() { # exit code, what is said, options
  local code=$1 said=$2
  shift 2
  run load "$@"
  check "load $*: refused" '[ "$status" -eq '"$code"' ]' '[ "$(wc -l <err)" -eq 1 ]' 'grep -qF -e "'"$said"'" err' '[ ! -e bad.csv ]'
}
refused 69 'start the server first' redis://127.0.0.1:1/ --send PING --out bad.csv
refused 64 'say what is sent' "$at" --out bad.csv
refused 64 'no command in it' "$at" --send ' ' --out bad.csv
refused 64 'a comma' "$at" --send 'A,B' --out bad.csv
refused 64 'no address' redis://127.0.0.1/0 --send PING --out bad.csv
refused 64 'no address' redis://me@127.0.0.1/ --send PING --out bad.csv
refused 64 '--send is of addresses' http://127.0.0.1:1/ --send PING --out bad.csv
refused 64 'Redis has no paths' "$at" --send PING --routes /a --out bad.csv
refused 64 'not of commands or Redis' "$at" --send PING --method PUT --out bad.csv
refused 64 'name one address' "$at" other --send PING --out bad.csv
finish
