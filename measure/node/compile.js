// SPDX-License-Identifier: GPL-3.0-or-later
// Compilations that hold the loop, as far as they have a place where they begin and end: of a module
// that is required, of a vm.Script, by vm.compileFunction. What V8 compiles when a function is first
// called, what it optimises, ES modules, eval, new Function and vm.runIn... have none.
'use strict';

const Module = require('module');
const vm = require('vm');

const LEAST_MS = 0.05; // what takes less is not told

// The last two parts of a path, as for functions.
const short = (file) => file.split(/[\\/]/).slice(-2).join('/');

// Where the application asked, for code without a name of its own.
function caller() {
  const { prepareStackTrace, stackTraceLimit } = Error;
  let sites;
  try {
    Error.stackTraceLimit = 8;
    Error.prepareStackTrace = (error, found) => found;
    sites = new Error().stack;
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
  const files = sites.map((site) => ({ site, file: site.getFileName() }));
  const own = files.find(({ file }) => file && !file.startsWith('node:') && file !== __filename);
  return own === undefined ? 'unnamed code' : `code at ${short(own.file)}:${own.site.getLineNumber()}`;
}

// `tell(begin, end, name)` is called for each, in ms of the clock.
function watchCompilations(clock, tell) {
  function done(begin, file) {
    const end = clock();
    if (end - begin < LEAST_MS) return;
    tell(begin, end, typeof file === 'string' && file !== '' ? short(file) : caller());
  }

  // Node.js reads the exports of a module for the first time when its code is compiled and not yet
  // begun: until then they are an accessor.
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (content, filename) {
    const own = Object.getOwnPropertyDescriptor(this, 'exports');
    if (own === undefined || !own.configurable || !('value' in own)) return Reflect.apply(compile, this, arguments);
    const restore = (value) => Object.defineProperty(this, 'exports', { ...own, value });
    let begin = -1;
    Object.defineProperty(this, 'exports', {
      configurable: true,
      enumerable: own.enumerable,
      get() {
        restore(own.value);
        done(begin, filename);
        return own.value;
      },
      set: restore,
    });
    begin = clock();
    try {
      return Reflect.apply(compile, this, arguments);
    } finally { // it may not compile at all
      if (Object.getOwnPropertyDescriptor(this, 'exports')?.get !== undefined) restore(own.value);
    }
  };

  const nameOf = (options) => (typeof options === 'string' ? options : options?.filename);
  const Script = vm.Script;
  vm.Script = new Proxy(Script, {
    construct(target, list, made) {
      const begin = clock();
      const script = Reflect.construct(target, list, made === vm.Script ? target : made);
      done(begin, nameOf(list[1]));
      return script;
    },
  });
  Object.defineProperty(Script.prototype, 'constructor', { value: vm.Script });
  const compileFunction = vm.compileFunction;
  vm.compileFunction = function (code, params, options) {
    const begin = clock();
    const made = Reflect.apply(compileFunction, this, arguments);
    done(begin, nameOf(options));
    return made;
  };
}

module.exports = { watchCompilations };
