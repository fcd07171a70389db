#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: what a request waits for has the name of what holds it: the thread pool that a compression fills, a
# connection of a limited agent, the message of a worker that is deserialised, the quota of a control group. Packages whose pools are not known in this
# version are left alone, and that is said.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
cd "$scratch" || exit 70

# A pool of one thread. What is asked for before the file is done before it; so is what is asked by the only connection.
mkdir -p node_modules/pg-pool node_modules/mysql/lib
echo '{ "version": "99.1.0" }' >node_modules/pg-pool/package.json
echo 'module.exports = class Pool { connect(a, b) { return [a, b, arguments.length]; } };' >node_modules/pg-pool/index.js
cat >node_modules/mysql/lib/Pool.js <<'EOS'
class Pool {
  constructor() { Object.assign(this, { config: { connectionLimit: 1 }, _allConnections: [{}], _freeConnections: [], queue: [] }); }
  getConnection(callback) { this.queue.push(callback); return this; }
}
module.exports = Pool;
EOS
cat >waits.js <<'EOS'
const fs = require('fs');
const http = require('http');
const zlib = require('zlib');
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) {
  parentPort.on('message', (count) => parentPort.postMessage(Array.from({ length: count }, (_, i) => ({ number: i }))));
  return;
}
const worker = new Worker(__filename);
const online = new Promise((done) => worker.once('online', done));
const bytes = Buffer.from(Array.from({ length: 3e5 }, (_, i) => (i * 7919) % 10007).join());
const pack = () => new Promise((done) => zlib.gzip(bytes, done));
const text = () => new Promise((done) => fs.readFile(__filename, done));
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const get = (port, path, agent) => new Promise((done) => http.get({ port, path, agent }, (answer) => answer.resume().on('end', done)));
const Pool = require('mysql/lib/Pool.js');
const pool = new Pool();
let freed;
const routes = {
  '/zip': () => Promise.all([pack(), pack(), text()]),
  '/rows': () => new Promise((done) => { worker.once('message', done); worker.postMessage(1e5); }),
  '/slow': () => new Promise((done) => { freed = done; }),
  '/quick': () => {},
  '/held': () => get(server.address().port, '/slow', agent),
  '/waits': () => get(server.address().port, '/quick', agent),
  '/pool': () => new Promise((done) => pool.getConnection((error, one) => done([error, one]))),
};
const server = http.createServer(async (q, r) => { await routes[q.url](); r.end(); });
server.listen(0, async () => {
  const { port } = server.address();
  const Unknown = require('pg-pool');
  console.log(new Unknown().connect(1, 2), Pool.prototype.getConnection.name, Pool.prototype.getConnection.length);
  console.log(pool.getConnection(1) === pool, pool.queue.pop());
  await online;
  for (const path of ['/zip', '/rows']) await get(port, path);
  const held = get(port, '/held');
  while (freed === undefined) await new Promise(setImmediate);
  const waits = get(port, '/waits');
  while (Object.keys(agent.requests).length === 0) await new Promise(setImmediate);
  freed();
  await Promise.all([held, waits]);
  const got = get(port, '/pool');
  while (pool.queue.length === 0) await new Promise(setImmediate);
  setTimeout(() => pool.queue.pop()(null, { _socket: {} }), 5);
  await got;
  process.exit();
});
EOS
node waits.js >plain
UV_THREADPOOL_SIZE=1 run record --node --out log -- node waits.js
check "what the program does is what it does" 'exits 0' 'diff plain out >&2' '[ "$(wc -l <plain)" = 2 ]'
EVENT_LOG_PARTS=1 "$facts" log >parts 2>&1
last="event_log log"
part() { grep -q "^part GET $1 [0-9]* [0-9]* $2\$" parts || { grep "^part GET $1 " parts >&2; return 1; }; }
check "a thread of the pool that compression holds" 'part /zip "waits for a thread of the pool (1), held by zlib of GET /zip"'
check "the message of a worker" 'part /rows "deserialisation of a message of worker [0-9]* (.*/waits.js:9)"'
check "a connection of an agent" 'part /waits "waits for a connection of an http.Agent (1 of 1 in use)"' '! part /held "waits for a connection .*" 2>/dev/null'
check "a connection of a pool that calls back" "part /pool \"waits for a connection of mysql's pool (1 of 1 in use)\""
run whatif latency log --change 'waits for a connection of an http.Agent (1 of 1 in use): *0'
check "what a replay cannot tell" 'exits 64' 'err "make the pool larger and record again"'
run tail log
check "a package of an unknown version" 'out "waits for connections of a pool of pg-pool 99.1.0 are not told apart"'

