// SPDX-License-Identifier: GPL-3.0-or-later
// What the loop is in, told by the loop's own thread while a callback lasts (watch.js): it is interrupted for
// a moment and runs this. So native code is told by who called it, and nothing of the application is read but
// the names of its functions.
'use strict';

const vm = require('vm');

const NAME = 'tailproof$look'; // of a variable of the main context, which is in no list of properties
const FRAMES = 64;
const ONE_NS = 500000n; // what is asked twice within this is one look

const readClock = process.hrtime.bigint;
const { captureStackTrace } = Error;
let begun = 0n;

// Whose frames these are. The application may have frozen Error, or look later at what belongs to it: each property is put
// back as it was.
function sites() {
  const names = ['prepareStackTrace', 'stackTraceLimit'];
  const before = names.map((name) => Object.getOwnPropertyDescriptor(Error, name));
  const set = (name, value) => Reflect.defineProperty(Error, name, { configurable: true, enumerable: true, writable: true, value });
  const holder = {};
  try {
    if (set('stackTraceLimit', FRAMES) && set('prepareStackTrace', (error, found) => found)) {
      captureStackTrace(holder, sites);
      return holder.stack;
    }
  } finally {
    names.forEach((name, i) => {
      if (before[i] === undefined) Reflect.deleteProperty(Error, name);
      else Reflect.defineProperty(Error, name, before[i]);
    });
  }
  return undefined;
}

// The path of a script that is no part of Node.js or of the recorder, or null.
function fileOf(site) {
  const url = site.getScriptNameOrSourceURL();
  if (typeof url !== 'string' || url === '' || url.startsWith('node:')) return null;
  let path = url;
  if (url.startsWith('file://')) {
    path = url.slice(7);
    try {
      path = decodeURI(path);
    } catch {
      // a name that somebody made up
    }
  }
  return path.startsWith(__dirname) ? null : path;
}

// The innermost function of the application's own files, else of its packages: file, line and column where it begins, and
// name. Files are named as people do: by the last two parts of the path.
function placeOf(found) {
  if (!Array.isArray(found)) return '';
  const files = found.map((site) => ({ site, file: fileOf(site) })).filter(({ file }) => file !== null);
  const own = files.find(({ file }) => !file.includes('/node_modules/')) ?? files[0];
  if (own === undefined) return '';
  const { site, file } = own;
  const line = site.getEnclosingLineNumber?.() ?? site.getLineNumber();
  const column = site.getEnclosingColumnNumber?.() ?? site.getColumnNumber();
  return `${file.split('/').slice(-2).join('/')}:${line}:${column} ${site.getFunctionName() || '(anonymous)'}`;
}

// Asked twice: what comes before the answer to the second is the look's. From, to, in ns, and the place.
function look(first) {
  const now = readClock();
  if (first) {
    begun = now;
    return '';
  }
  let place = '';
  try {
    place = placeOf(sites());
  } catch {
    // near the end of the stack: nothing is known
  }
  const from = now - begun < ONE_NS ? begun : now;
  return `${from} ${readClock()} ${place}`;
}

// Before the application begins.
function offer() {
  vm.runInThisContext(`let ${NAME}; (look) => { ${NAME} = look; }`, { filename: __filename })(look);
}

module.exports = { offer, NAME };
