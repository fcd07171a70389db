// SPDX-License-Identifier: GPL-3.0-or-later
// What the loop does while one callback lasts: its thread is interrupted for a moment, by the means of
// Node.js's inspector, and runs what tells the function that it is in (look.js). No debugger is enabled, which would be told
// of each script with its source map. A look is written into the log, so that its time is not the callback's. Looks take at
// most so many percent of the time.
'use strict';

const { WORD } = require('./log.js');
const { tryAll } = require('./stopped.js');
const { NAME } = require('./look.js');
const { Sources } = require('./sources.js');

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
    this.sources = new Sources();
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
      this.evaluate(`${NAME}(${process.hrtime.bigint()}n)`);
      this.evaluate(`${NAME}()`, (list) => this.answered(list));
    } catch {
      this.giveUp(); // no inspector in this Node.js, or none that may be used
    }
  }

  // `answered(list)` is called with [from, to, what was found], times in ns.
  evaluate(expression, answered) {
    this.session.post('Runtime.evaluate', { returnByValue: true, silent: true, expression }, (error, answer) => {
      if (!this.asking || answered === undefined) return;
      try {
        const [from, to, found] = JSON.parse(answer.result.value);
        answered([BigInt(from), BigInt(to), found]);
      } catch {
        this.giveUp();
      }
    });
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
  answered([from, to, found]) {
    const told = found.map((one) => this.sources.find(one));
    const asked = found.filter((one, i) => told[i].ask);
    const stack = () => told.map(({ place }) => place).filter((place, i, all) => place !== all[i - 1]).join(';');
    if (asked.length === 0) {
      this.end(from, to, stack());
      return;
    }
    this.evaluate(`${NAME}(undefined, ${JSON.stringify(asked)})`, ([again, until, sources]) => {
      asked.forEach((one, i) => {
        const place = this.sources.told(one, sources[i]);
        if (place) told[found.indexOf(one)].place = place;
      });
      this.writer.writeLook(again, until, '');
      this.end(from, to, stack(), until - again);
    });
  }

  end(from, to, place, more = 0n) {
    this.close();
    const cost = Math.max(COST_MS, Number(to - from + more) / 1e6);
    this.next = performance.now() + (100 / this.watched) * cost;
    this.writer.writeLook(from, to, place);
  }
}

module.exports = { Watch };
