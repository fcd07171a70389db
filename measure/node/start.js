// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the log of this thread and starts its writer and its recorder.
'use strict';

const fs = require('fs');
const path = require('path');
const { AsyncResource } = require('async_hooks');
const { Worker, isMainThread, threadId } = require('worker_threads');
const { createRecorder } = require('./recorder.js');
const { PART_BYTES } = require('./writer.js');
const { WORD } = require('./log.js');

// Of a worker thread, as the system counts them: the stamps of what it read have this number.
function systemThread() {
  try {
    return isMainThread ? 0 : Number(path.basename(fs.readlinkSync('/proc/thread-self')));
  } catch {
    return 0;
  }
}

// How many threads do what may not hold the loop, as libuv reads it; an application may still set it otherwise.
function threadsOfPool() {
  const size = Number.parseInt(process.env.UV_THREADPOOL_SIZE ?? 4, 10) || 1;
  return size < 0 ? 1024 : Math.min(size, 1024);
}

function describe(log) {
  const script = path.basename(process.argv[1] || 'node');
  const thread = isMainThread ? 0 : threadId;
  return {
    shared: log.shared,
    folder: path.resolve(process.env.TAILPROOF_STORE || 'tailproof-store'),
    file: thread === 0 ? `${process.pid}` : `${process.pid}-${thread}`,
    name: thread === 0 ? script : `${script} worker ${thread}`,
    process: process.pid,
    thread,
    systemThread: systemThread(),
    pool: threadsOfPool(),
    version: process.version,
    watched: isMainThread ? Number(process.env.TAILPROOF_NODE_WATCH ?? 0.5) || 0 : 0,
    partBytes: Math.max(Number(process.env.TAILPROOF_NODE_BYTES) / 2 || PART_BYTES, 1 << 20),
  };
}

const someId = () => new AsyncResource('tailproof').asyncId();

function begin() {
  const recorder = createRecorder();
  const about = describe(recorder.log);
  fs.mkdirSync(about.folder, { recursive: true });
  const first = someId();
  const writer = new Worker(path.join(__dirname, 'thread.js'), {
    workerData: { tailproofWriter: about },
    execArgv: [],
    stdin: false,
  });
  writer.unref();
  process.on('exit', () => {
    recorder.stop();
    const words = recorder.log.words;
    Atomics.store(words, WORD.STOP, 1);
    Atomics.notify(words, WORD.STOP);
    for (let i = 0; i < 500; i++) {
      if (Atomics.load(words, WORD.STOP) === 2) break;
      Atomics.wait(words, WORD.STOP, 1, 10);
    }
  });
  const own = [];
  for (let id = first + 1, last = someId(); id < last; id++) own.push(id);
  recorder.start(own);
  return recorder;
}

module.exports = begin();
