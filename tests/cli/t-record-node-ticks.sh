#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: while the ticks of a turn run the recorder has Node.js tell nobody of them. The turn
# lasts until the last of them is over, what they throw changes nothing, and the hooks of the
# application are told all that they would be told without a recorder.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
facts=$(dirname "$program")/tests/tools/event_log
[ -x "$facts" ] || { echo "not ok 1 - $facts is not built"; exit 69; }
cd "$scratch" || exit 70

# Each timer is a turn whose last tick or microtask tells when it ends, in us.
cat >ticks.js <<'EOS'
const work = () => { for (let i = 0, x = 1; i < 3e5; i++) x = (x * 31 + i) % 65521; };
const said = []; // printing registers ticks
const say = (name) => said.push(`${name} ${Math.round(Number(process.hrtime.bigint()) / 1e3)}`);
process.on('exit', () => console.log(said.join('\n')));
const later = (count, then) => process.nextTick(() => (count > 0 ? later(count - 1, then) : then()));
process.on('uncaughtException', () => {});
const turns = {
  chain: () => later(5, () => { work(); say('chain'); }),
  many: () => { for (let i = 0; i < 4; i++) process.nextTick((a, b) => { if (a + b === 3) { work(); say('many'); } }, i, 0); },
  thrown: () => later(2, () => { work(); say('thrown'); throw new Error('expected'); }),
  first: () => { process.nextTick(() => { throw new Error('expected'); }); process.nextTick(() => { work(); say('first'); }); },
  promise: async () => { await null; later(1, () => { work(); say('promise'); }); },
  micro: () => process.nextTick(() => queueMicrotask(() => { work(); say('micro'); })),
  awaits: async () => { for (let i = 0; i < 6; i++) await null; work(); say('awaits'); },
  one: async () => { await null; work(); say('one'); },
  all: async () => { await Promise.all(Array.from({ length: 200 }, async () => { await null; await null; })); work(); say('all'); },
  both: () => queueMicrotask(() => { process.nextTick(() => { work(); say('both'); }); queueMicrotask(work); }),
};
const names = Object.keys(turns);
const next = () => {
  const name = names.shift();
  if (name === undefined) return;
  setTimeout(next, 5);
  turns[name]();
};
setTimeout(next, 5);
EOS
# The time that is told lies in the turn of its timer.
inside() { awk 'NF != 4 || $4 < $1 - 1 || $4 > $2 + 1 { exit 1 }' both; }
look() {
  run record --node --out "$1" -- node "$2"
  cp out said
  EVENT_LOG_ROWS=1 "$facts" "$1" >facts
  sed -n 's/^row [0-9]* Timeout[^#]*#.* run \([0-9]*\)\.\([0-9]*\)\.\.\([0-9]*\)\.\([0-9]*\) .*/\1\2 \3\4/p' facts >rows
  head -n 10 rows | paste - said >both
}
look one ticks.js
check "a turn lasts until its last tick and microtask are over" \
  'exits 0' '[ "$(wc -l <said)" = 10 ]' '[ "$(wc -l <rows)" = 11 ]' inside
{ echo "new (require('async_hooks').AsyncLocalStorage)().enterWith({});"; cat ticks.js; } >local.js
look local local.js
check "also where the application has promises hooked" \
  'exits 0' '[ "$(wc -l <said)" = 10 ]' '[ "$(wc -l <rows)" = 11 ]' inside

# A promise that waits for another turn is known of, and when it was registered, however many there were besides.
cat >cross.js <<'EOS'
let free;
const waiting = new Promise((done) => { free = done; });
setTimeout(async () => {
  const others = Array.from({ length: 150 }, async (_, i) => { await (i % 2 ? null : waiting); });
  for (let i = 0; i < 5; i++) await null;
  await waiting;
  await Promise.all(others);
}, 1);
setTimeout(async () => { for (let i = 0; i < 5; i++) await null; free(); }, 20);
EOS
{ echo "new (require('async_hooks').AsyncLocalStorage)().enterWith({});"; cat cross.js; } >local-cross.js
for file in cross local-cross; do
  run record --node --out $file -- node $file.js
  EVENT_LOG_ROWS=1 "$facts" $file >facts
  first=$(sed -n 's/^row \([0-9]*\) Timeout[^#]*#.*/\1/p' facts | head -n 1)
  second=$(sed -n 's/^row \([0-9]*\) Timeout[^#]*#.*/\1/p' facts | tail -n 1)
  check "promises that wait for another turn, $file" 'exits 0' '[ "$(grep -c "^row [0-9]* PROMISE[^#]*#.* by $first after $second in $second" facts)" = 76 ]'
done

