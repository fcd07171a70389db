// SPDX-License-Identifier: GPL-3.0-or-later
// What the loop does while one callback lasts: its thread is stopped for a moment, by the means of
// a debugger, and asked for the function that it is in. That takes some milliseconds of a turn
// that has lasted for ten already, and at most so many percent of the time.
'use strict';

const { WORD } = require('./log.js');
const { tryAll } = require('./stopped.js');

const LEAST_MS = 8; // turns that last less are not looked at
const COST_MS = 5; // asking costs this at least

// Files of the application as people name them: the last two parts of the path.
function placeOf(frames, scripts, folder) {
  const named = frames.map((frame) => ({ frame, file: fileOf(scripts.get(frame.location.scriptId)) }));
  const files = named.filter(({ file }) => file !== null && !file.startsWith(folder));
  const own = files.find(({ file }) => !file.includes('/node_modules/')) ?? files[0];
  if (own === undefined) return null;
  const at = own.frame.functionLocation ?? own.frame.location;
  const short = own.file.split('/').slice(-2).join('/');
  return `${short}:${at.lineNumber + 1}:${(at.columnNumber ?? 0) + 1} ${own.frame.functionName || '(anonymous)'}`;
}

// The path of a script that is no part of Node.js, or null.
function fileOf(url) {
  if (url === undefined || url === '' || url.startsWith('node:')) return null;
  if (!url.startsWith('file://')) return url;
  try {
    return decodeURI(url.slice(7));
  } catch { // a name that somebody made up
    return url.slice(7);
  }
}

class Watch {
  // `watched`: percent; 0: it never looks.
  constructor(writer, watched) {
    this.writer = writer;
    this.words = writer.words;
    this.watched = watched;
    this.turn = 0;
    this.since = 0;
    this.asked = 0;
    this.heard = 0; // when the thread answered first; 0: it did not yet
    this.session = null;
    this.asking = false;
    this.next = 0;
    this.scripts = new Map();
  }

  // True while the loop is busy.
  look() {
    const now = performance.now();
    const turn = this.words[WORD.TURN];
    const busy = this.words[WORD.BUSY] !== 0;
    if (!busy || turn !== this.turn) {
      const moved = turn !== this.turn;
      this.turn = turn;
      this.since = now;
      return busy || moved;
    }
    if (this.watched > 0 && !this.asking && now - this.since >= LEAST_MS && now >= this.next) this.ask(now);
    return true;
  }

  connect() {
    const { Session } = require('inspector');
    this.session = new Session();
    this.session.connectToMainThread();
    this.session.on('Debugger.scriptParsed', ({ params }) => {
      if (this.heard === 0) this.heard = performance.now();
      this.scripts.set(params.scriptId, params.url);
    });
    this.session.on('Debugger.paused', ({ params }) => {
      let sample;
      try {
        sample = this.paused(params.callFrames);
      } catch {
        this.giveUp();
      }
      if (sample !== undefined) this.writer.writeSample(sample.time, sample.place);
    });
  }

  ask(now) {
    this.asked = now;
    this.heard = 0;
    this.asking = true;
    try {
      this.connect();
      this.session.post('Debugger.enable');
      this.session.post('Debugger.pause');
    } catch {
      this.giveUp(); // another debugger, or none in this Node.js
    }
  }

  // The loop is never left stopped.
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

  // What was seen, or undefined.
  paused(frames) {
    const time = process.hrtime.bigint();
    this.session.post('Debugger.resume');
    this.close();
    const now = performance.now();
    // Native code is not stopped: it is asked when it ends, and until then asking costs nothing.
    const cost = Math.max(now - (this.heard || this.asked), Math.min(COST_MS, now - this.asked));
    this.next = now + (100 / this.watched) * cost;
    const place = placeOf(frames, this.scripts, __dirname);
    return place === null ? undefined : { time, place };
  }
}

module.exports = { Watch, placeOf };
