// SPDX-License-Identifier: GPL-3.0-or-later
// What a loop has that is called back again and again: connections, ports, timers of an interval. A part of the log that
// goes takes along what they are, so each new part begins with that. The thread that writes reads it from what it writes; of
// what is closed nobody tells, so what was called back last counts.
'use strict';

const { OP, MORE, PAUSE } = require('./log.js');

const TIMERS = 4096; // of which it is not known whether they are intervals
const LIVING = /^(?:TCP|PIPE|TLS|TTY|UDP|HTTP|JSSTREAM|MESSAGEPORT|WORKER|PROCESSWRAP|SIGNALWRAP|FSEVENTWRAP|STATWATCHER|ZLIB|DNSCHANNEL|RECORDER|FILEHANDLE$)/;
const ONCE = /^(?:TCP|PIPE)CONNECTWRAP/;

// Numbers behind the head of a record, by operation and by what else there is: a is added to the id, s another signed one.
const SHAPES = { [OP.RUN]: 'asv', [OP.REQUEST]: 'ssv', [OP.RESPONSE]: 'ssv' };
const MORE_SHAPES = {
  [MORE.PROMISE]: 'svv', [MORE.ABORT]: 's', [MORE.UPGRADE]: 'sv', [MORE.TYPED]: 'av', [MORE.SAMPLE]: 'sv', [MORE.ROUTE]: 'sv',
  [MORE.PEER]: 'av', [MORE.DELAY]: 'svvvv', [MORE.USE]: 'svvv', [MORE.ASKED]: 'as', [MORE.GRANT]: 'svvv', [MORE.UNKNOWN]: 'v',
};

class Lives {
  constructor(most) {
    this.most = most;
    this.types = new Map(); // id to type, what was called back last at the end
    this.timers = new Map(); // id to how often it was called back
    this.living = new Map(); // type to whether it is called again
  }

  isLiving(type) {
    let is = this.living.get(type);
    if (is === undefined) {
      is = LIVING.test(type) && !ONCE.test(type);
      if (this.living.size >= 4096) this.living.clear();
      this.living.set(type, is);
    }
    return is;
  }

  keep(map, id, value, most) {
    map.delete(id);
    map.set(id, value);
    if (map.size > most) map.delete(map.keys().next().value);
  }

  ran(id) {
    const type = this.types.get(id);
    if (type !== undefined) {
      this.keep(this.types, id, type, this.most);
      return;
    }
    const runs = this.timers.get(id);
    if (runs === undefined) return;
    if (runs === 0) {
      this.timers.set(id, 1);
      return;
    }
    this.timers.delete(id);
    this.keep(this.types, id, 'Timeout', this.most);
  }

  // Records of a chunk.
  read(bytes) {
    const texts = new Map();
    let at = 0;
    let id = 0;
    const number = () => {
      let value = 0;
      for (let scale = 1; at < bytes.length; scale *= 128) {
        const byte = bytes[at++];
        value += (byte & 127) * scale;
        if (byte < 128) break;
      }
      return value;
    };
    const signed = () => {
      const value = number();
      return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
    };
    // The last of the numbers.
    const skip = (shape) => {
      let last = 0;
      for (const kind of shape) {
        if (kind === 'a') id += signed();
        else last = number();
      }
      return last;
    };
    while (at < bytes.length) {
      const head = bytes[at++];
      const [op, code] = [head & 7, head >> 3];
      if (op === OP.STRING) {
        const which = number();
        const length = number();
        texts.set(which, bytes.latin1Slice(at, at + length));
        at += length;
      } else if (op === OP.INIT || op === OP.TIMER) {
        const type = texts.get(code === 31 ? number() : code) ?? '';
        skip(op === OP.INIT ? 'as' : 'asv');
        if (op === OP.TIMER) this.keep(this.timers, id, 0, TIMERS);
        else if (this.isLiving(type)) this.keep(this.types, id, type, this.most);
      } else if (op === OP.PAUSE) {
        skip(code === PAUSE.COMPILATION ? 'svv' : 'sv');
      } else if (op !== OP.MORE) {
        skip(SHAPES[op]);
        if (op === OP.RUN) this.ran(id);
      } else {
        const shape = MORE_SHAPES[code];
        if (shape === undefined) return;
        const last = skip(shape);
        if (code === MORE.TYPED) this.keep(this.types, id, texts.get(last) ?? '', this.most);
        else if (code === MORE.PEER && this.types.has(id)) this.types.set(id, `${this.types.get(id)} ${texts.get(last) ?? ''}`);
      }
    }
  }
}

module.exports = { Lives };