# What the hooks of an application are told, by type, from a tick on; without immediates, by which
# Node.js tells the recorder of collections.
cat >hooks.js <<'EOS'
const { createHook, AsyncResource } = require('async_hooks');
const types = new Map();
const told = [];
const hook = createHook({
  init(id, type) { types.set(id, type); told.push(`init ${type}`); },
  before(id) { if (types.has(id)) told.push(`before ${types.get(id)}`); },
  after(id) { if (types.has(id)) told.push(`after ${types.get(id)}`); },
});
const nothing = () => {};
const busy = () => {
  process.nextTick(() => process.nextTick(nothing));
  setTimeout(() => process.nextTick(nothing), 1);
  new AsyncResource('OWN').runInAsyncScope(() => process.nextTick(nothing));
  many();
};
const many = async () => { for (let i = 0; i < 60; i++) await null; };
setTimeout(() => {
  process.nextTick(nothing);
  process.nextTick(() => { hook.enable(); busy(); setTimeout(end, 100); });
}, 1);
const end = () => { hook.disable(); console.log(told.filter((line) => !line.includes('Immediate')).join('\n')); };
EOS
node hooks.js >plain
run record --node --out two -- node hooks.js
check "the hooks of the application are told the same" 'exits 0' '[ "$(grep -c before plain)" -ge 5 ]' 'diff plain out'

# What Node.js keeps of resources is in a variable of its own as well, where no process may ask for it any more: of each thread,
# and nothing of the look is left.
cat >wrap.js <<'EOS'
const { Worker, isMainThread } = require('worker_threads');
const { createHook, executionAsyncId } = require('async_hooks');
const { lookInto } = require(process.argv[2]);
const before = Object.getOwnPropertyNames(globalThis).length;
const { constants, async_hook_fields: counts } = lookInto((internals) => internals.variable(executionAsyncId, 'async_wrap'));
const none = lookInto((internals) => internals.variable(executionAsyncId, 'no_such_variable'));
createHook({ init() {} }).enable();
createHook({ init() {}, before() {} }).enable();
console.log(counts[constants.kInit], counts[constants.kBefore], none, Object.getOwnPropertyNames(globalThis).length - before);
if (isMainThread) new Worker(__filename, { argv: process.argv.slice(2) });
EOS
node wrap.js "$OLDPWD/measure/node/internals.js" >out 2>err
status=$? last="node wrap.js"
check "the counts of hooks are found in each thread" 'exits 0' '[ "$(grep -cx "2 1 undefined 0" out)" = 2 ]'

# Hooks of promises are told the same as well, and contexts kept, whoever else is hooked and in whatever order.
cat >joined.js <<'EOS'
const { AsyncLocalStorage, createHook } = require('async_hooks');
const { promiseHooks } = require('v8');
const said = [];
const local = new AsyncLocalStorage();
const counts = {};
const count = (name) => { counts[name] = (counts[name] ?? 0) + 1; };
const promises = new Set();
const hook = createHook({
  init(id, type) { if (type === 'PROMISE') { promises.add(id); count('init'); } },
  before(id) { if (promises.has(id)) count('before'); },
  after(id) { if (promises.has(id)) count('after'); },
  promiseResolve() { count('resolved'); },
});
const steps = [
  () => {},
  () => local.enterWith('entered'),
  () => hook.enable(),
  () => { steps.stops = ['onInit', 'onBefore', 'onAfter', 'onSettled'].map((kind) => promiseHooks[kind](() => count(kind))); },
  () => hook.disable(),
  () => { for (const stop of steps.stops) stop(); },
  () => hook.enable(),
  () => { hook.disable(); local.disable(); },
  () => { steps.stops = [promiseHooks.onSettled(() => count('settled')), promiseHooks.onBefore(() => count('again'))]; },
  () => local.enterWith('anew'),
];
const work = async (depth) => {
  if (depth === 0) return local.getStore();
  await null;
  const [a] = await Promise.all([work(depth - 1), new Promise((done) => setTimeout(done, 1)).then(() => 0)]);
  return a;
};
const next = async (i) => {
  if (i === steps.length) return;
  steps[i]();
  const seen = await Promise.all([1, 2].map((x) => local.run(`${i}.${x}`, () => work(3))));
  const mine = local.getStore();
  setTimeout(() => { said.push([i, seen, mine, { ...counts }]); setTimeout(() => next(i + 1), 1); }, 1);
};
setTimeout(() => next(0), 1);
process.on('exit', () => console.log(said.map((one) => JSON.stringify(one)).join('\n')));
EOS
node joined.js >plain
run record --node --out joined -- node joined.js
check "contexts and hooks of promises are as without it" 'exits 0' '[ "$(wc -l <plain)" = 10 ]' 'diff plain out'

