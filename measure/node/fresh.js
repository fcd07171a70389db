// SPDX-License-Identifier: GPL-3.0-or-later
// Promises that were registered in this turn and have not continued, with the time of each. Most do so in the same turn:
// to look for one among the newest costs a tenth of what a stamp on each does, which makes another kind of object of it.
'use strict';

const MOST = 64; // of more the older ones are left

class Fresh {
  // `stamp(promise, time)` is told of each that is left.
  constructor(stamp) {
    this.stamp = stamp;
    this.list = new Array(MOST).fill(undefined); // undefined: taken
    this.times = new Float64Array(MOST);
    this.count = 0;
  }

  add(promise, time) {
    if (this.count === MOST) this.leave();
    this.times[this.count] = time;
    this.list[this.count++] = promise;
  }

  // It continues: true if it is one of these.
  take(promise) {
    const { list } = this;
    let at = this.count - 1;
    while (at >= 0 && list[at] !== promise) at--;
    if (at < 0) return false;
    list[at] = undefined;
    while (this.count > 0 && list[this.count - 1] === undefined) this.count--;
    return true;
  }

  // The turn is over: the others wait for another.
  leave() {
    const { list } = this;
    while (this.count > 0) {
      const promise = list[--this.count];
      list[this.count] = undefined;
      if (promise !== undefined) this.stamp(promise, this.times[this.count]);
    }
  }
}

module.exports = { Fresh };
