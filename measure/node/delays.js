// SPDX-License-Identifier: GPL-3.0-or-later
// When the loop has no processor: how long its thread waited to run, from the system's statistics, and of that how long
// because the control group had used up its quota; how long the process was stopped. Looked at by the thread that writes,
// each time that it looks at the log.
'use strict';

const fs = require('fs');

const LEAST_NS = 500000n; // what is less in one look is not told
const STOPPED_NS = 20000000n; // this thread waited so much longer than it asked for, and for no processor

const now = () => process.hrtime.bigint();

// A file of the system's that is read again and again; where it is not there any more, undefined.
class Watched {
  constructor(path) {
    this.bytes = Buffer.alloc(1024);
    this.file = fs.openSync(path, 'r');
  }

  read() {
    try {
      return this.bytes.latin1Slice(0, fs.readSync(this.file, this.bytes, 0, this.bytes.length, 0));
    } catch {
      return undefined;
    }
  }
}

const open = (path) => {
  try {
    return new Watched(path);
  } catch {
    return undefined; // not on this system
  }
};

// Ran, and waited to run, ns.
function times(watched) {
  const [, ran, waited] = /^(\d+) (\d+) \d+\s*$/.exec(watched?.read() ?? '') ?? [];
  return waited === undefined ? undefined : { ran: BigInt(ran), waited: BigInt(waited) };
}

// The file that says how long this process's control group was throttled: of both kinds of hierarchies, as seen from
// within a container, too.
function openGroup() {
  let lines;
  try {
    lines = fs.readFileSync('/proc/self/cgroup', 'latin1').split('\n');
  } catch {
    return undefined;
  }
  const found = lines.map((line) => /^\d+:([^:]*):(.*)$/.exec(line)).filter((line) => line !== null);
  const own = found.find(([, kinds]) => kinds.split(',').includes('cpu'));
  const roots = own === undefined ? ['/sys/fs/cgroup', '/sys/fs/cgroup/unified'] : ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup/cpu,cpuacct'];
  const path = (own ?? found.find(([, kinds]) => kinds === ''))?.[2] ?? '/';
  for (const root of roots) {
    for (const one of [path, '']) {
      const watched = open(`${root}${one}/cpu.stat`);
      if (watched !== undefined) return watched;
    }
  }
  return undefined;
}

function throttled(watched) {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(watched?.read() ?? '') ?? [];
  return name === undefined ? 0n : BigInt(value) * (name === 'throttled_usec' ? 1000n : 1n);
}

const less = (a, b) => (a < b ? a : b);

class Delays {
  // `thread`: of the loop, as the system counts.
  constructor(writer, thread) {
    this.writer = writer;
    this.loop = open(`/proc/self/task/${thread}/schedstat`);
    this.own = open('/proc/thread-self/schedstat');
    this.group = this.loop === undefined ? undefined : openGroup();
    this.throttled = throttled(this.group);
    this.since = now();
    this.before = times(this.loop);
    this.ownBefore = times(this.own);
    this.rested = this.asked = 0n;
  }

  // The process may go on.
  close() {
    for (const watched of [this.loop, this.own, this.group]) if (watched !== undefined) fs.closeSync(watched.file);
    this.loop = this.own = this.group = undefined;
  }

  // This thread waits from now on, for nothing but time: so long, in ms.
  rest(ms) {
    this.rested = now();
    this.asked = BigInt(ms) * 1000000n;
  }

  // How long the process was stopped while this thread rested: it came back late, and had not waited for a processor.
  stopped(at, loop, own) {
    if (this.rested === 0n || own === undefined || this.ownBefore === undefined) return 0n;
    const late = at - this.rested - this.asked - (own.ran - this.ownBefore.ran) - (own.waited - this.ownBefore.waited);
    const most = at - this.since - (loop.ran - this.before.ran) - (loop.waited - this.before.waited);
    return late >= STOPPED_NS && most >= STOPPED_NS ? less(late, most) : 0n;
  }

  look() {
    const [at, loop, own] = [now(), times(this.loop), times(this.own)];
    if (loop === undefined || this.before === undefined) return;
    const { since } = this;
    const waited = loop.waited - this.before.waited;
    const stopped = this.stopped(at, loop, own);
    [this.since, this.before, this.ownBefore, this.rested] = [at, loop, own, 0n];
    if (waited < LEAST_NS && stopped === 0n) return;
    const group = throttled(this.group);
    const quota = less(group - this.throttled, waited);
    this.throttled = group;
    this.writer.writeDelay(since, at, waited, quota > 0n ? quota : 0n, stopped);
  }
}

module.exports = { Delays };
