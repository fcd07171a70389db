// SPDX-License-Identifier: GPL-3.0-or-later
// Where the application asked for something.
'use strict';

const FRAMES = 16;

// Frames of the application: none of Node.js or the recorder. The application may have frozen Error, or look later at what
// belongs to it: each property is put back as it was.
function framesOf() {
  const names = ['prepareStackTrace', 'stackTraceLimit'];
  const before = names.map((name) => Object.getOwnPropertyDescriptor(Error, name));
  const set = (name, value) => Reflect.defineProperty(Error, name, { configurable: true, enumerable: true, writable: true, value });
  let sites;
  try {
    if (set('stackTraceLimit', FRAMES) && set('prepareStackTrace', (error, found) => found)) sites = new Error().stack;
  } finally {
    names.forEach((name, i) => {
      if (before[i] === undefined) Reflect.deleteProperty(Error, name);
      else Reflect.defineProperty(Error, name, before[i]);
    });
  }
  if (!Array.isArray(sites)) return [];
  const files = sites.map((site) => ({ site, file: site.getFileName() }));
  return files.filter(({ file }) => file && !file.startsWith('node:') && !file.startsWith(__dirname));
}

// The last two parts of a path, as for functions; of packages from `node_modules` on.
function short(file) {
  const at = file.lastIndexOf('node_modules/');
  return at >= 0 ? file.slice(at) : file.split(/[\\/]/).slice(-2).join('/');
}

const placeOf = ({ site, file }) => `${short(file)}:${site.getLineNumber()}`;

// The innermost place, or undefined.
function caller() {
  const [first] = framesOf();
  return first && placeOf(first);
}

// The same in a file of the application's own, if there is one.
function ownCaller() {
  const frames = framesOf();
  const own = frames.find(({ file }) => !/[\\/]node_modules[\\/]/.test(file)) ?? frames[0];
  return own && placeOf(own);
}

module.exports = { caller, ownCaller, short };
