// SPDX-License-Identifier: GPL-3.0-or-later
// What a loop has that is called back again and again: connections, ports, timers of an interval. A part of the log that
// goes takes along what they are, so each new part begins with that. The thread that writes reads it from what it writes; of
// what is closed nobody tells, so what was called back last counts. All records pass here: it is written to be quick.
'use strict';

const { OP, MORE, PAUSE } = require('./log.js');

const TIMERS = 16384; // places of those of which it is not known whether they are intervals
const LIVING = /^(?:TCP|PIPE|TLS|TTY|UDP|HTTP|JSSTREAM|MESSAGEPORT|WORKER|PROCESSWRAP|SIGNALWRAP|FSEVENTWRAP|STATWATCHER|ZLIB|DNSCHANNEL|RECORDER|FILEHANDLE$)/;
const ONCE = /^(?:TCP|PIPE)CONNECTWRAP/;

// Numbers behind the head of a record, where nothing in them is looked at.
const REQUEST_NUMBERS = 3; // and of an answer
const MORE_NUMBERS = {
  [MORE.PROMISE]: 3, [MORE.ABORT]: 1, [MORE.UPGRADE]: 2, [MORE.SAMPLE]: 2, [MORE.ROUTE]: 2, [MORE.DELAY]: 5, [MORE.USE]: 4, [MORE.GRANT]: 4, [MORE.UNKNOWN]: 1,
};

// What was put or found last, at least so many. Those that nobody asked for while as many others came are forgotten.
class Newest {
  constructor(most) {
    this.most = most;
    this.young = new Map();
    this.old = new Map();
  }

  set(key, value) {
    if (this.old.size > 0) this.old.delete(key);
    this.young.set(key, value);
    if (this.young.size >= this.most) [this.young, this.old] = [new Map(), this.young];
  }

  get(key) {
    const value = this.young.get(key);
    if (value !== undefined || this.old.size === 0) return value;
    const before = this.old.get(key);
    if (before !== undefined) this.set(key, before);
    return before;
  }

  // At most so many.
  list() {
    return [...this.young, ...[...this.old].slice(this.young.size - this.most)];
  }
}

class Lives {
  constructor(most) {
    this.types = new Newest(most); // id to type
    this.timers = new Float64Array(TIMERS); // ids, each at its place: a later one of the same place takes it
    this.runs = new Uint8Array(TIMERS); // how often each was called back
    this.living = new Map(); // type to whether it is called again
    this.bytes = null;
    this.at = 0;
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

  // By id, in the order of ids.
  list() {
    return this.types.list().sort(([a], [b]) => a - b);
  }

  timed(id) {
    const place = id & (TIMERS - 1);
    this.timers[place] = id;
    this.runs[place] = 0;
  }

  ran(id) {
    const place = id & (TIMERS - 1);
    if (this.timers[place] !== id) {
      this.types.get(id); // it counts as called back
    } else if (++this.runs[place] === 2) {
      this.timers[place] = 0;
      this.types.set(id, 'Timeout');
    }
  }

  number() {
    const { bytes } = this;
    let byte = bytes[this.at++];
    let value = byte & 127;
    for (let scale = 128; byte >= 128 && this.at < bytes.length; scale *= 128) {
      byte = bytes[this.at++];
      value += (byte & 127) * scale;
    }
    return value;
  }

  signed() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  skip(numbers) {
    const { bytes } = this;
    let { at } = this;
    for (let left = numbers; left > 0 && at < bytes.length;) if (bytes[at++] < 128) left--;
    this.at = at;
  }

  // Records of a chunk.
  read(bytes) {
    const texts = []; // and whether what is called so is living
    const living = [];
    this.bytes = bytes;
    this.at = 0;
    for (let id = 0; this.at < bytes.length;) {
      const head = bytes[this.at++];
      const op = head & 7;
      const code = head >> 3;
      if (op === OP.RUN) {
        id += this.signed();
        this.skip(2);
        this.ran(id);
      } else if (op === OP.INIT || op === OP.TIMER) {
        const which = code === 31 ? this.number() : code;
        id += this.signed();
        this.skip(op === OP.INIT ? 1 : 2);
        if (op === OP.TIMER) this.timed(id);
        else if (living[which]) this.types.set(id, texts[which]);
      } else if (op === OP.STRING) {
        const which = this.number();
        const length = this.number();
        texts[which] = bytes.latin1Slice(this.at, this.at + length);
        living[which] = this.isLiving(texts[which]);
        this.at += length;
      } else if (op === OP.PAUSE) {
        this.skip(code === PAUSE.COMPILATION ? 3 : 2);
      } else if (op !== OP.MORE) {
        this.skip(REQUEST_NUMBERS);
      } else if (code === MORE.TYPED || code === MORE.PEER || code === MORE.ASKED) {
        id += this.signed();
        this.name(code, id, this.number(), texts);
      } else if (MORE_NUMBERS[code] !== undefined) {
        this.skip(MORE_NUMBERS[code]);
      } else {
        return;
      }
    }
  }

  // A type that is told of an id, or where it goes to.
  name(code, id, last, texts) {
    if (code === MORE.TYPED) this.types.set(id, texts[last] ?? '');
    if (code !== MORE.PEER) return;
    const type = this.types.get(id);
    if (type !== undefined) this.types.set(id, `${type} ${texts[last] ?? ''}`);
  }
}

module.exports = { Lives };
