// SPDX-License-Identifier: GPL-3.0-or-later
// How much of processors and memory the process uses, now and then: told by the system to the thread beside the loop, so that
// the loop is not asked.
'use strict';

const EVERY_NS = 500000000n;

class Use {
  constructor(writer) {
    this.writer = writer;
    this.since = process.hrtime.bigint();
    this.before = process.cpuUsage();
  }

  look() {
    const now = process.hrtime.bigint();
    if (now - this.since < EVERY_NS) return;
    const used = process.cpuUsage(this.before);
    this.writer.writeUse(this.since, now, (used.user + used.system) * 1000, Math.round(process.memoryUsage.rss() / 1024));
    this.since = now;
    this.before = process.cpuUsage();
  }
}

module.exports = { Use };
