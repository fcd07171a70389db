// SPDX-License-Identifier: GPL-3.0-or-later
// The clock of records, in ms or whole ns, and its origin in CLOCK_MONOTONIC.
'use strict';

const { performance } = require('perf_hooks');

const { now: readClock } = performance;
const clock = () => readClock.call(performance); // as it was before the application could change it; a bound one is slower
const clockNs = () => Math.round(clock() * 1e6);

// What CLOCK_MONOTONIC says when the clock is 0, from the narrowest of some pairs of readings.
function originOfClock() {
  let best = Infinity;
  let origin = 0n;
  for (let i = 0; i < 20; i++) {
    const before = clock();
    const monotonic = process.hrtime.bigint();
    const after = clock();
    if (after - before < best) {
      best = after - before;
      origin = monotonic - BigInt(Math.round((before + after) * 5e5));
    }
  }
  return origin;
}

module.exports = { clock, clockNs, originOfClock };
