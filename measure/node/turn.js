// SPDX-License-Identifier: GPL-3.0-or-later
// A turn is one callback from the loop and all ticks and microtasks that Node.js runs behind it before the loop goes on.
// Those are not recorded one by one: a turn is one record, begin and end. What a tick registers is registered within the
// turn, so that no dependence is lost.
'use strict';

const { WORD, TURN } = require('./log.js');
const { clockNs } = require('./clock.js');

const { BEGIN, END, ID } = TURN;
// Callbacks of one resource that follow this closely are one turn: what was read of a request is
// several. Behind an answer it is another request, which was read later; behind a connection that
// a pool gave it is what was asked by it.
const MERGE_NS = 20000;

class Turn {
  constructor(log, mute) {
    this.log = log;
    this.mute = mute;
    this.words = log.words;
    this.times = new Float64Array(log.shared, TURN.AT, TURN.COUNT); // numbers in fields would be allocated
    this.id = 0; // of the resource that the loop called back; 0: no turn yet
    this.count = 0; // of turns until now
    this.complete = false; // a request was answered in this turn, or a connection given
    this.depth = 0; // callbacks and ticks that are running, one within the other
    this.micro = 0; // 1: within a microtask
  }

  beginNs() {
    return this.times[BEGIN];
  }

  endNs() {
    return this.times[END];
  }

  // The loop, and no other callback, calls this one.
  isOver() {
    return this.depth + this.micro === 0;
  }

  goesOnWith(id, now) {
    return id === this.id && !this.complete && now - this.times[END] < MERGE_NS;
  }

  begin(id, now) {
    this.id = this.times[ID] = id;
    this.times[BEGIN] = this.times[END] = now;
    this.words[WORD.TURN] = ++this.count & 0x3fffffff;
    this.words[WORD.BUSY] = 1;
  }

  // The first, which runs when the recorder comes.
  beginFirst(id) {
    this.id = this.times[ID] = id;
    this.times[BEGIN] = this.times[END] = clockNs();
  }

  end() {
    this.times[END] = clockNs();
    this.words[WORD.BUSY] = 0;
  }

  // A callback, or a tick, is over: the loop goes on unless ticks wait.
  leave() {
    if (this.mute.waits()) this.mute.beginIfSomeWait();
    else this.end();
  }

  // True if there was one, which is written now.
  close() {
    if (this.id === 0) return false;
    const { times } = this;
    if (times[END] === times[BEGIN]) times[END] = Math.max(times[END], this.log.lastTime); // the main script
    this.log.writeRun(this.id, times[BEGIN], times[END], 0);
    this.id = times[ID] = 0;
    return true;
  }

  // The thread ends within it.
  endLast() {
    this.times[END] = Math.max(this.times[END], clockNs());
  }
}

module.exports = { Turn };
