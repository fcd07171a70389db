// SPDX-License-Identifier: GPL-3.0-or-later
// The one recorder of this thread: from its beginning, or for a while in a thread that has run before, for
// which attach.js calls `start` and `stop` by the inspector. Both give a promise of what is wrong, or ''.
'use strict';

const fs = require('fs');
const { isMainThread } = require('worker_threads');

const ALONE_MS = 500;
const LOOK_MS = 20;
const LOOKS = 150;
let recorder = null;
let attached = false; // it came later

// What loads the recorder before the application begins.
function first() {
  recorder = require('./start.js').begin();
}

// When the loop calls back next: not within a callback, of which the beginning was not seen.
const soon = (work) => new Promise((done) => setImmediate(() => {
  try {
    done(work() ?? '');
  } catch (error) {
    done(String(error?.message ?? error));
  }
}));

function forbidden(folder) {
  const { permission } = process;
  if (permission === undefined) return undefined;
  if (!permission.has('fs.write', folder)) return `it runs with --permission and may not write ${folder}`;
  return permission.has('worker') ? undefined : 'it runs with --permission and may start no thread';
}

// Without who asked for it nobody would end it.
function watchOver(process_, close) {
  const timer = setInterval(() => {
    try {
      process.kill(process_, 0);
    } catch (error) {
      if (error.code !== 'EPERM') stop(close);
    }
  }, ALONE_MS);
  timer.unref();
  return timer;
}

// `by`: the process that will call `stop`; `close`: the port of the inspector if it was opened for this, and is closed with it, or 0.
function start({ environment, by, close }) {
  return soon(() => {
    if (recorder !== null) return 'it is recorded already';
    const reason = forbidden(environment.TAILPROOF_STORE);
    if (reason !== undefined) return reason;
    const { begin } = require('./start.js');
    const { typesOfHandles, requestsUnderWay } = require('./late_types.js');
    const known = typesOfHandles();
    const timer = watchOver(by, close);
    known.set(timer[Object.getOwnPropertySymbols(timer).find((symbol) => symbol.description === 'asyncId')], 'RECORDER');
    const begun = begin(environment, known, requestsUnderWay());
    if (begun.failed !== undefined) {
      clearInterval(timer);
      return String(begun.failed.message);
    }
    recorder = { ...begun, timer };
    attached = true;
    return '';
  });
}

// Whether the inspector at the port has a connection.
function hasSession(port) {
  try {
    return new RegExp(` 0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} \\S+ 0[18] `).test(fs.readFileSync('/proc/self/net/tcp', 'latin1'));
  } catch {
    return false;
  }
}

// Behind the end of the session that asks for it: a Node.js that closes its inspector while the client ends the session sends the
// last frame twice, and crashes. Somebody else's session is ended after a while.
function closeInspector(port, looks = LOOKS) {
  setTimeout(() => (looks > 0 && hasSession(port) ? closeInspector(port, looks - 1) : require('inspector').close()), LOOK_MS);
}

function stop(close) {
  return soon(() => {
    if (recorder === null || !attached) return 'it is not recorded';
    clearInterval(recorder.timer);
    recorder.leave();
    recorder = null;
    attached = false;
    if (close && isMainThread) closeInspector(close);
    return '';
  });
}

module.exports = { first, start, stop, closeInspector };
