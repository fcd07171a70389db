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
