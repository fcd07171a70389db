// SPDX-License-Identifier: GPL-3.0-or-later
// Writes finished chunks of the log to its file, in a thread of its own, or at the end of a process that
// ends before this thread has begun. Files have a greatest size; when the newest is full the oldest
// but one goes.
'use strict';

const fs = require('fs');
const path = require('path');
const { WORD, OP, MORE, PAUSE, TURN, SLOTS, SLOT_BYTES, HEADER_BYTES, RECORD_MOST, cut } = require('./log.js');
const { numbered } = require('./names.js');
const { mark, tell, tryAll } = require('./stopped.js');
const { Lives } = require('./lives.js');

const PART_BYTES = 128 << 20;
const LIVES_MOST = 65536; // connections and the like that a new part begins with, and at most one for so many bytes of a part
const BYTES_OF_LIFE = 128;
const LAST_MOST = 32; // a turn that is not written yet takes less
// What is recorded: requests by HTTP/2; when a compressing stream asks for work.
const HAS_HTTP2 = 1;
const HAS_ASKED = 2;

// Mixes words of four bytes; the same as in the reader.
function checksum(words, count) {
  let sum = 0x7470;
  for (let i = 0; i < count; i++) {
    sum = Math.imul(sum ^ words[i], 0x9e3779b1);
    sum ^= sum >>> 15;
  }
  return sum >>> 0;
}

// All of it: a disk that is nearly full takes a part, and says so with the next.
function writeAll(file, bytes, length) {
  for (let at = 0; at < length;) at += fs.writeSync(file, bytes, at, length - at);
}

// Seven bits a byte, the lowest first, of a whole number.
function varint(value) {
  const bytes = [];
  if (value < 0x80000000) {
    let rest = Number(value);
    for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128);
    return Buffer.from([...bytes, rest]);
  }
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
}

const STACK_MOST = 1000; // bytes

// As many of the first functions as there is room for; of one that is too long its beginning.
function cutStack(stack) {
  let size = 0;
  const kept = stack.split(';').map(cut).filter((one) => (size += one.length + 1) <= STACK_MOST);
  return Buffer.from(kept.join(';'));
}

class Writer {
  // `about.descriptor`, `about.size`: the first part, if it is open.
  constructor(about) {
    this.about = about;
    this.words = new Int32Array(about.shared, 0, WORD.WORDS);
    this.part = 0;
    this.file = about.descriptor ?? -1;
    this.size = about.size ?? 0; // of what is whole
    this.copy = null;
    this.turn = new Float64Array(about.shared, TURN.AT, TURN.COUNT);
    this.lives = new Lives(Math.min(LIVES_MOST, Math.floor(about.partBytes / BYTES_OF_LIFE)));
    this.peeked = ''; // what the unfinished chunk was when it was written last
  }

  name(part) {
    const { folder, process, run, thread } = this.about;
    return path.join(folder, `${numbered(process, run)}${thread === 0 ? '' : `-${thread}`}.${part}.tpn`);
  }

  header() {
    const header = Buffer.alloc(64);
    const text = Buffer.from(this.about.name).subarray(0, 200);
    header.write('TPNODE1\n', 0, 'latin1');
    header.writeUInt32LE(this.about.process, 8);
    header.writeUInt32LE(this.about.thread, 12);
    header.writeUInt32LE(this.part, 16);
    header.writeUInt32LE(text.length, 20);
    header.write(this.about.version.slice(0, 16), 24, 'latin1');
    header.writeUInt32LE(HAS_HTTP2 + HAS_ASKED + (this.about.run << 8), 40);
    header.writeUInt32LE(this.about.systemThread, 44);
    header.writeUInt16LE(this.about.pool, 48);
    header.writeUInt16LE(this.about.underWay, 50);
    return Buffer.concat([header, text, Buffer.alloc(-text.length & 3)]);
  }

  openPart() {
    const file = fs.openSync(this.name(this.part), 'wx', 0o666); // what others left is never written over
    this.file = file;
    this.size = 0;
    const bytes = this.header();
    writeAll(file, bytes, bytes.length);
    this.size = bytes.length;
  }

