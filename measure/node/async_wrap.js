// SPDX-License-Identifier: GPL-3.0-or-later
// What Node.js keeps of asynchronous resources (its binding async_wrap): ids, how many hooks want to know what, and which
// types are its own. Each part may be missing in a version; what depends on it is then left out.
'use strict';

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
      work();
    } finally {
      for (const [kind, count] of before) counts[kind] = count;
    }
  }

  canSetPromiseHooks() {
    return this.binding?.setPromiseHooks !== undefined;
  }

  // What V8 calls of each promise: on registration, before and behind a continuation, when it is settled.
  setPromiseHooks(functions) {
    quietly(() => this.binding.setPromiseHooks(...functions));
  }
}

// The binding warns of itself, and newer versions do not have it all.
function quietly(work) {
  const quiet = Object.getOwnPropertyDescriptor(process, 'noDeprecation');
  process.noDeprecation = true;
  try {
    work();
  } catch {
    // newer versions have no such binding, and do as trackPromises says
  }
  if (quiet === undefined) delete process.noDeprecation;
  else Object.defineProperty(process, 'noDeprecation', quiet);
}

module.exports = { AsyncWrap, quietly };