# Each group counts what its own quota did, so those above it are read as well; in a container as far as they are there.
cat >groups.js <<'EOS'
const { groupFolders } = require(`${process.argv[2]}/measure/node/quota.js`);
const mount = (root, point, kind, options) => `31 23 0:28 ${root} ${point} rw,relatime shared:9 - ${kind} x rw,${options}\n`;
const old = mount('/', '/sys/fs/cgroup/pids', 'cgroup', 'pids') + mount('/', '/sys/fs/cgroup/cpu,cpuacct', 'cgroup', 'cpu,cpuacct');
const both = old + mount('/', '/sys/fs/cgroup/unified', 'cgroup2', 'nsdelegate');
const cases = {
  old: ['5:pids:/x\n4:cpu,cpuacct:/a/b\n', old],
  both: ['4:cpu,cpuacct:/a\n0::/other\n', both],
  cpuset: ['4:cpuset:/wrong\n0::/a\n', mount('/', '/sys/fs/cgroup/cpuset', 'cgroup', 'cpuset') + mount('/', '/c', 'cgroup2', '')],
  container: ['4:cpu,cpuacct:/docker/1/in\n', mount('/docker/1', '/sys/fs/cgroup/cpu', 'cgroup', 'cpu')],
  outside: ['0::/../other\n', mount('/', '/sys/fs/cgroup', 'cgroup2', '')],
  above: ['0::/\n', mount('/../..', '/sys/fs/cgroup', 'cgroup2', '')],
  blank: ['0::/a b\n', mount('/', '/c\\040d', 'cgroup2', '')],
  none: ['', ''],
};
for (const [name, one] of Object.entries(cases)) console.log(name, groupFolders(...one).join(' '));
EOS
cat >groups <<'EOS'
old /sys/fs/cgroup/cpu,cpuacct/a/b /sys/fs/cgroup/cpu,cpuacct/a /sys/fs/cgroup/cpu,cpuacct
both /sys/fs/cgroup/cpu,cpuacct/a /sys/fs/cgroup/cpu,cpuacct
cpuset /c/a /c
container /sys/fs/cgroup/cpu/in /sys/fs/cgroup/cpu
outside /sys/fs/cgroup
above /sys/fs/cgroup
blank /c d/a b /c d
none 
EOS
here=$(dirname "$program")/..
check "the groups of a thread whose quotas count" 'node groups.js "$here" >got' 'diff groups got >&2'

# In a group below the one with the quota, into which the thread came later.
cat >quota.js <<'EOS'
const fs = require('fs');
const [, , here, root, group] = process.argv;
const { Quota } = require(`${here}/measure/node/quota.js`);
const quota = new Quota(process.pid);
quota.follow(0);
fs.writeFileSync(`${group}/in/cgroup.procs`, String(process.pid));
quota.follow(1000000000);
const before = quota.since();
const told = () => Number(/^throttled_(usec|time) (\d+)$/m.exec(fs.readFileSync(`${group}/cpu.stat`, 'latin1'))[2]);
while (told() === 0);
const seen = quota.since() > 0;
fs.writeFileSync(`${root}/cgroup.procs`, String(process.pid)); // until then it may be throttled once more
quota.since();
console.log(before, seen, quota.since());
EOS
for root in /sys/fs/cgroup/cpu /sys/fs/cgroup; do
  group=$root/tailproof-test-$$
  [ -f "$root/cgroup.procs" ] && mkdir -p "$group/in" 2>/dev/null || continue
  { echo 1000 >"$group/cpu.cfs_quota_us" || echo '1000 100000' >"$group/cpu.max"; } 2>/dev/null && break
  rmdir "$group/in" "$group"
  group=
done
if [ -f "${group:-}/cpu.stat" ]; then
  node quota.js "$here" "$root" "$group" >got 2>&1
  rmdir "$group/in" "$group"
  check "the quota of a group above that of the thread" '[ "$(cat got)" = "0 true 0" ] || { cat got >&2; false; }'
else
  echo "# skip: this system makes no control group with a quota"
fi
finish