  // The old part stays open until there is a new one, so that it can say why there is none. The thread that
  // opened the first closes that: it counts what it has opened.
  rotate() {
    const before = this.file;
    const [part, size] = [this.part++, this.size];
    try {
      this.openPart();
    } catch (error) {
      if (this.file !== before) tryAll(() => fs.closeSync(this.file), () => fs.rmSync(this.name(this.part), { force: true }));
      [this.file, this.part, this.size] = [before, part, size];
      throw error;
    }
    Atomics.store(this.words, WORD.PART, this.part);
    this.writeLives();
    if (before !== this.about.descriptor) fs.closeSync(before);
    if (this.part < 2) return;
    fs.rmSync(this.name(this.part - 2), { force: true });
    if (this.part === 2) fs.ftruncateSync(this.about.descriptor);
  }

  // Nothing is written after this but why. A file without its head is none.
  fail(error) {
    tryAll(() => tell(this.about, error));
    if (this.size === 0) tryAll(() => this.file >= 0 && fs.rmSync(this.name(this.part)));
    else tryAll(() => fs.ftruncateSync(this.file, this.size), () => mark(this.file, error));
  }

  // What this thread has opened: the process may go on.
  close() {
    if (this.file !== this.about.descriptor && this.file >= 0) fs.closeSync(this.file);
  }

  buffer() {
    this.copy ??= Buffer.alloc(SLOT_BYTES + 4);
    return this.copy;
  }

  // One chunk of so many bytes behind its header; what follows is padded to words.
  write(sequence, length) {
    const offset = WORD.WORDS * 4 + (sequence % SLOTS) * SLOT_BYTES;
    this.buffer().set(new Uint8Array(this.about.shared, offset, HEADER_BYTES + length));
    this.writeCopy(length);
    this.lives.read(this.copy.subarray(HEADER_BYTES, HEADER_BYTES + length));
  }

  writeCopy(length) {
    const size = (HEADER_BYTES + length + 3) & ~3;
    if (this.size + size > this.about.partBytes && this.size > 65536) this.rotate();
    this.writeChunk(this.copy, length, size);
  }

  writeChunk(copy, length, size) {
    copy.fill(0, HEADER_BYTES + length, size);
    copy.writeUInt32LE(length, 4);
    copy.writeUInt32LE(0, 8);
    copy.writeUInt32LE(checksum(new Int32Array(copy.buffer, copy.byteOffset, size >> 2), size >> 2), 8);
    writeAll(this.file, copy, size);
    this.size += size;
  }

  // How long the loop's thread was looked at, and the functions that it was in, the innermost first, with `;` between; '' if
  // that is not known.
  writeLook(from, to, stack) {
    const text = cutStack(stack);
    const records = [Buffer.from([OP.PAUSE | (PAUSE.LOOK << 3), 0]), varint(to - from)];
    if (text.length > 0) {
      const named = Buffer.from([OP.MORE | (MORE.SAMPLE << 3), 0, 1]);
      records.push(Buffer.from([OP.STRING, 1]), varint(text.length), text, named);
    }
    this.writeAside(from, to, records);
  }

  // From and to the loop had no processor for so long, or it was stopped.
  writeDelay(from, to, waited, throttled, stopped) {
    const head = Buffer.from([OP.MORE | (MORE.DELAY << 3), 0]);
    this.writeAside(from, to, [head, ...[to - from, waited, throttled, stopped].map(varint)]);
  }

  // From and to the process used so much of processors, in ns; and then its memory, in KiB.
  writeUse(from, to, processor, memory) {
    const head = Buffer.from([OP.MORE | (MORE.USE << 3), 0]);
    this.writeAside(from, to, [head, ...[to - from, processor, memory].map(varint)]);
  }

  // Records of this thread's own, which are no part of the sequence; times in them begin with `from`.
  writeAside(from, to, list) {
    const records = Buffer.concat(list);
    this.setAside(this.buffer(), from, to, records);
    this.writeCopy(records.length);
  }

