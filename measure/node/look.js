// SPDX-License-Identifier: GPL-3.0-or-later
// What the loop is in, told by the loop's own thread while a callback lasts (watch.js): it is interrupted for
// a moment and runs this. So native code is told by who called it, and nothing of the application is read but
// the names of its functions.
'use strict';

const fs = require('fs');
const vm = require('vm');
const { findSourceMap } = require('module');
const { fileURLToPath } = require('url');

const NAME = 'tailproof$look'; // of a variable of the main context, which is in no list of properties
const FRAMES = 64;
const MAPPED_MOST = 1 << 17; // bytes of a file whose map is asked for
const FUNCTIONS = 8; // of a stack are told
const ONE_NS = 500000n; // what is asked twice within this is one look
const LATE_NS = 300000n; // JavaScript answers at once, native code when it is over

const readClock = process.hrtime.bigint;
const { captureStackTrace } = Error;
const { stringify } = JSON;
let begun = 0n;
let late = false;

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

// The name of a script that is no part of Node.js or of the recorder, or null.
function fileOf(site) {
  const url = site.getScriptNameOrSourceURL();
  const isOther = typeof url === 'string' && url !== '' && !url.startsWith('node:') && !url.replace(/^file:\/\//, '').startsWith(__dirname);
  return isOther ? url : null;
}

// A function: its script, the line and column where it begins, and its name.
function functionOf({ site, file }) {
  const line = site.getEnclosingLineNumber?.() ?? site.getLineNumber();
  const column = site.getEnclosingColumnNumber?.() ?? site.getColumnNumber();
  return { url: file, line, column, name: site.getFunctionName() || '(anonymous)' };
}

// What stands between where a function begins and where it is while it has run nothing: `async function name`.
const HEADS = ['', 'function', 'function ', 'function*', 'function* ', 'function *'];
const BEFORE = ['', 'async ', 'static ', 'static async ', 'get ', 'set ', '*', '#'];

// Whether it was only just called: a function is interrupted there, and in loops.
function isEntered(site) {
  if (site.getEnclosingLineNumber?.() !== site.getLineNumber()) return false;
  const ahead = site.getColumnNumber() - site.getEnclosingColumnNumber();
  const { length } = site.getFunctionName() ?? '';
  return ahead === 0 || BEFORE.some((before) => HEADS.some((head) => [before.length + head.length, before.length + head.length + length].includes(ahead)));
}

const isSame = (one, other) => other !== undefined && one.line === other.line && one.column === other.column && one.url === other.url;

// The innermost function, and who called it in the application's own files: the innermost first. Without any of those, the
// functions of packages.
function stackOf(found) {
  if (!Array.isArray(found)) return [];
  const first = found.findIndex((site) => site.getScriptNameOrSourceURL() && !site.getScriptNameOrSourceURL().startsWith(__dirname));
  // Native code that was over when the look came was called by who called this.
  const held = late && first >= 0 && isEntered(found[first]) ? first + 1 : Math.max(first, 0);
  const all = found.slice(held).map((site) => ({ site, file: fileOf(site) })).filter(({ file }) => file !== null);
  const own = all.filter(({ file }) => !file.includes('/node_modules/'));
  const told = own.length === 0 ? all : all.filter((one, i) => i === 0 || own.includes(one));
  const functions = told.slice(0, FRAMES).map(functionOf);
  return functions.filter((one, i) => !isSame(one, functions[i - 1])).slice(0, FUNCTIONS); // a recursion is told once
}

// What Node.js knows of the source of a position, where it keeps source maps: of code that was compiled in memory, which is
// not on disk. That takes a while once for each file, so only small ones are asked for.
function sourceOf({ url, line, column }) {
  try {
    if (fs.statSync(url.startsWith('file://') ? fileURLToPath(url) : url).size > MAPPED_MOST) return null;
    const entry = findSourceMap(url)?.findEntry(line - 1, column - 1);
    if (entry?.generatedLine !== line - 1 || !entry.originalSource) return null;
    return [entry.originalSource, entry.originalLine + 1, entry.originalColumn + 1, entry.name ?? ''];
  } catch {
    return null;
  }
}

// Asked twice, with the time first: what comes before the answer to the second is the look's. From, to, in ns, and the stack,
// or what is known of the sources of functions, as JSON.
function look(asked, functions) {
  const now = readClock();
  if (functions !== undefined) {
    const sources = functions.map(sourceOf);
    return stringify([`${now}`, `${readClock()}`, sources]);
  }
  if (asked !== undefined) {
    begun = now;
    late = now - asked > LATE_NS;
    return '';
  }
  let found = [];
  try {
    found = stackOf(sites());
  } catch {
    // near the end of the stack: nothing is known
  }
  const from = now - begun < ONE_NS ? begun : now;
  return stringify([`${from}`, `${readClock()}`, found]);
}

let offered; // what sets the variable

// Before the application begins, or a recording of it.
function offer() {
  offered ??= vm.runInThisContext(`let ${NAME}; (look) => { ${NAME} = look; }`, { filename: __filename });
  offered(look);
}

const withdraw = () => offered?.(undefined);

module.exports = { offer, withdraw, NAME };
