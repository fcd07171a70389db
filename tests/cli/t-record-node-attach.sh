#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node --pid: a server that runs already is recorded for a while, and is then as it was; what cannot be recorded is
# refused with the reason, before anything happens to it where that can be known.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
cd "$scratch" || exit 70
major=$(node -p 'process.versions.node.split(".")[0]')

# It says what of Node.js it sees, and asks itself: by a connection that was there before, and by a new one.
cat >server.js <<'EOS'
const http = require('http');
const fs = require('fs');
const net = require('net');
const vm = require('vm');
const workers = require('worker_threads');
const { AsyncResource } = require('async_hooks');
const sees = () => [process.nextTick, AsyncResource.prototype.runInAsyncScope, require('module').prototype._compile, vm.Script, vm.compileFunction,
  workers.Worker, http.Server.prototype.emit, net.Server.prototype.emit, fs.readdirSync('/proc/self/fd').length, fs.readdirSync('/proc/self/task').length,
  process.listenerCount('exit'), Object.keys(process.env).filter((name) => /TAILPROOF|NODE_OPTIONS/.test(name)).length];
const first = sees();
const slow = []; // answered when it is recorded
const routes = { '/file': (q, r) => fs.readFile(__filename, () => r.end('file')), '/slow': (q, r) => slow.push(r) === 2 && fs.writeFileSync('under-way', ''), '/sees': (q, r) => r.end(sees().map((one, i) => (one === first[i] ? 'same' : `${i}`)).join()) };
const server = http.createServer((q, r) => routes[q.url](q, r)).listen(0, '127.0.0.1');
const agent = new http.Agent({ keepAlive: true });
const get = (path, own) => new Promise((done) => http.get({ port: server.address().port, path, agent: own }, (answer) => { let text = ''; answer.on('data', (part) => { text += part; }).on('end', () => done(text)); }));
const thread = process.argv[2] && new workers.Worker('setInterval(() => require("fs").stat(".", () => {}), 5)', { eval: true });
process.on('SIGUSR2', async () => {
  slow.splice(0).forEach((r) => r.end('slow'));
  for (let i = 0; i < 10; i++) { await get('/file', agent); await get('/file', false); }
  fs.writeFileSync('asked', '');
});
process.on('SIGHUP', async () => { fs.writeFileSync('seen.tmp', await get('/sees', agent)); fs.renameSync('seen.tmp', 'seen'); });
server.on('listening', () => get('/file', agent).then(() => get('/sees', agent)).then(() => { first.splice(0, first.length, ...sees()); fs.writeFileSync('listens', ''); }));
EOS
# Of a process that ended nothing comes.
until_there() { until_true "[ -e $1 ] || ! runs $2" && [ -e "$1" ] || { echo "# $1 did not come" >&2; return 1; }; }
runs() { kill -0 "$1" 2>/dev/null; }
begin() { rm -f listens; "$@" >server.out 2>&1 & server=$!; until_there listens $server; }
# Recorded from `ready` on until SIGINT.
attach() {
  rm -f ready asked
  "$program" record --node --pid $server --out "$1" --ready-file ready --json >"$1.out" 2>"$1.err" & recorder=$!
  until_there ready $recorder || cat "$1.err" >&2
  kill -USR2 $server
  until_there asked $server
}
sees() { rm -f seen; kill -HUP $server; until_there seen $server; cp seen "$1"; }
# Each thread ends its recording by itself, and closes its log and its thread a moment later: what the server sees when all have.
sees_at_end() { for ((t = 0; t < 1000; t++)); do sees "$1"; [ "$(tr , '\n' <"$1" | sort -u)" = same ] && return; sleep 0.1; done; echo "# not as it was: $(cat "$1")"; }
begin node --inspect-port=0 server.js threads
for time in one two; do
  attach $time
  kill -INT $recorder
  wait $recorder
  status=$? last="record --node --pid, $time"
  cp $time.out out
  cp $time.err err
  check "a server that runs, $time" 'exits 0' 'json_lines' 'json "map(select(.kind == \"loop\" and .name == \"server.js\") | .answered == 20 and .incomplete == 0 and .left_out == 0) == [true]"' \
    'json "map(select(.kind == \"loop\")) | length == 2"'
  sees_at_end after
  check "and it is as it was" '[ "$(tr , "\n" <after | sort -u)" = same ]' '! grep -q "Error" server.out'
done
run trace path one
check "what it waited for" 'exits 0' 'out "file wait"'

# Who asked for it is gone: the recorder goes as well, and the inspector is closed.
attach gone
port=$(sed -n 's/^Debugger listening on ws:[^ ]*:\([0-9]*\)\/.*/\1/p' server.out | tail -n 1)
is_open() { grep -q "$(printf ' 0100007F:%04X 00000000:0000 0A ' "$port")" /proc/net/tcp; }
is_open && was_open=yes
kill -KILL "$(pgrep -P $recorder)"
wait $recorder 2>/dev/null
until_true '! is_open || ! runs $server'
sees_at_end after
check "whoever records it is killed" '[ "$(tr , "\n" <after | sort -u)" = same ]' '[ "$(grep -c "Debugger listening" server.out)" = 3 ]' '[ "$was_open" = yes ]' '! is_open'
kill $server

# Behind the end of a session, whenever that comes: Node.js may crash where both end it at once.
cat >close.js <<'EOS'
const inspector = require('inspector');
const { closeInspector } = require(`${process.argv[2]}/late.js`);
const { connect } = require(`${process.argv[2]}/inspect.js`);
const later = (ms) => new Promise((done) => setTimeout(done, ms));
inspector.open(0, '127.0.0.1');
connect(inspector.url()).then(async (session) => {
  closeInspector(Number(new URL(inspector.url()).port));
  await later(200);
  const open = inspector.url() !== undefined;
  await session.close();
  while (inspector.url() !== undefined) await later(20);
  console.log(open);
});
EOS
timeout 600 node close.js "$(dirname "$program")/../measure/node" >out 2>err
status=$? last="node close.js"
check "an inspector is closed when no session is open" 'exits 0' '[ "$(cat out)" = true ]'

