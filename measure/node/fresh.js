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
    this.first = 0;
    this.count = 0; // those from `first` on
  }

  add(promise, time) {
    if (this.count === MOST) this.shed();
    this.times[this.count] = time;
    this.list[this.count++] = promise;
  }

  // It continues, and is none of these any more; false: it was none. Most are the newest or the oldest.
  take(promise) {
    const { list } = this;
    let at = this.count - 1;
    if (at < 0) return false;
    if (list[this.first] === promise) at = this.first++;
    else while (at >= this.first && list[at] !== promise) at--;
    if (at < 0 || list[at] !== promise) return false;
    list[at] = undefined;
    while (this.count > this.first && list[this.count - 1] === undefined) this.count--;
    while (this.first < this.count && list[this.first] === undefined) this.first++;
    if (this.first === this.count) this.first = this.count = 0;
    return true;
  }

  // There is no room: those that were taken go, and of the others the older half.
  shed() {
    const { list, times, first, count } = this;
    let waiting = 0;
    for (let at = first; at < count; at++) if (list[at] !== undefined) waiting++;
    this.first = this.count = 0;
    for (let at = first; at < count; at++) {
      const promise = list[at];
      if (promise === undefined) continue;
      list[at] = undefined;
      if (waiting-- > MOST / 2) {
        this.stamp(promise, times[at]);
      } else {
        times[this.count] = times[at];
        list[this.count++] = promise;
      }
    }
  }

  // The turn is over: the others wait for another.
  leave() {
    const { list, first } = this;
    this.first = 0;
    while (this.count > first) {
      const promise = list[--this.count];
      list[this.count] = undefined;
      if (promise !== undefined) this.stamp(promise, this.times[this.count]);
    }
    this.count = 0;
  }
}

module.exports = { Fresh };
