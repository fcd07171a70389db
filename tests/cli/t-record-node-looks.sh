#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: while a callback lasts the loop is looked at. What that costs does not depend on how much code is
# loaded, nor on its source maps; the time of a look is not the callback's; the application sees nothing of it.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
cd "$scratch" || exit 70

# A program with an inline source map of 2 MB, whose callback lasts until the recorder has named its function: in a loop, in
# native code, in a regular expression. The limits are those of a recorder that never does.
cat >make.js <<'EOS'
const map = Buffer.from(JSON.stringify({ version: 3, sources: ['a.ts'], names: [], mappings: 'AAAA', sourcesContent: ['x'.repeat(1.5e6)] })).toString('base64');
require('fs').writeFileSync('map.js', `const fs = require('fs');
const crypto = require('crypto');
const log = process.env.TAILPROOF_STORE + '/' + process.pid + '.0.tpn';
const named = (what) => fs.existsSync(log) && fs.readFileSync(log, 'latin1').includes(what);
const numbers = JSON.stringify(Array.from({ length: 1e6 }, (_, i) => i)), used = (all) => all[0];
const tests = [
  function loops() { for (let i = 0; i < 300 && !named('map.js:7:3 loops'); i++) for (let from = performance.now(); performance.now() - from < 15;); },
  function hashes() { for (let i = 0; i < 300 && !named('map.js:8:3 hashes'); i++) crypto.pbkdf2Sync('a', 'b', 1e5, 32, 'sha256'); },
  function calls() { for (let i = 0; i < 12; i++) { const all = JSON.parse(numbers); used(all); } },
  function matches() { for (let i = 0; i < 300 && !named('map.js:10:3 matches'); i++) /^(([a-z0-9])+[.]?)+$/.test('aaaaaaaaaaaaaaaaaaaa!'); },
  () => new Function('named', 'function page() { for (let i = 0; i < 300 && !named("100%.ejs:"); i++) for (let from = performance.now(); performance.now() - from < 15;); }\\npage();\\n//# sourceURL=file:///views/100%.ejs')(named),
];
const own = () => JSON.stringify([Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace') ?? null, Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit'), Reflect.ownKeys(globalThis).map(String)]);
const before = own();
const usual = Object.getOwnPropertyDescriptor(Error, 'prepareStackTrace');
let seen = 0;
Object.defineProperty(Error, 'prepareStackTrace', { configurable: true, get: () => { seen++; } });
const next = () => {
  const test = tests.shift();
  if (test === undefined) {
    if (usual === undefined) delete Error.prepareStackTrace; else Object.defineProperty(Error, 'prepareStackTrace', usual);
    console.log(own() === before, seen, typeof require('inspector').url());
    return;
  }
  test();
  setTimeout(next, 5);
};
setTimeout(next, 5);
//# sourceMappingURL=data:application/json;base64,${map}
`);
EOS
node make.js
# Behind the recorder, in its thread: how many characters it hears from the loop's thread.
cat >spy.js <<'EOS'
const { workerData } = require('worker_threads');
if (workerData?.tailproofWriter) {
  const { Session } = require('inspector');
  const fs = require('fs');
  const { emit, post } = Session.prototype;
  let heard = 0;
  const count = (value) => { heard += JSON.stringify(value ?? null).length; fs.writeFileSync('heard', String(heard)); };
  Session.prototype.emit = function (...all) { count(all[1]); return Reflect.apply(emit, this, all); };
  Session.prototype.post = function (method, options, done) {
    return Reflect.apply(post, this, [method, options, (...all) => { count(all); done?.(...all); }]);
  };
}
EOS
TAILPROOF_NODE_WATCH=50 NODE_OPTIONS="--require $PWD/spy.js" run record --node --out log -- node map.js
check "functions are named, and the application sees nothing of it" 'exits 0' 'out "true 0 undefined"' \
  'grep -qa "map.js:7:3 loops" log/*.tpn' 'grep -qa "map.js:8:3 hashes" log/*.tpn' 'grep -qa "map.js:10:3 matches" log/*.tpn' '! grep -qi "debugger" err'
check "also of code whose address is none" 'grep -qaE "views/100%.ejs:[0-9]+:[0-9]+ page" log/*.tpn' '! grep -q "Error" err'
# A look that comes in native code is answered in what is called next.
check "native code is told by who called it, not by what came behind it" '[ "$(grep -ao "map.js:9:3 calls" log/*.tpn | wc -l)" -ge 4 ]' \
  '[ "$(grep -ao " used;" log/*.tpn | wc -l)" -le 2 ]'
check "nothing is heard of scripts and their source maps" '[ "$(cat heard)" -gt 100 ]' '[ "$(cat heard)" -lt 100000 ]'

# The looks are pauses in the log.
"$facts" log >facts
last="event_log log"
check "looks are no part of the callbacks" '[ "$(grep -c TPNS <(tr "\n" " " <"$(ls log/*.tpn)" | sed "s/TPNS/\nTPNS/g"))" -ge 3 ]' \
  '[ "$(sed -n "s/^pauses //p" facts)" -ge 3 ]'

# Where Error is frozen, or the stack ends, no function is known, and nothing else happens.
cat >frozen.js <<'EOS'
const until = (ms) => { const from = performance.now(); while (performance.now() - from < ms); };
const deep = (n) => { try { return deep(n + 1); } catch { until(60); return n; } };
setTimeout(() => { console.log(deep(0) > 100); Object.freeze(Error); until(60); console.log('over'); process.exit(3); }, 20);
EOS
TAILPROOF_NODE_WATCH=50 run record --node --out frozen -- node frozen.js
check "a frozen Error, and the end of the stack" 'exits 3' '[ "$(cat out)" = "true
over" ]' '! grep -q "Error" err'
finish
