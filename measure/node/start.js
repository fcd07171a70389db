// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the log of this thread and starts its writer and its recorder: when the thread begins, or later (late.js).
'use strict';

const fs = require('fs');
const path = require('path');
const { AsyncResource } = require('async_hooks');
const { Worker, isMainThread, threadId } = require('worker_threads');
const { createRecorder } = require('./recorder.js');
const { Writer, PART_BYTES } = require('./writer.js');
const { WORD, STATE } = require('./log.js');
const { offer, withdraw } = require('./look.js');
const { findRun } = require('./names.js');
const { commentOf } = require('./comment.js');
const { ownEnvironment, watchWorkers, takeAway } = require('./workers.js');
const { mark, tell, tryAll } = require('./stopped.js');

const PATIENCE = 50; // times
const LOOK_MS = 100;
const MAPS_MOST = 32 << 20; // characters of source maps that are handed to the thread

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

function describe(log, environment, underWay) {
  const script = path.basename(process.argv[1] || 'node');
  const thread = isMainThread ? 0 : threadId;
  return {
    shared: log.shared,
    originNs: log.originNs,
    folder: path.resolve(environment.TAILPROOF_STORE || 'tailproof-store'),
    run: 0, // of this process id, in the folder
    name: thread === 0 ? script : `${script} worker ${thread}`,
    process: process.pid,
    thread,
    systemThread: systemThread(),
    pool: threadsOfPool(),
    underWay: Math.min(underWay, 0xffff),
    version: process.version,
    watched: isMainThread ? Number(environment.TAILPROOF_NODE_WATCH ?? 0.5) || 0 : 0,
    notes: environment.TAILPROOF_NODE_NOTES,
    partBytes: Math.max(Number(environment.TAILPROOF_NODE_BYTES) / 2 || PART_BYTES, 1 << 20),
  };
}

// The thread beside the loop. It prints nothing, and whatever becomes of it the application goes on.
function startThread(writer, about) {
  const thread = new Worker(path.join(__dirname, 'thread.js'), {
    workerData: { tailproofWriter: { ...about, descriptor: writer.file, size: writer.size } },
    execArgv: [],
    stdin: false,
    stdout: true,
    stderr: true,
    trackUnmanagedFds: false, // it writes to a file that this thread has opened
  });
  thread.unref();
  return thread;
}

let mapsLeft = MAPS_MOST;

// What was compiled in memory has its map at its end, and not on disk.
function sendMap(thread, filename, content) {
  const url = typeof content === 'string' ? commentOf(content) : undefined;
  if (url === undefined || !url.startsWith('data:') || fs.statSync(filename).size === Buffer.byteLength(content)) return;
  mapsLeft -= url.length;
  thread.postMessage({ file: filename, url: mapsLeft < 0 ? '' : url });
}

// Nothing is recorded from here on. A thread that died without a word, as where memory ends, has not
// said why.
function giveUp(error, writer, recorder) {
  const { words } = recorder.log;
  if (Atomics.compareExchange(words, WORD.STATE, STATE.NONE, STATE.FAILED) === STATE.NONE) {
    writer.fail(error);
  } else if (Atomics.compareExchange(words, WORD.STATE, STATE.RUNS, STATE.FAILED) === STATE.RUNS) {
    const newest = writer.name(Atomics.load(words, WORD.PART));
    tryAll(() => tell(writer.about, error), () => {
      const file = fs.openSync(newest, 'r+');
      mark(file, error);
      fs.closeSync(file);
    });
  }
  tryAll(() => recorder.quit());
}

// Of a thread that has begun; where the system does not say it is believed to live.
function isGone(words) {
  const number = Atomics.load(words, WORD.THREAD);
  return number > 0 && fs.existsSync('/proc/self/task') && !fs.existsSync(`/proc/self/task/${number}`);
}

// All that was recorded is written. What the thread has not begun with is written here.
function finish(writer, recorder) {
  const { words } = recorder.log;
  recorder.stop();
  Atomics.store(words, WORD.STOP, 1);
  Atomics.notify(words, WORD.STOP);
  if (Atomics.compareExchange(words, WORD.STATE, STATE.NONE, STATE.DONE) === STATE.NONE) {
    try {
      writer.drain();
    } catch (error) {
      writer.fail(error);
    }
  }
  for (let i = 0; i < PATIENCE && Atomics.load(words, WORD.STATE) === STATE.RUNS; i++) {
    if (Atomics.wait(words, WORD.STATE, STATE.RUNS, LOOK_MS) === 'timed-out' && isGone(words)) break;
  }
  if (Atomics.load(words, WORD.STATE) === STATE.RUNS && isGone(words)) giveUp(undefined, writer, recorder);
  if (!isMainThread) fs.closeSync(writer.file); // of a worker thread others go on
}

const someId = () => new AsyncResource('tailproof').asyncId();

// Whatever fails here or later, the application goes on, unrecorded. `known`: where it has run before, what is there
// and how many requests were under way (late_types.js).
function begin(environment = process.env, known = undefined, underWay = 0) {
  const recorder = createRecorder(environment);
  const about = describe(recorder.log, environment, underWay);
  const inherited = ownEnvironment(environment, about.folder);
  tryAll(takeAway);
  const writer = new Writer(about);
  const first = someId();
  const atExit = () => tryAll(() => finish(writer, recorder));
  let failed;
  try {
    fs.mkdirSync(about.folder, { recursive: true });
    about.run = findRun(about.folder, process.pid);
    writer.openPart(); // before the application can become another user, or see another root
    about.descriptor = writer.file;
    if (about.watched > 0) offer();
    const thread = startThread(writer, about);
    const stop = (error) => tryAll(() => giveUp(error, writer, recorder));
    thread.on('error', stop);
    thread.on('exit', () => Atomics.load(recorder.log.words, WORD.STATE) !== STATE.DONE && stop());
    process.on('exit', atExit);
    const own = [];
    for (let id = first + 1, last = someId(); id < last; id++) own.push(id);
    tryAll(() => watchWorkers(inherited, recorder.makeWorker, recorder.replace));
    recorder.start(own, known, (filename, content) => sendMap(thread, filename, content));
  } catch (error) {
    failed = error;
    giveUp(error, writer, recorder);
    if (known !== undefined) restore();
  }

  // The process is as it was.
  function restore() {
    process.removeListener('exit', atExit);
    Atomics.store(recorder.log.words, WORD.STOP, 1);
    tryAll(() => recorder.leave(), withdraw);
    if (isMainThread && writer.file >= 0) tryAll(() => fs.closeSync(writer.file));
  }

  // Before the thread ends: all is written.
  function leave() {
    atExit();
    restore();
  }
  return { failed, leave };
}

module.exports = { begin };