# Two requests are under way when it begins, one by a connection that has had another before; more begin while it records.
cat >slow.js <<'EOS'
const http = require('http');
const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const get = (path, own) => new Promise((done) => http.get({ port, path, agent: own }, (answer) => answer.resume().on('end', done)));
get('/file', agent).then(() => { get('/slow', agent); get('/slow', false); });
EOS
begin node --inspect-port=0 -e "$(cat server.js) server.on('listening', () => fs.writeFileSync('port', String(server.address().port)));"
node slow.js "$(cat port)" & client=$!
until_there under-way $server
attach early
wait $client
kill -INT $recorder
wait $recorder
cp early.out out
last="record --node --pid, of which requests are under way"
check "requests that were under way are counted, and are no others" 'json "map(select(.kind == \"loop\") | .under_way == 2 and .answered == 20 and .incomplete == 0 and .unanswered == 0) == [true]"'
run tail early --full
check "and told" 'out "2 requests of"' 'out "were under way when its recording began"'
kill $server

# Contexts and hooks of the program's own go on while it is recorded: beside hooks of promises by v8, and from half of it on without.
cat >contexts.js <<'EOS'
const { AsyncLocalStorage, createHook } = require('async_hooks');
const { promiseHooks } = require('v8');
const fs = require('fs');
const local = new AsyncLocalStorage();
const counts = { told: 0, v8: 0 };
createHook({ init: (id, type) => { counts.told += type === 'PROMISE'; } }).enable();
let stop = promiseHooks.onAfter(() => { counts.v8++; });
let left = 10; // rounds with it while it is recorded
const work = async (depth) => { await null; return depth === 0 ? local.getStore() : work(depth - 1).then((x) => new Promise((done) => setTimeout(done, 1, x))); };
const rounds = { v8: 0, alone: 0, lost: 0, untold: 0 };
const round = async (i) => {
  Object.assign(counts, { told: 0, v8: 0 });
  const found = await local.run(i, () => work(2));
  rounds.lost += found !== i;
  rounds.untold += counts.told < 11 || stop !== undefined && counts.v8 < 8;
  if (stop !== undefined) rounds.v8++;
  else if (++rounds.alone === 5) fs.writeFileSync('alone', '');
  if (stop !== undefined && fs.existsSync('asked') && --left === 0) stop = stop();
  setTimeout(round, 1, i + 1);
};
round(1).then(() => fs.writeFileSync('listens', ''));
process.on('SIGUSR2', () => fs.writeFileSync('asked', ''));
process.on('SIGTERM', () => { fs.writeFileSync('rounds.json', JSON.stringify(rounds)); process.exit(); });
EOS
rm -f asked
begin node --inspect-port=0 contexts.js
attach contexts
until_there alone $server
kill -INT $recorder
wait $recorder
kill $server
wait $server 2>/dev/null
cp rounds.json out
last="record --node --pid, a program with contexts"
check "contexts and hooks of its own go on" 'json ".[0] | .v8 >= 5 and .alone >= 5 and .lost == 0 and .untold == 0"'

refused() {
  local name=$1 reason=$2
  run record --node --pid $server --out refused
  check "refused: $name" 'exits 69' "err '$reason'" '[ ! -e refused ]' 'kill -0 $server'
}
node -e "const s = require('net').createServer().listen(0, '127.0.0.1', () => { require('fs').writeFileSync('port', String(s.address().port)); require('fs').writeFileSync('holds', ''); })" & holder=$!
until_there holds $holder
begin node --inspect-port=$(cat port) server.js
refused "the port is in use" 'its inspector would open, is in use'
kill $holder $server
wait 2>/dev/null
check "the program got no signal" '! grep -q failed server.out'

begin node --inspect-port=0.0.0.0:0 server.js
refused "open to others" 'open to other machines'
kill $server
begin node --inspect-port=0 -e "process.on('SIGUSR1', () => console.log('own')); $(cat server.js)"
refused "the program takes the signal" 'it handles that signal itself'
kill $server
if [ "$(id -u)" = 0 ]; then
  begin node server.js
  last="record as another user"
  setpriv --reuid 65534 --clear-groups "$program" record --node --pid $server --out /tmp/nobody.$$ >out 2>err
  status=$?
  check "refused: another user's" 'exits 69' 'err "run this as"' '[ ! -e /tmp/nobody.$$ ]'
  kill $server
  if unshare -n true 2>/dev/null; then
    begin unshare -n node -e 'require("fs").writeFileSync("listens", ""); setInterval(() => {}, 1000)'
    refused "another network" 'its network is that of a container'
    kill $server
  fi
fi
if node --disable-sigusr1 -e 0 2>/dev/null; then
  begin node --disable-sigusr1 server.js
  refused "--disable-sigusr1" 'disable-sigusr1'
  kill $server
fi
begin "$program" record --node --out own -- node server.js
server=$(pgrep -P $server)
refused "recorded already" 'recorded already'
kill $server
wait 2>/dev/null
sleep 100 & server=$!
until_true '[ "$(cat /proc/$server/comm)" = sleep ]'
refused "no Node.js" 'it runs sleep'
kill $server
run record --node --pid 999999999 --out refused
check "no such process" 'exits 69' 'err "no such process"'
run record --node --pid x --out refused
check "no number" 'exits 64' 'err "is no process"'
run record --node --pid 1 --out refused -- node
check "beside a program" 'exits 64'
finish
