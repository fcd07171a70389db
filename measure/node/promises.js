// SPDX-License-Identifier: GPL-3.0-or-later
// Promises: when they are registered, and what their continuations (microtasks) are. Most continue in the turn that registered
// them: their order says so, and they get no stamp. Those that continue in another one are recorded.
'use strict';

const { WORD } = require('./log.js');
const { clockNs } = require('./clock.js');
const { Stamp } = require('./stamp.js');
const { Fresh } = require('./fresh.js');

const ASKED = 2; // microtasks of a turn whose end is looked up; that of more is told by a tick behind them,
const MANY = 20; // and that of more by one that hooks are told of
const nothing = () => {};
const { nextTick } = process; // Node.js's own

function createPromises({ log, turn, mute }) {
  const { words } = log;
  const fresh = new Fresh((promise, registered) => Stamp.set(promise, registered));
  let since; // when the promise that continues was registered, in an earlier turn
  let continued = 0; // when it does
  let microtasks = 0; // since the loop called back, that have ended

  function onInit(promise, parent) {
    try {
      if (parent !== undefined) fresh.add(promise, clockNs());
    } catch {
      log.torn = true;
    }
  }

  function onBefore(promise) {
    turn.micro = 1;
    words[WORD.BUSY] = 1;
    since = undefined;
    if (turn.depth > 0) return;
    try {
      if (fresh.take(promise)) return;
      const before = Stamp.get(promise);
      if (before === undefined || before >= turn.beginNs()) return;
      since = before;
      continued = clockNs();
    } catch {
      log.torn = true;
    }
  }

  function onAfter() {
    turn.micro = 0;
    if (turn.depth > 0) return;
    try {
      if (since === undefined) noteMicrotask();
      else notePromise();
    } catch {
      log.torn = true;
    }
  }

  // Is it the last of the turn? A tick runs behind all microtasks: of one that waits the end is told. One of the recorder's
  // costs what two looks at the clock do, or, where its hook is told of it, twenty.
  function noteMicrotask() {
    if (mute.waits()) {
      mute.beginIfSomeWait();
      return;
    }
    if (++microtasks > ASKED && (mute.schedule(nothing) || microtasks > MANY && scheduleTold())) {
      microtasks = 0;
      mute.beginIfSomeWait();
    } else {
      turn.end();
    }
  }

  function scheduleTold() {
    if (!mute.alone()) return false;
    nextTick(nothing);
    return mute.waits();
  }

  function notePromise() {
    turn.end();
    mute.beginIfSomeWait();
    log.writePromise(since, continued, turn.endNs());
  }

  return {
    hooks: [onInit, onBefore, onAfter],
    // The loop calls back.
    calledBack() {
      microtasks = 0;
    },
    // Those that have not continued wait for another turn.
    leaveTurn() {
      fresh.leave();
    },
  };
}

module.exports = { createPromises };
