// SPDX-License-Identifier: GPL-3.0-or-later
// The thread beside the loop: it writes finished chunks of the log, looks now and then at the
// unfinished one, so that what an idle server has recorded is on disk as well, and asks what the
// loop is doing when a callback lasts long.
'use strict';

const { workerData } = require('worker_threads');
const { Writer } = require('./writer.js');
const { Watch } = require('./watch.js');
const { WORD } = require('./log.js');

const BUSY_MS = 10;
const IDLE_MS = 40; // when nothing happened for a second

const writer = new Writer(workerData.tailproofWriter);
const watch = new Watch(writer, workerData.tailproofWriter.watched);
let quiet = 0; // looks since something happened

// True when the process ends.
function look() {
  writer.drain();
  if (Atomics.load(writer.words, WORD.STOP) === 0) {
    quiet = watch.look() ? 0 : quiet + 1;
    return false;
  }
  watch.close();
  Atomics.store(writer.words, WORD.STOP, 2);
  Atomics.notify(writer.words, WORD.STOP);
  return true;
}

// Waiting costs a tenth of what a timer does. Only the answer of the loop comes as an event.
function watchLoop() {
  while (!look()) {
    const idle = quiet > 1000 / BUSY_MS;
    if (idle || quiet === 20) writer.peek();
    if (watch.asking) {
      setTimeout(watchLoop, BUSY_MS);
      return;
    }
    Atomics.wait(writer.words, WORD.STOP, 0, idle ? IDLE_MS : BUSY_MS);
  }
}

watchLoop();
