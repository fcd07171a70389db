// SPDX-License-Identifier: GPL-3.0-or-later
// When the loop has no processor: how long its thread waited to run, from the system's statistics, and of that how long
// because the control group had used up its quota; how long the process was stopped. Looked at by the thread that writes,
// each time that it looks at the log.
'use strict';

const { open } = require('./watched.js');
const { Quota } = require('./quota.js');

const LEAST_NS = 500000n; // what is less in one look is not told
const STOPPED_NS = 20000000n; // this thread waited so much longer than it asked for, and for no processor

const now = () => process.hrtime.bigint();

// Ran, and waited to run, ns.
function times(watched) {
  const [, ran, waited] = /^(\d+) (\d+) \d+\s*$/.exec(watched?.read() ?? '') ?? [];
  return waited === undefined ? undefined : { ran: BigInt(ran), waited: BigInt(waited) };
}

const less = (a, b) => (a < b ? a : b);

class Delays {
  // `thread`: of the loop, as the system counts.
  constructor(writer, thread) {
    this.writer = writer;
    this.loop = open(`/proc/self/task/${thread}/schedstat`);
    this.own = open('/proc/thread-self/schedstat');
    this.quota = this.loop === undefined ? undefined : new Quota(thread);
    this.kept = 0n; // ns that a group was throttled in the last look, and the loop had not waited yet
    this.since = now();
    this.before = times(this.loop);
    this.ownBefore = times(this.own);
    this.rested = this.asked = 0n;
  }

  // The process may go on.
  close() {
    for (const one of [this.loop, this.own, this.quota]) one?.close();
    this.loop = this.own = this.quota = undefined;
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

  // Of the time that the loop waited, how long for its quota. A processor may give this thread its quota back before that
  // of the loop does. Where neither waited there is nothing to read.
  quotaOf(waited, ownWaited) {
    const seen = waited < LEAST_NS && ownWaited < LEAST_NS ? 0n : this.quota.since();
    const quota = less(seen + this.kept, waited);
    this.kept = less(seen, seen + this.kept - quota);
    return quota;
  }

  look() {
    const [at, loop, own] = [now(), times(this.loop), times(this.own)];
    if (loop === undefined || this.before === undefined) return;
    const { since } = this;
    const waited = loop.waited - this.before.waited;
    this.quota.follow(at);
    const quota = this.quotaOf(waited, own === undefined || this.ownBefore === undefined ? 0n : own.waited - this.ownBefore.waited);
    const stopped = this.stopped(at, loop, own);
    [this.since, this.before, this.ownBefore, this.rested] = [at, loop, own, 0n];
    // The system counts a wait when it is over, and this thread may have got a processor before.
    const from = less(since, at - waited - stopped);
    if (waited >= LEAST_NS || stopped !== 0n) this.writer.writeDelay(from, at, waited, quota, stopped);
  }
}

module.exports = { Delays };
