// SPDX-License-Identifier: GPL-3.0-or-later
// A file of the system's that is read again and again.
'use strict';

const fs = require('fs');

class Watched {
  constructor(path) {
    this.bytes = Buffer.alloc(4096);
    this.file = fs.openSync(path, 'r');
  }

  // Where it is not there any more, undefined.
  read() {
    try {
      return this.bytes.latin1Slice(0, fs.readSync(this.file, this.bytes, 0, this.bytes.length, 0));
    } catch {
      return undefined;
    }
  }

  // The two numbers that it begins with, each below 2^53, or undefined. Without a text in between: it is read each 10 ms.
  pair() {
    const { bytes } = this;
    try {
      const length = fs.readSync(this.file, bytes, 0, bytes.length, 0);
      const values = [0, 0];
      let at = 0;
      for (let i = 0; i < 2; i++, at++) {
        const begin = at;
        for (; at < length && bytes[at] >= 48 && bytes[at] <= 57; at++) values[i] = values[i] * 10 + bytes[at] - 48;
        if (at === begin) return undefined;
      }
      return values;
    } catch {
      return undefined;
    }
  }

  close() {
    fs.closeSync(this.file);
  }
}

// undefined: not on this system.
function open(path) {
  try {
    return new Watched(path);
  } catch {
    return undefined;
  }
}

module.exports = { open };