  setAside(copy, from, to, records) {
    copy.fill(0, 0, HEADER_BYTES);
    copy.write('TPNS', 0, 'latin1');
    copy.writeBigUInt64LE(from, 16);
    copy.writeBigUInt64LE(to, 40);
    copy.set(records, HEADER_BYTES);
  }

  // What lives, in a chunk of its own or several, at the begin of a part. What is to be written there is in `copy`.
  writeLives() {
    const now = process.hrtime.bigint();
    const copy = Buffer.alloc(SLOT_BYTES + 4);
    const texts = new Map();
    let list = [];
    let length = 0;
    let before = 0;
    const end = () => {
      if (length === 0) return;
      this.setAside(copy, now, now, Buffer.concat(list));
      this.writeChunk(copy, length, (HEADER_BYTES + length + 3) & ~3);
      texts.clear();
      [list, length, before] = [[], 0, 0];
    };
    const add = (...parts) => parts.forEach((part) => {
      list.push(part);
      length += part.length;
    });
    for (const [id, type] of this.lives.list()) {
      if (length + RECORD_MOST > SLOT_BYTES - HEADER_BYTES) end();
      if (!texts.has(type)) {
        const bytes = Buffer.from(type, 'latin1');
        texts.set(type, texts.size + 1);
        add(Buffer.from([OP.STRING]), varint(texts.size), varint(bytes.length), bytes);
      }
      add(Buffer.from([OP.MORE | (MORE.TYPED << 3)]), varint(2 * (id - before)), varint(texts.get(type)));
      before = id;
    }
    end();
  }

  // The turn that the loop has ended and not written: it does so when the next begins.
  lastTurn(base) {
    const [begin, end, id] = this.turn;
    if (!(id > 0) || this.words[WORD.BUSY] !== 0) return Buffer.alloc(0);
    const since = this.about.originNs + BigInt(begin) - base;
    const head = Buffer.from([OP.MORE | (MORE.LAST << 3)]);
    return Buffer.concat([head, varint(2 * id), varint(since < 0n ? -2n * since - 1n : 2n * since), varint(Math.max(end - begin, 0))]);
  }

  // The unfinished chunk, if anything is new in it, and the turn before the loop rested. It will be written again. What is
  // below `used` is whole. While the loop goes on it is left for the next time.
  peek() {
    const { words } = this;
    const state = () => [WORD.USED, WORD.TURN, WORD.BUSY, WORD.PUBLISHED].map((word) => Atomics.load(words, word));
    const before = state();
    const [used, , , published] = before;
    if (Atomics.load(words, WORD.WRITTEN) !== published || used <= HEADER_BYTES || used + LAST_MOST > SLOT_BYTES) return;
    if (before.join() === this.peeked) return;
    const offset = WORD.WORDS * 4 + (published % SLOTS) * SLOT_BYTES;
    const header = new DataView(this.about.shared, offset, HEADER_BYTES);
    if (header.getUint32(12, true) !== published) return;
    const copy = this.buffer();
    copy.set(new Uint8Array(this.about.shared, offset, used));
    const last = this.lastTurn(header.getBigUint64(16, true));
    copy.set(last, used);
    if (state().join() !== before.join()) return;
    copy.writeBigUInt64LE(process.hrtime.bigint(), 40);
    this.writeCopy(used - HEADER_BYTES + last.length);
    this.peeked = before.join();
  }

  // All chunks that were handed over. False: there was none.
  drain() {
    for (let some = false; ; some = true) {
      const written = Atomics.load(this.words, WORD.WRITTEN);
      if (written === Atomics.load(this.words, WORD.PUBLISHED)) return some;
      const offset = WORD.WORDS * 4 + (written % SLOTS) * SLOT_BYTES;
      this.write(written, new DataView(this.about.shared, offset).getUint32(4, true));
      Atomics.store(this.words, WORD.WRITTEN, written + 1);
    }
  }
}

module.exports = { Writer, PART_BYTES };
