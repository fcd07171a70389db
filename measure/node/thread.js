// SPDX-License-Identifier: GPL-3.0-or-later
// The thread that writes the log: it waits for finished chunks, and looks now and then at the
// unfinished one, so that what an idle server has recorded is on disk as well.
'use strict';

const { workerData } = require('worker_threads');
const { Writer } = require('./writer.js');
const { WORD } = require('./log.js');

const WAIT_MS = 50;

const writer = new Writer(workerData.tailproofWriter);
for (;;) {
  if (Atomics.load(writer.words, WORD.STOP) !== 0) break;
  writer.drain();
  Atomics.wait(writer.words, WORD.STOP, 0, WAIT_MS);
}
writer.drain();
Atomics.store(writer.words, WORD.STOP, 2);
Atomics.notify(writer.words, WORD.STOP);
