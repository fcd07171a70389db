// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks run before the loop goes on, and belong to their turn. So nobody needs to be told when each
// of them begins and ends, and Node.js tells nobody while its counts say that no hook wants it. The
// last tick sets them right. This is done while only our hooks are counted, and until something is
// registered whose callbacks may run within a tick.
//
// That a tick is registered costs more than to note it, as Node.js looks up what its hooks may see of
// it. So ticks go through a function of ours, which has Node.js tell nobody. What Node.js registers
// otherwise comes by the hook.
'use strict';

const { AsyncResource } = require('async_hooks');

// The loop itself calls back what is of these types.
const OF_THE_LOOP = new Set(`
  Timeout Immediate TCPWRAP TCPSERVERWRAP TCPCONNECTWRAP PIPEWRAP PIPESERVERWRAP PIPECONNECTWRAP
  WRITEWRAP SHUTDOWNWRAP HTTPINCOMINGMESSAGE HTTPCLIENTREQUEST FSREQCALLBACK FSREQPROMISE FILEHANDLE
  FILEHANDLECLOSEREQ GETADDRINFOREQWRAP GETNAMEINFOREQWRAP DNSCHANNEL QUERYWRAP ZLIB RANDOMBYTESREQUEST
  PROCESSWRAP SIGNALWRAP TTYWRAP FSEVENTWRAP STATWATCHER WORKER MESSAGEPORT RECORDER
`.trim().split(/\s+/));

class Mute {
  constructor() {
    this.counts = null; // of hooks, in Node.js
    this.hooked = false; // one of them is ours
    this.scoped = false; // what an AsyncResource runs is told also while ticks are muted
    this.schedule = () => false; // registers a tick of the recorder's, where nobody is told of that
    this.alone = () => true; // no hook of others is told of ticks, as far as is known
    this.before = this.after = 0; // where in them
    this.muted = false;
    this.newest = null; // tick that was registered
    this.newestId = 0;
    this.ranId = 0; // of the newest tick that has begun: they run in the order of their ids
    this.last = null; // the tick that is the last as far as is known
    this.callback = null; // its own
    this.waiting = 0; // ticks of ours that have not begun
    this.followed = false; // a tick that the hook told of, and which has not run, ends with `run`
    const self = this;
    this.run = function (a, b, c) {
      const { callback } = self;
      try {
        if (arguments.length === 1) callback(a);
        else if (arguments.length === 2) callback(a, b);
        else if (arguments.length === 3) callback(a, b, c);
        else callback(...arguments);
      } finally {
        if (self.newest === self.last) self.followed = false;
        else self.follow();
        if (self.waiting === 0 && !self.followed) self.end();
      }
    };
  }

  use(counts, { kBefore, kAfter }) {
    if (typeof kBefore !== 'number' || typeof kAfter !== 'number') return;
    this.counts = counts;
    this.before = kBefore;
    this.after = kAfter;
  }

  // Where ticks are registered; `noted(id)` is told of each. `replace(object, name, own)` puts a function in its place.
  watchTicks(ids, { kInit, kAsyncIdCounter }, noted, replace) {
    if (this.counts === null || typeof kInit !== 'number' || !(ids?.[kAsyncIdCounter] > 0)) return;
    const self = this;
    const original = process.nextTick;
    const { counts } = this;
    this.alone = () => counts[kInit] === 1;
    function tick(callback, a, b, c) {
      self.waiting--;
      try {
        if (arguments.length === 1) callback();
        else if (arguments.length === 2) callback(a);
        else if (arguments.length === 3) callback(a, b);
        else if (arguments.length === 4) callback(a, b, c);
        else callback(...Array.prototype.slice.call(arguments, 1));
      } finally {
        if (self.waiting === 0 && !self.followed) self.end();
      }
    }
    // A tick of ours; false: none was registered, as the process ends.
    const note = (before) => {
      const id = ids[kAsyncIdCounter];
      if (id === before) return false;
      self.waiting++;
      try {
        noted(id);
      } catch {
        // the tick is registered, whatever is known of it
      }
      return true;
    };
    function nextTick(callback, a, b, c) {
      const alone = self.hooked && self.counts !== null && counts[kInit] === 1; // no other hook asks for ticks
      if (!alone || typeof callback !== 'function') return Reflect.apply(original, process, arguments);
      const before = ids[kAsyncIdCounter];
      counts[kInit] = 0;
      try {
        if (arguments.length === 1) original(tick, callback);
        else if (arguments.length === 2) original(tick, callback, a);
        else if (arguments.length === 3) original(tick, callback, a, b);
        else if (arguments.length === 4) original(tick, callback, a, b, c);
        else original(tick, ...arguments);
      } finally { // it throws where the stack ends
        counts[kInit] = 1;
      }
      note(before);
      return undefined;
    }
    Object.defineProperty(nextTick, 'length', { value: original.length });
    replace(process, 'nextTick', nextTick);
    this.schedule = (callback) => {
      const told = self.muted ? 0 : 1;
      const inits = counts[kInit]; // hooks of others that want to know only what is registered need not know of this
      if (!self.hooked || self.counts === null || inits < 1 || counts[self.before] !== told || counts[self.after] !== told) return false;
      const before = ids[kAsyncIdCounter];
      counts[kInit] = 0;
      try {
        original(tick, callback);
      } finally {
        counts[kInit] = inits;
      }
      return note(before);
    };
  }

  // Something other than a tick was registered.
  see(type, resource) {
    if (this.counts === null || OF_THE_LOOP.has(type)) return;
    if (this.scoped && resource instanceof AsyncResource) return;
    this.end();
    this.counts = null;
  }

  registered(id, tick) {
    this.newest = tick;
    this.newestId = id;
    if (this.muted && !this.followed) this.follow();
  }

  // True while a tick has not begun.
  waits() {
    return this.waiting > 0 || this.newestId > this.ranId;
  }

  // Until the last tick has run.
  begin() {
    const { counts } = this;
    if (counts === null || counts[this.before] !== 1 || counts[this.after] !== 1) return;
    this.muted = true;
    counts[this.before]--;
    counts[this.after]--;
    this.followed = false;
    if (this.newestId > this.ranId) this.follow();
  }

  // Until the last of those that wait.
  beginIfSomeWait() {
    if (this.waits() && !this.muted) this.begin();
  }

  follow() {
    this.followed = true;
    this.last = this.newest;
    this.callback = this.last.callback;
    this.last.callback = this.run;
  }

  end() {
    if (!this.muted) return;
    this.muted = false;
    this.counts[this.before]++;
    this.counts[this.after]++;
    this.ranId = this.newestId;
  }
}

module.exports = { Mute };
