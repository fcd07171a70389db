// SPDX-License-Identifier: GPL-3.0-or-later
// Writes finished chunks of the log to its file, in a thread of its own, or at the end of a process that
// ends before this thread has begun. Files have a greatest size; when the newest is full the oldest
// but one goes.
'use strict';

const fs = require('fs');
const path = require('path');
const { WORD, OP, MORE, PAUSE, SLOTS, SLOT_BYTES, HEADER_BYTES, cut } = require('./log.js');
const { mark, tell, tryAll } = require('./stopped.js');

const PART_BYTES = 128 << 20;
const HAS_HTTP2 = 1; // requests by HTTP/2 are recorded

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

// Seven bits a byte, the lowest first.
function varint(value) {
  const bytes = [];
  for (let rest = BigInt(value); ; rest >>= 7n) {
    if (rest < 128n) return Buffer.from([...bytes, Number(rest)]);
    bytes.push(Number(rest & 127n) | 128);
  }
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
    this.lastUsed = 0;
    this.snapshot = 0;
  }

  name(part) {
    return path.join(this.about.folder, `${this.about.file}.${part}.tpn`);
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
    header.writeUInt32LE(HAS_HTTP2, 40);
    header.writeUInt32LE(this.about.systemThread, 44);
    header.writeUInt32LE(this.about.pool, 48);
    return Buffer.concat([header, text, Buffer.alloc(-text.length & 3)]);
  }

  openPart() {
    const file = fs.openSync(this.name(this.part), 'w', 0o666);
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

  buffer() {
    this.copy ??= Buffer.alloc(SLOT_BYTES + 4);
    return this.copy;
  }

  // One chunk of so many bytes behind its header; what follows is padded to words.
  write(sequence, length) {
    const offset = WORD.WORDS * 4 + (sequence % SLOTS) * SLOT_BYTES;
    this.buffer().set(new Uint8Array(this.about.shared, offset, HEADER_BYTES + length));
    this.writeCopy(length);
  }

  writeCopy(length) {
    const copy = this.copy;
    const size = (HEADER_BYTES + length + 3) & ~3;
    if (this.size + size > this.about.partBytes && this.size > 65536) this.rotate();
    copy.fill(0, HEADER_BYTES + length, size);
    copy.writeUInt32LE(length, 4);
    copy.writeUInt32LE(0, 8);
    copy.writeUInt32LE(checksum(new Int32Array(copy.buffer, copy.byteOffset, size >> 2), size >> 2), 8);
    writeAll(this.file, copy, size);
    this.size += size;
  }

  // How long the loop's thread was looked at, and the function that it was in; '' if that is not known.
  writeLook(from, to, place) {
    const text = cut(place);
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

  // Records of this thread's own, which are no part of the sequence; times in them begin with `from`.
  writeAside(from, to, list) {
    const records = Buffer.concat(list);
    const copy = this.buffer();
    copy.fill(0, 0, HEADER_BYTES);
    copy.write('TPNS', 0, 'latin1');
    copy.writeBigUInt64LE(from, 16);
    copy.writeBigUInt64LE(to, 40);
    copy.set(records, HEADER_BYTES);
    this.writeCopy(records.length);
  }

  // The unfinished chunk, if nothing was added to it since the last look. It will be written again.
  peek() {
    const used = Atomics.load(this.words, WORD.USED);
    const written = Atomics.load(this.words, WORD.WRITTEN);
    const open = written === Atomics.load(this.words, WORD.PUBLISHED);
    if (open && used > HEADER_BYTES && used === this.lastUsed && used !== this.snapshot) {
      const offset = WORD.WORDS * 4 + (written % SLOTS) * SLOT_BYTES;
      const header = new DataView(this.about.shared, offset, HEADER_BYTES);
      if (header.getUint32(12, true) === written) {
        const copy = this.buffer();
        copy.set(new Uint8Array(this.about.shared, offset, used));
        copy.writeBigUInt64LE(process.hrtime.bigint(), 40);
        this.writeCopy(used - HEADER_BYTES);
        this.snapshot = used;
      }
    }
    this.lastUsed = used;
  }

  // All chunks that were handed over.
  drain() {
    for (;;) {
      const written = Atomics.load(this.words, WORD.WRITTEN);
      if (written === Atomics.load(this.words, WORD.PUBLISHED)) return;
      const offset = WORD.WORDS * 4 + (written % SLOTS) * SLOT_BYTES;
      this.write(written, new DataView(this.about.shared, offset).getUint32(4, true));
      Atomics.store(this.words, WORD.WRITTEN, written + 1);
      this.snapshot = 0;
    }
  }
}

module.exports = { Writer, PART_BYTES };
