// SPDX-License-Identifier: GPL-3.0-or-later
// Bytes of the log: records of variable length in chunks that each stand alone. Chunks lie in
// shared memory; a thread of its own writes them, so that a slow disk never holds the loop. The
// format is described in docs/node.md.
'use strict';

const SLOTS = 16;
const SLOT_BYTES = 65536;
const HEADER_BYTES = 64;
const RECORD_MOST = 512; // a record takes less
const FILL_MS = 50; // a chunk older than this is handed over although it is not full, to a writer that has all before it

const OP = { STRING: 0, INIT: 1, TIMER: 2, RUN: 3, REQUEST: 4, RESPONSE: 5, PAUSE: 6, MORE: 7 };
const MORE = {
  PROMISE: 0, ABORT: 1, UPGRADE: 2, TYPED: 3, SAMPLE: 4, ROUTE: 5, PEER: 6, DELAY: 7, LAST: 8, USE: 9, ASKED: 10, GRANT: 11, UNKNOWN: 12,
};
// Beside the collections, which have 0 to 3.
const PAUSE = { COMPILATION: 4, LOOK: 5 };
// Words at the front of the shared memory.
const WORD = { PUBLISHED: 0, WRITTEN: 1, USED: 2, STOP: 3, TURN: 4, BUSY: 5, STATE: 6, THREAD: 7, PART: 8, WORDS: 32 };
// Behind them, as numbers of 8 bytes: the turn that is not written yet, in ns, and its id; 0: none.
const TURN = { AT: 64, BEGIN: 0, END: 1, ID: 2, COUNT: 3 };
// Of the thread that writes. Who changes NONE has the file.
const STATE = { NONE: 0, RUNS: 1, DONE: 2, FAILED: 3 };

class Log {
  // `clock` gives ms, `originNs` is what CLOCK_MONOTONIC said when it was 0.
  constructor(clock, originNs) {
    this.clock = clock;
    this.originNs = originNs;
    this.shared = new SharedArrayBuffer(WORD.WORDS * 4 + SLOTS * SLOT_BYTES);
    this.words = new Int32Array(this.shared, 0, WORD.WORDS);
    this.sequence = 0;
    this.records = 0;
    this.dropped = 0;
    this.lastTime = 0; // ns since the origin of the clock
    this.lastId = 0;
    this.lastRequest = 0;
    this.strings = new Map(); // text to {number, sequence in which it was written last}
    this.full = false; // no slot was free: records are dropped
    this.torn = false; // a record failed before it was done
    this.bytes = null;
    this.at = 0;
    this.openedMs = 0;
    this.open(clock());
  }

  open(ms) {
    const offset = WORD.WORDS * 4 + (this.sequence % SLOTS) * SLOT_BYTES;
    this.bytes = new Uint8Array(this.shared, offset, SLOT_BYTES);
    this.header = new DataView(this.shared, offset, HEADER_BYTES);
    this.at = HEADER_BYTES;
    this.openedMs = ms;
    this.lastTime = Math.round(ms * 1e6);
    this.lastId = 0;
    this.lastRequest = 0;
    const header = this.header;
    header.setUint32(0, 0x434e5054, true); // "TPNC"
    header.setUint32(12, this.sequence, true);
    header.setBigUint64(16, this.originNs + BigInt(this.lastTime), true);
    header.setBigUint64(24, BigInt(this.records), true);
    header.setBigUint64(32, BigInt(this.dropped), true);
    header.setUint32(48, 0, true);
    this.words[WORD.USED] = this.at;
  }

  // Whether the chunk is to go to the writer although it is not full. One that waits for a processor or a disk would not have it
  // earlier, and soon all slots would be taken by chunks that are nearly empty.
  due(ms) {
    return ms - this.openedMs > FILL_MS && this.sequence === Atomics.load(this.words, WORD.WRITTEN);
  }

  // The chunk goes to the writer. Without a free slot for the next, the records to come are counted
  // and left out; also where this fails in the middle, as it may near the end of the stack.
  publish(ms) {
    this.full = true;
    if (this.torn) this.mend();
    if (this.at > HEADER_BYTES) {
      this.header.setBigUint64(40, this.originNs + BigInt(Math.round(ms * 1e6)), true);
      this.header.setUint32(4, this.at - HEADER_BYTES, true);
      this.sequence++;
      this.at = HEADER_BYTES;
      Atomics.store(this.words, WORD.PUBLISHED, this.sequence);
    }
    if (this.sequence - Atomics.load(this.words, WORD.WRITTEN) >= SLOTS - 1) return;
    this.open(ms);
    this.full = false;
  }

  // False if the record must be dropped.
  room(ms) {
    if (!this.full && !this.torn && this.at + RECORD_MOST <= SLOT_BYTES) return true;
    this.publish(ms);
    if (this.full) this.dropped++;
    return !this.full;
  }

  // What a record that failed has begun with is taken back. It is one that is missing, and what
  // later ones are differences to may not be written.
  mend() {
    if (this.at > HEADER_BYTES) this.at = this.words[WORD.USED];
    this.strings.clear();
    this.dropped++;
    this.torn = false;
  }

  // Nothing that fails here may reach the application, whose objects the recorder is given, and whose stack may be at its
  // end: a record is left out then, and counted.
  guarded(work) {
    const log = this;
    return function (a, b, c) {
      try {
        return work.call(this, a, b, c);
      } catch {
        log.torn = true;
      }
    };
  }

  done() {
    this.records++;
    this.words[WORD.USED] = this.at;
  }

  varint(value) {
    const bytes = this.bytes;
    let at = this.at;
    if (value < 128) {
      bytes[at] = value;
      this.at = at + 1;
      return;
    }
    while (value >= 0x10000000) {
      bytes[at++] = (value % 128) | 128;
      value = Math.floor(value / 128);
    }
    let rest = value | 0;
    while (rest >= 128) {
      bytes[at++] = (rest & 127) | 128;
      rest >>= 7;
    }
    bytes[at++] = rest;
    this.at = at;
  }

  signed(value) {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  head(op, code) {
    this.bytes[this.at++] = op | (code << 3);
  }

  id(id) {
    this.signed(id - this.lastId);
    this.lastId = id;
  }

  time(ns) {
    this.signed(ns - this.lastTime);
    this.lastTime = ns;
  }

  // The number of a text, which is written into each chunk that mentions it. The caller has asked
  // for room. Cuts texts that are too long.
  string(text) {
    let known = this.strings.get(text);
    if (known === undefined) {
      if (this.strings.size >= 4096) this.strings.clear();
      known = { number: 1 + this.strings.size, sequence: -1, bytes: cut(text) };
      this.strings.set(text, known);
    }
    if (known.sequence !== this.sequence) {
      known.sequence = this.sequence;
      this.head(OP.STRING, 0);
      this.varint(known.number);
      this.varint(known.bytes.length);
      this.bytes.set(known.bytes, this.at);
      this.at += known.bytes.length;
    }
    return known.number;
  }
}

// Texts that are longer are cut.
function cut(text) {
  return Buffer.from(text).subarray(0, 250);
}

module.exports = { Log, cut, OP, MORE, PAUSE, WORD, TURN, STATE, SLOTS, SLOT_BYTES, HEADER_BYTES, RECORD_MOST };
