// SPDX-License-Identifier: GPL-3.0-or-later
// When the loop has no processor: how long its thread waited to run, from the system's statistics, and of that how long
// because the control group had used up its quota; how long the process was stopped. Looked at by the thread that writes,
// each time that it looks at the log.
'use strict';

const { open } = require('./watched.js');
const { Quota } = require('./quota.js');

const LEAST_NS = 500000; // what is less in one look is not told
const STOPPED_NS = 20000000; // this thread waited so much longer than it asked for, and for no processor

// ns of this thread, so that they are numbers and none of 64 bits, which are dear.
const origin = process.hrtime.bigint();
const now = () => Number(process.hrtime.bigint() - origin);

// Ran, and waited to run, ns.
function times(watched) {
  const found = watched?.pair();
  return found === undefined ? undefined : { ran: found[0], waited: found[1] };
}

class Delays {
  // `thread`: of the loop, as the system counts.
  constructor(writer, thread) {
    this.writer = writer;
    this.loop = open(`/proc/self/task/${thread}/schedstat`);
    this.own = open('/proc/thread-self/schedstat');
    this.quota = this.loop === undefined ? undefined : new Quota(thread);
    this.kept = 0; // ns that a group was throttled in the last look, and the loop had not waited yet
    this.since = now();
    this.before = times(this.loop);
    this.ownBefore = times(this.own);
    this.rested = this.asked = 0;
  }

  // The process may go on.
  close() {
    for (const one of [this.loop, this.own, this.quota]) one?.close();
    this.loop = this.own = this.quota = undefined;
  }

  // This thread waits from now on, for nothing but time: so long, in ms.
  rest(ms) {
    this.rested = now();
    this.asked = ms * 1000000;
  }

  // How long the process was stopped while this thread rested: it came back late, and had not waited for a processor.
  stopped(at, loop, own) {
    if (this.rested === 0 || own === undefined || this.ownBefore === undefined) return 0;
    const late = at - this.rested - this.asked - (own.ran - this.ownBefore.ran) - (own.waited - this.ownBefore.waited);
    const most = at - this.since - (loop.ran - this.before.ran) - (loop.waited - this.before.waited);
    return late >= STOPPED_NS && most >= STOPPED_NS ? Math.min(late, most) : 0;
  }

  // Of the time that the loop waited, how long for its quota. A processor may give this thread its quota back before that
  // of the loop does. Where neither waited there is nothing to read.
  quotaOf(waited, ownWaited) {
    const seen = waited < LEAST_NS && ownWaited < LEAST_NS ? 0 : this.quota.since();
    const quota = Math.min(seen + this.kept, waited);
    this.kept = Math.min(seen, seen + this.kept - quota);
    return quota;
  }

  look() {
    const [at, loop, own] = [now(), times(this.loop), times(this.own)];
    if (loop === undefined || this.before === undefined) return;
    const { since } = this;
    const waited = loop.waited - this.before.waited;
    this.quota.follow(at);
    const quota = this.quotaOf(waited, own === undefined || this.ownBefore === undefined ? 0 : own.waited - this.ownBefore.waited);
    const stopped = this.stopped(at, loop, own);
    [this.since, this.before, this.ownBefore, this.rested] = [at, loop, own, 0];
    // The system counts a wait when it is over, and this thread may have got a processor before.
    const from = Math.min(since, at - waited - stopped);
    if (waited >= LEAST_NS || stopped !== 0) this.writer.writeDelay(origin + BigInt(from), origin + BigInt(at), waited, quota, stopped);
  }
}

module.exports = { Delays };
