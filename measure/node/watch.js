// SPDX-License-Identifier: GPL-3.0-or-later
// What the loop does while one callback lasts: its thread is interrupted for a moment, by the means of
// Node.js's inspector, and runs what tells the function that it is in (look.js). No debugger is enabled, which would be told
// of each script with its source map. A look is written into the log, so that its time is not the callback's. Looks take at
// most so many percent of the time.
'use strict';

const { WORD } = require('./log.js');
const { tryAll } = require('./stopped.js');
const { NAME } = require('./look.js');

const LEAST_MS = 3; // turns that last less are not looked at
const LONG_MS = 8; // those that last less are looked at where no longer one has been for a while,
const AWHILE_MS = 1000;
const COST_MS = 1; // a look counts as this at least

class Watch {
  // `watched`: percent; 0: it never looks.
  constructor(writer, watched) {
    this.writer = writer;
    this.words = writer.words;
    this.watched = watched;
    this.turn = 0;
    this.session = null;
    this.asking = false;
    this.next = 0;
    this.last = -Infinity;
  }

  // How long the turn has lasted, ms.
  lasted() {
    return Number(process.hrtime.bigint() - this.writer.about.originNs - BigInt(this.writer.turn[0])) / 1e6;
  }

  // True while the loop is busy.
  look() {
    const turn = this.words[WORD.TURN];
    const busy = this.words[WORD.BUSY] !== 0;
    const moved = turn !== this.turn;
    this.turn = turn;
    if (busy && this.watched > 0 && !this.asking) this.consider(performance.now());
    return busy || moved;
  }

  consider(now) {
    if (now < this.next) return;
    const lasted = this.lasted();
    if (lasted < LEAST_MS || (lasted < LONG_MS && now - this.last < AWHILE_MS)) return;
    this.last = now;
    this.ask();
  }

  ask() {
    this.asking = true;
    try {
      const { Session } = require('inspector');
      this.session = new Session();
      this.session.connectToMainThread();
      const options = { returnByValue: true, silent: true };
      this.session.post('Runtime.evaluate', { ...options, expression: `${NAME}(${process.hrtime.bigint()}n)` });
      this.session.post('Runtime.evaluate', { ...options, expression: `${NAME}()` }, (error, answer) => {
        if (this.asking) this.answered(error, answer?.result?.value);
      });
    } catch {
      this.giveUp(); // no inspector in this Node.js, or none that may be used
    }
  }

  giveUp() {
    this.watched = 0;
    tryAll(() => this.close());
    this.asking = false;
  }

  // Node.js waits for sessions at its end.
  close() {
    if (this.asking) this.session?.disconnect();
    this.asking = false;
  }

  // Native code answers when it is over, and until then a look costs nothing.
  answered(error, text) {
    const [, from, to, place] = /^(\d+) (\d+) (.*)$/s.exec(error ? '' : text) ?? [];
    if (from === undefined) {
      this.giveUp();
      return;
    }
    this.close();
    const cost = Math.max(COST_MS, Number(BigInt(to) - BigInt(from)) / 1e6);
    this.next = performance.now() + (100 / this.watched) * cost;
    this.writer.writeLook(BigInt(from), BigInt(to), place);
  }
}

module.exports = { Watch };
