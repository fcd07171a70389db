// SPDX-License-Identifier: GPL-3.0-or-later
// What Node.js keeps of asynchronous resources (its binding async_wrap): ids, how many hooks want to know what, and which
// types are its own. Each part may be missing in a version; what depends on it is then left out.
'use strict';

const { AsyncResource, createHook, executionAsyncId } = require('async_hooks');
const { lookInto } = require('./internals.js');
const { tryAll } = require('./stopped.js');

class AsyncWrap {
  constructor() {
    this.binding = undefined; // it is not known
    this.ids = undefined; // the newest is number `counter` of them
    this.counter = 0;
    this.stack = undefined; // its first entry is how many callbacks Node.js knows of that run, one within the other
    this.providers = undefined; // types of its own native resources
  }

  use(found) {
    const { constants, async_hook_fields: counts } = found;
    if (typeof constants.kAsyncIdCounter === 'number') [this.ids, this.counter] = [found.async_id_fields, constants.kAsyncIdCounter];
    const at = constants.kStackLength;
    if (typeof at === 'number') this.stack = counts.subarray(at, at + 1);
    if (typeof found.Providers === 'object') this.providers = new Set(Object.keys(found.Providers));
    this.binding = found;
  }

  newestId() {
    return this.ids === undefined ? Infinity : this.ids[this.counter];
  }

  // How many hooks there are, of all kinds.
  countHooks() {
    if (this.binding === undefined) return 0;
    const { constants: { kInit, kBefore, kAfter, kDestroy, kPromiseResolve }, async_hook_fields: counts } = this.binding;
    return [kInit, kBefore, kAfter, kDestroy, kPromiseResolve].reduce((sum, kind) => sum + counts[kind], 0);
  }

  // Nobody is told of anything while `work` does, as nothing of it is the application's.
  untold(work) {
    const { constants: { kInit, kBefore, kAfter }, async_hook_fields: counts } = this.binding;
    const before = [kInit, kBefore, kAfter].map((kind) => [kind, counts[kind]]);
    for (const [kind] of before) counts[kind] = 0;
    try {
      return work();
    } finally {
      for (const [kind, count] of before) counts[kind] = count;
    }
  }

  canSetPromiseHooks() {
    return this.binding?.setPromiseHooks !== undefined;
  }

  // What V8 calls of each promise: on registration, before and behind a continuation, when it is settled.
  setPromiseHooks(functions) {
    tryAll(() => this.binding.setPromiseHooks(...functions));
  }
}

// Whether hooks and ids are counted as they are known to be, in a version that nobody here has seen.
function countsAsKnown({ constants, async_hook_fields: counts, async_id_fields: ids }) {
  const count = () => [constants.kInit, constants.kBefore, constants.kAfter].map((kind) => counts[kind]);
  const nothing = () => {};
  const hook = createHook({ init: nothing, before: nothing, after: nothing, trackPromises: false });
  const before = count();
  hook.enable();
  const during = count();
  hook.disable();
  const id = new AsyncResource('tailproof').asyncId();
  return count().every((each, i) => each === before[i] && each + 1 === during[i]) && ids[constants.kAsyncIdCounter] === id;
}

// Up to version 22 a process may ask for the binding, which warns of itself. Later ones have it in a variable, which is looked
// at where `alone`: nobody can have hooked yet what that registers. It throws where there is none.
function findBinding(alone) {
  try {
    return quietly(() => process.binding('async_wrap'));
  } catch (error) {
    if (!alone) throw error;
    const found = lookInto((internals) => internals.variable(executionAsyncId, 'async_wrap'));
    if (!countsAsKnown(found)) throw error;
    return found;
  }
}

// Without warnings of what is deprecated.
function quietly(work) {
  const quiet = Object.getOwnPropertyDescriptor(process, 'noDeprecation');
  process.noDeprecation = true;
  try {
    return work();
  } finally {
    if (quiet === undefined) delete process.noDeprecation;
    else Object.defineProperty(process, 'noDeprecation', quiet);
  }
}

module.exports = { AsyncWrap, findBinding };
