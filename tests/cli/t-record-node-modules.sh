#!/bin/bash
# SPDX-License-Identifier: GPL-3.0-or-later
# record --node: to tell how long a module is compiled the recorder stands in for its exports until its
# code begins. Whatever that does with them then is its own affair: an application prints the same.
. "$(dirname "$0")/tap.sh"
command -v node >/dev/null || { echo "not ok 1 - node is missing (apt-get install nodejs)"; exit 69; }
cd "$scratch" || exit 70
mkdir lib

# Each defines its exports in a way of its own; what is behind // is in main.js.
cat >lib/getter.js <<'EOS'
Object.defineProperty(module, 'exports', { get() { return 42; } });
EOS
cat >lib/pair.js <<'EOS'
let kept = { kept: 1 };
Object.defineProperty(module, 'exports', { enumerable: true, configurable: true, get: () => kept, set(value) { kept = { set: value }; } });
module.exports = 'new';
EOS
cat >lib/rising.js <<'EOS'
let reads = 0;
Object.defineProperty(module, 'exports', { configurable: true, get: () => ++reads });
EOS
cat >lib/throws.js <<'EOS'
let ready = false;
setTimeout(() => { ready = true; }, 0);
Object.defineProperty(module, 'exports', { get() { if (!ready) throw new Error('too early'); return 'ready'; } });
EOS
cat >lib/fixed.js <<'EOS'
Object.defineProperty(module, 'exports', { value: 'fixed', writable: false, configurable: false });
EOS
cat >lib/frozen.js <<'EOS'
exports.of = 'frozen'; Object.freeze(module); try { 'use strict'; module.exports = 1; } catch (error) { exports.error = error.name; }
EOS
cat >lib/proxy.js <<'EOS'
module.exports = new Proxy({}, { get: (target, name) => (name === 'get' ? () => 'get' : `proxy of ${String(name)}`), has: () => true });
EOS
cat >lib/looks.js <<'EOS' # like a property
module.exports = { get: () => 1, set: () => 2, value: 3 };
EOS
cat >lib/again.js <<'EOS'
exports.first = 1; const before = module.exports; module.exports = () => before === exports; module.exports.second = 2; exports = 3;
EOS
cat >lib/none.js <<'EOS'
delete module.exports;
EOS
cat >lib/one.js <<'EOS'
exports.early = true; const two = require('./two.js'); module.exports = { one: 1, two };
EOS
cat >lib/two.js <<'EOS'
const one = require('./one.js'); module.exports = { two: 2, early: one.early, keys: Object.keys(one) };
EOS
cat >lib/early.js <<'EOS' # circular, from a getter
Object.defineProperty(module, 'exports', { configurable: true, enumerable: true, get: () => 'by a getter' }); exports.back = require('./back.js');
EOS
cat >lib/back.js <<'EOS'
module.exports = { early: require('./early.js') };
EOS
cat >lib/fails.js <<'EOS'
exports.half = 1; throw new Error('half way');
EOS
echo 'a b' >lib/wrong.js
cat >lib/es.mjs <<'EOS'
import getter from './getter.js';
import pair from './pair.js';
import * as looks from './looks.js';
import again, { second } from './again.js';
import { createRequire } from 'module';
const require = createRequire(import.meta.url);
export default [getter, pair, looks.value, Object.keys(looks), again(), second, require('./rising.js'), require('./getter.js')];
EOS
cat >main.js <<'EOS'
'use strict';
const Module = require('module');
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const util = require('util');
const say = (name, work) => { try { console.log(name, util.inspect(work(), { showProxy: true, depth: 4 })); } catch (error) { console.log(name, error.name, error.message.split('\n').pop()); } };
const own = (module) => Object.getOwnPropertyDescriptor(module, 'exports');
const file = (name) => path.join(__dirname, 'lib', name);
for (const name of fs.readdirSync(file('.')).filter((name) => name.endsWith('.js')).sort()) {
  say(name, () => require(file(name)));
  const kept = require.cache[file(name)];
  if (kept !== undefined) say(`${name} has`, () => own(kept));
  say(`${name} again`, () => require(file(name)));
}
// the cache
require.cache[file('none.js')] = { id: 'x', exports: 'from the cache', loaded: true };
say('cached', () => require(file('none.js')));
delete require.cache[file('one.js')];
say('anew', () => require(file('one.js')).two.early);
// modules that others make
const compiled = (code, prepare = () => {}) => {
  const made = new Module('made', module);
  made.paths = module.paths;
  prepare(made);
  const result = made._compile(code, file('made.js'));
  return [result, own(made)];
};
say('compiled', () => compiled('exports.a = 1; module.exports.b = this === exports; return 7'));
say('getter before', () => compiled('exports.a = 1', (made) => Object.defineProperty(made, 'exports', { configurable: true, get: () => ({ own: 1 }) })));
say('frozen before', () => compiled('exports.a = 1', Object.freeze));
say('sealed before', () => compiled('exports.a = 1', Object.seal));
say('read only before', () => compiled('exports.a = 1', (made) => Object.defineProperty(made, 'exports', { writable: false })));
say('hidden before', () => compiled('exports.a = 1', (made) => Object.defineProperty(made, 'exports', { enumerable: false })));
say('none before', () => compiled('module.exports = 1', (made) => delete made.exports));
say('inherited', () => compiled('exports.a = 1', (made) => { delete made.exports; Object.setPrototypeOf(made, Object.create(Module.prototype, { exports: { get: () => 'above' } })); }));
say('wrong', () => compiled('a b'));
say('throws', () => compiled('throw new TypeError("own")'));
say('seen from within', () => compiled('exports.seen = Object.getOwnPropertyDescriptor(module, "exports")'));
say('behind a proxy', () => {
  const told = [];
  const made = new Module('made', module);
  const behind = new Proxy(made, { set: (target, name, value) => { told.push(name); target[name] = value; return true; } });
  Module.prototype._compile.call(behind, 'module.exports = { a: 1 }', file('made.js'));
  return [told, own(made)];
});
// a loader that stands before another, as those that translate do
const js = Module._extensions['.js'];
Module._extensions['.js'] = (made, name) => {
  const compile = made._compile;
  made._compile = function (code, ...rest) { made._compile = compile; return compile.call(this, `exports.translated = 1;${code}`, ...rest); };
  return js(made, name);
};
fs.writeFileSync(file('later.js'), 'Object.defineProperty(module, "exports", { get: () => "later" })');
say('translated', () => require(file('later.js')));
Module._extensions['.js'] = js;
const load = Module._load;
Module._load = (name, ...rest) => (name === 'stub' ? { stubbed: true } : load(name, ...rest));
say('stubbed', () => [require('stub'), compiled('module.exports = require("stub")')]);
Module._load = load;
// what others look at
say('names', () => [Module.prototype._compile, vm.compileFunction, vm.Script].map((one) => [one.name, one.length]));
say('context', () => vm.runInContext('module.exports', vm.createContext({ module: require.cache[file('getter.js')] })));
say('options', () => { let reads = 0; vm.compileFunction('1', [], { get filename() { reads++; return 'x.js'; } }); return reads > 0; });
Object.freeze(Error);
say('a frozen Error', () => [new vm.Script(`/* ${'a'.repeat(3e6)} */ ${'[1],'.repeat(5e4)}`).constructor.name, typeof vm.compileFunction(`${'[1],'.repeat(5e4)}1`), Object.keys(Error)]);
import('./lib/es.mjs').then((all) => console.log('ES', all.default));
EOS
node main.js >plain 2>&1
rm lib/later.js
run record --node --out log -- node main.js
cat out >recorded
check "what modules do with their exports is theirs" 'exits 0' '[ "$(wc -l <plain)" -gt 80 ]' 'grep -q "^getter.js 42" plain' 'grep -q "^ES \[" plain' 'diff plain recorded >&2'
finish
