// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks run before the loop goes on, and belong to their turn. So nobody needs to be told when each
// of them begins and ends, and Node.js tells nobody while its counts say that no hook wants it. The
// last tick sets them right. This is done while only our hooks are counted, and until something is
// registered whose callbacks may run within a tick.
'use strict';

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
    this.before = this.after = 0; // where in them
    this.muted = false;
    this.newest = null; // tick that was registered
    this.newestId = 0;
    this.ranId = 0; // of the newest tick that has begun: they run in the order of their ids
    this.last = null; // the tick that is the last as far as is known
    this.callback = null; // its own
    const self = this;
    this.run = function (a, b, c) {
      const { callback } = self;
      try {
        if (arguments.length === 1) callback(a);
        else if (arguments.length === 2) callback(a, b);
        else if (arguments.length === 3) callback(a, b, c);
        else callback(...arguments);
      } finally {
        if (self.newest === self.last) self.end();
        else self.follow();
      }
    };
  }

  use(counts, { kBefore, kAfter }) {
    if (typeof kBefore !== 'number' || typeof kAfter !== 'number') return;
    this.counts = counts;
    this.before = kBefore;
    this.after = kAfter;
  }

  // Something other than a tick was registered.
  see(type) {
    if (this.counts === null || OF_THE_LOOP.has(type)) return;
    this.end();
    this.counts = null;
  }

  registered(id, tick) {
    this.newest = tick;
    this.newestId = id;
  }

  // True while a tick has not begun.
  waits() {
    return this.newestId > this.ranId;
  }

  // Until the last tick has run.
  begin() {
    const { counts } = this;
    if (counts === null || counts[this.before] !== 1 || counts[this.after] !== 1) return;
    this.muted = true;
    counts[this.before]--;
    counts[this.after]--;
    this.follow();
  }

  follow() {
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
