// SPDX-License-Identifier: GPL-3.0-or-later
// The thread beside the loop: it writes finished chunks of the log, looks now and then at the
// unfinished one, so that what an idle server has recorded is on disk as well, and asks what the
// loop is doing when a callback lasts long.
'use strict';

const fs = require('fs');
const path = require('path');
const { workerData } = require('worker_threads');
const { Writer } = require('./writer.js');
const { Watch } = require('./watch.js');
const { Delays } = require('./delays.js');
const { Use } = require('./use.js');
const { WORD, STATE } = require('./log.js');
const { tryAll } = require('./stopped.js');

const BUSY_MS = 10;
const IDLE_MS = 40; // when nothing happened for a second
const QUIET = 2; // looks after which the loop rests
const UNSAVED = 6; // looks without a finished chunk after which what a loop has recorded that does not rest is written as well

const about = workerData.tailproofWriter;
const words = new Int32Array(about.shared, 0, WORD.WORDS);
const writer = new Writer(about);
const watch = new Watch(writer, about.watched);
const delays = new Delays(writer, about.systemThread || about.process);
const use = about.thread === 0 ? new Use(writer) : undefined; // of the process, told once
let quiet = 0; // looks since something happened
let unsaved = 0; // looks since a finished chunk was written, or what is not finished
let over = false;

// Nothing is written any more: all is there, or it cannot be written.
function end(state, error) {
  if (over) return;
  over = true;
  tryAll(() => watch.close(), () => delays.close());
  if (error !== undefined) writer.fail(error);
  tryAll(() => writer.close());
  Atomics.store(words, WORD.STATE, state);
  Atomics.notify(words, WORD.STATE);
}

function look() {
  delays.look();
  use?.look();
  if (writer.drain()) unsaved = 0;
  if (Atomics.load(words, WORD.STOP) !== 0) end(STATE.DONE);
  else quiet = watch.look() ? 0 : quiet + 1;
}

// Waiting costs a tenth of what a timer does. Only the answer of the loop comes as an event.
function watchLoop() {
  while (!over) {
    look();
    const idle = quiet > 1000 / BUSY_MS;
    if (!over && (quiet >= QUIET || ++unsaved >= UNSAVED)) {
      writer.peek();
      unsaved = 0;
    }
    if (watch.asking) {
      setTimeout(watchLoop, BUSY_MS);
      return;
    }
    if (over) return;
    delays.rest(idle ? IDLE_MS : BUSY_MS);
    Atomics.wait(words, WORD.STOP, 0, idle ? IDLE_MS : BUSY_MS);
  }
}

// As the system counts: so it can be seen whether this thread still is.
function number() {
  tryAll(() => Atomics.store(words, WORD.THREAD, Number(path.basename(fs.readlinkSync('/proc/thread-self')))));
}

process.on('uncaughtException', (error) => end(STATE.FAILED, error));
number();
if (Atomics.compareExchange(words, WORD.STATE, STATE.NONE, STATE.RUNS) === STATE.NONE) watchLoop();