# What was registered before is known of when it runs within a tick; of what is registered in the same turn there is nothing
# to know. Neither keeps Node.js from being told of nobody: behind both the last tick still ends the turn.
cat >within.js <<'EOS'
const { AsyncResource } = require('async_hooks');
const say = (name) => console.log(name, Math.round(Number(process.hrtime.bigint()) / 1e3));
const work = () => { for (let i = 0, x = 1; i < 3e5; i++) x = (x * 31 + i) % 65521; };
const resource = new AsyncResource('OWN');
setTimeout(() => {
  const same = new AsyncResource('SAME');
  process.nextTick(() => process.nextTick(() => {
    try { same.runInAsyncScope(() => { throw new Error('expected'); }); } catch {}
    resource.runInAsyncScope((a, b) => { work(); if (a + b === 3) say('within'); }, undefined, 1, 2);
    process.nextTick(() => { work(); say('last'); });
  }));
}, 1);
const { name, length } = AsyncResource.prototype.runInAsyncScope;
setTimeout(() => { console.log(name, length); }, 5);
EOS
run record --node --out three -- node within.js
cp out said
EVENT_LOG_ROWS=1 "$facts" three >facts
for type in Timeout OWN; do
  sed -n "s/^row [0-9]* $type[^#]*#.* run \([0-9]*\)\.\([0-9]*\)\.\.\([0-9]*\)\.\([0-9]*\) .*/\1\2 \3\4/p" facts | head -n 1
done >rows
tac said | tail -n 2 | paste - rows | awk '{ print $3, $4, $1, $2 }' >both
check "a callback within a tick" 'exits 0' 'grep -qE "^row [0-9]+ OWN[^#]*#.* in [0-9]+$" facts' \
  'grep -qx "runInAsyncScope 2" said' '[ "$(grep -c " [0-9]* within$\| [0-9]* last$" both)" = 0 ]' 'awk "NF != 4 || \$4 < \$1 - 1 || \$4 > \$2 + 1 { exit 1 }" both'

# Ticks go through a function of the recorder: arguments, refusals and what is thrown are as without it.
cat >arguments.js <<'EOS'
const { AsyncLocalStorage } = require('async_hooks');
const said = [];
process.nextTick(() => said.push('none'));
process.nextTick((...all) => said.push(all), 1);
process.nextTick((...all) => said.push(all), 1, 2);
process.nextTick((...all) => said.push(all), 1, 2, 3);
process.nextTick((...all) => said.push(all), 1, 2, 3, 4, 5);
for (const wrong of [undefined, 1, 'text', {}]) {
  try { process.nextTick(wrong); } catch (error) { said.push(error.code); }
}
process.nextTick(() => process.nextTick(() => said.push('inner')));
const local = new AsyncLocalStorage();
local.run(7, () => process.nextTick((x) => said.push([local.getStore(), x]), 8));
process.on('uncaughtException', (error) => said.push(error.message));
setTimeout(() => process.nextTick(() => { throw new Error('expected'); }), 1); // alone: what waits behind it has no order
process.on('exit', () => console.log(process.nextTick.name, process.nextTick.length, JSON.stringify(said)));
EOS
node arguments.js >plain
run record --node --out four -- node arguments.js
check "arguments of ticks, and what is no function" 'exits 0' 'grep -q "7,8.*inner.*expected" plain' 'diff plain out'
# Where the stack ends a tick cannot be registered. Ticks and contexts behind that are as they would be.
cat >edge.js <<'EOS'
const { AsyncLocalStorage } = require('async_hooks');
let ended = 0;
const deep = (room) => { try { process.nextTick(() => {}); deep(room + 1); } catch (error) { ended += error instanceof RangeError; } };
const further = (frames) => { if (frames === 0) deep(0); else further(frames - 1); }; // from several distances
setTimeout(() => {
  for (let frames = 0; frames < 30; frames++) further(frames);
  const local = new AsyncLocalStorage();
  let right = 0;
  const look = (i) => { right += local.getStore() === i; };
  for (let i = 0; i < 100; i++) local.run(i, () => { process.nextTick(look, i); setTimeout(look, 1, i); Promise.resolve(i).then(look); });
  setTimeout(() => console.log(ended, right), 20);
}, 1);
EOS
run record --node --out edge -- node edge.js
check "contexts are kept when the stack ended within nextTick" 'exits 0' 'out "30 300"'

# When the recorder's own hook is off, a hook of the application is told of ticks.
cat >off.js <<'EOS'
const { createHook } = require('async_hooks');
const recorder = require(process.argv[2]).createRecorder();
recorder.start([]);
recorder.pause();
let told = 0;
createHook({ init: (id, type) => { if (type === 'TickObject') told++; } }).enable();
process.nextTick(() => {});
setImmediate(() => { console.log(told >= 1 ? 'told' : 'not told'); process.exit(); });
EOS
node off.js "$OLDPWD/measure/node/recorder.js" >out 2>err
status=$? last="node off.js"
check "ticks are told where the recorder's hook is off" 'exits 0' 'out told' '! out "not told"'
finish
