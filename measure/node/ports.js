// SPDX-License-Identifier: GPL-3.0-or-later
// Which messages come by which port: of a worker thread, with its number and where it was made, or of a channel, with where
// that was made.
'use strict';

const { ownCaller } = require('./caller.js');

const PORTS = 256; // of more nobody is asked where they were made

class Ports {
  // `tell(id, what)` of a port that is known only when its worker is made.
  constructor(tell) {
    this.tell = tell;
    this.asked = 0;
    this.made = undefined; // ids of ports of the worker that is being made
  }

  // The type of a new port.
  typeOf(id) {
    this.made?.push(id);
    if (this.made !== undefined || this.asked >= PORTS) return 'MESSAGEPORT';
    this.asked++;
    const place = ownCaller();
    return place === undefined ? 'MESSAGEPORT' : `MESSAGEPORT ${place}`;
  }

  // `make()` makes a worker.
  around(make) {
    const before = this.made;
    const ids = (this.made = []);
    let worker;
    try {
      worker = make();
    } finally {
      this.made = before;
    }
    try {
      const place = ownCaller();
      for (const id of ids) this.tell(id, `worker ${worker.threadId}${place === undefined ? '' : ` (${place})`}`);
    } catch {
      // near the end of the stack: it is a message of somebody
    }
    return worker;
  }
}

module.exports = { Ports };
