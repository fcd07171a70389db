// SPDX-License-Identifier: GPL-3.0-or-later
// When a stream that compresses asks the thread pool for a piece of work. The stream is there before it asks for anything,
// and asks many times; no hook tells of that, so it goes through a function of the recorder's.
'use strict';

const { disguise } = require('./disguise.js');

class StreamWatch {
  // `asked(id)` is called for each piece; `replace(object, name, own)` puts what is around a function in its place.
  constructor(asked, replace) {
    this.asked = asked;
    this.put = replace;
    this.known = new WeakMap(); // prototypes of handles: whether they are watched
  }

  // False: it cannot be seen when this one asks.
  watch(handle) {
    const prototype = Object.getPrototypeOf(handle);
    let watched = this.known.get(prototype);
    if (watched === undefined) {
      watched = this.replace(prototype);
      this.known.set(prototype, watched);
    }
    return watched;
  }

  replace(prototype) {
    const own = Object.getOwnPropertyDescriptor(prototype, 'write');
    if (typeof own?.value !== 'function' || !own.configurable || typeof prototype.getAsyncId !== 'function') return false;
    const { asked } = this;
    const { value: original } = own;
    const write = function () {
      try {
        asked(this.getAsyncId());
      } catch {
        // near the end of the stack: this piece is not known
      }
      return Reflect.apply(original, this, arguments);
    };
    this.put(prototype, 'write', disguise(write, original));
    return true;
  }
}

module.exports = { StreamWatch };
