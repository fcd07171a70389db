// SPDX-License-Identifier: GPL-3.0-or-later
// What an AsyncResource of the application runs (on-finished, pools, AsyncLocalStorage.bind): Node.js tells its hooks of that,
// but for the time in which nobody is told of ticks (mute.js). Then it is told from here.
'use strict';

const { AsyncResource } = require('async_hooks');
const { disguise } = require('./disguise.js');

// While `mute.muted`: `begun(id)` before, and what it gave to `over(id, begin)` behind.
function watchScopes(mute, begun, over, replace) {
  const original = AsyncResource.prototype.runInAsyncScope;
  const begin = (resource) => {
    try {
      return begun(resource.asyncId());
    } catch {
      return -1; // near the end of the stack, or no resource
    }
  };
  replace(AsyncResource.prototype, 'runInAsyncScope', disguise(function () {
    if (!mute.muted) return Reflect.apply(original, this, arguments);
    const time = begin(this);
    if (time < 0) return Reflect.apply(original, this, arguments);
    try {
      return Reflect.apply(original, this, arguments);
    } finally {
      try {
        over(this.asyncId(), time);
      } catch {
        // a callback less is known
      }
    }
  }, original));
  return true;
}

module.exports = { watchScopes };
