// SPDX-License-Identifier: GPL-3.0-or-later
// Compilations that hold the loop, as far as they have a place where they begin and end: of a module
// that is required, of a vm.Script, by vm.compileFunction. What V8 compiles when a function is first
// called, what it optimises, ES modules, eval, new Function and vm.runIn... have none.
'use strict';

const Module = require('module');
const vm = require('vm');
const { caller, short } = require('./caller.js');
const { disguise } = require('./disguise.js');

const LEAST_MS = 0.05; // what takes less is not told

// Code without a name of its own.
const codeOf = (place) => (place === undefined ? 'unnamed code' : `code at ${place}`);

// `tell(begin, end, name)` is called for each, in ms of the clock, and `loaded(filename, module)` behind each module that
// has run, `compiled(filename, content)` before. `replace(object, name, own)` puts what is around a function in its place.
function watchCompilations(clock, { tell, loaded, compiled, replace }) {
  // `file`: its name, or options with a name.
  function done(begin, file) {
    const end = clock();
    if (end - begin < LEAST_MS) return;
    try {
      const name = typeof file === 'object' ? file?.filename : file;
      tell(begin, end, typeof name === 'string' && name !== '' ? short(name) : codeOf(caller()));
    } catch {
      // near the end of the stack: a compilation less is known
    }
  }

  // Node.js reads the exports of a module for the first time when its code is compiled and not yet
  // begun: until then they are an accessor. From then on they are the module's own, which may make
  // an accessor of them as well.
  const compile = Module.prototype._compile;
  replace(Module.prototype, '_compile', disguise(function (content, filename, format) {
    compiled(filename, content);
    const own = Object.getOwnPropertyDescriptor(this, 'exports');
    const plain = own !== undefined && own.configurable && 'value' in own && format !== 'module';
    if (!plain) return Reflect.apply(compile, this, arguments);
    let begin = -1;
    const restore = (value) => Reflect.defineProperty(this, 'exports', { ...own, value });
    const get = () => {
      restore(own.value);
      done(begin, filename);
      return own.value;
    };
    const { enumerable } = own;
    if (!Reflect.defineProperty(this, 'exports', { configurable: true, enumerable, get, set: restore })) {
      return Reflect.apply(compile, this, arguments);
    }
    begin = clock();
    try {
      const result = Reflect.apply(compile, this, arguments);
      loaded(filename, this);
      return result;
    } finally { // it may not compile at all, or be an ES module
      if (Object.getOwnPropertyDescriptor(this, 'exports')?.get === get) restore(own.value);
    }
  }, compile));

  const Script = vm.Script;
  replace(vm, 'Script', new Proxy(Script, {
    construct(target, list, made) {
      const begin = clock();
      const script = Reflect.construct(target, list, made === vm.Script ? target : made);
      done(begin, list[1]);
      return script;
    },
  }));
  replace(Script.prototype, 'constructor', vm.Script);
  const { compileFunction } = vm;
  replace(vm, 'compileFunction', disguise(function (code, params, options) {
    const begin = clock();
    const made = Reflect.apply(compileFunction, this, arguments);
    done(begin, options);
    return made;
  }, compileFunction));
}

module.exports = { watchCompilations };
