// SPDX-License-Identifier: GPL-3.0-or-later
// Where a function is in what people wrote: positions of compiled code become those of its source, by the source map. This
// is done by the thread beside the loop, which reads maps at the end of files, or beside them; of code that was compiled in
// memory it is sent what stood at the end. Without a map, a position of compiled code is said to be one.
'use strict';

const fs = require('fs');
const path = require('path');
const { SourceMap } = require('module');
const { parentPort, receiveMessageOnPort } = require('worker_threads');
const { commentOf } = require('./comment.js');

const KEPT = 16; // files whose maps are kept
const FILE_MOST = 64 << 20; // bytes of a file that is read
const COMPILED = /\.(?:[cm]?tsx?|jsx|vue|svelte|coffee)$/i; // what no Node.js runs as it is

const plain = (url) => (url.startsWith('file://') ? url.slice(7).split(/[?#]/)[0] : url.replace(/\?[0-9a-f]*$/, ''));

function pathOf(url) {
  const file = plain(url);
  try {
    return url.startsWith('file://') ? decodeURI(file) : file;
  } catch {
    return file; // a name that somebody made up
  }
}

// Files are named as people do: by the last two parts of the path, those of packages from `node_modules` on.
function short(file) {
  const at = file.lastIndexOf('node_modules/');
  return at >= 0 ? file.slice(at) : file.split('/').filter((part) => part !== '.').slice(-2).join('/');
}

// A function, as it is told; functions of a stack have `;` between them.
const say = (file, line, column, name) => `${file}:${line}:${column} ${name}`.replaceAll(';', ',');

function readText(file) {
  try {
    return path.isAbsolute(file) && fs.statSync(file).size <= FILE_MOST ? fs.readFileSync(file, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

// Of the map that the comment in a file names, or undefined.
function parse(url, file) {
  try {
    const [, base64, data] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
    const beside = path.resolve(path.dirname(file), decodeURI(plain(url)));
    const text = data === undefined ? readText(beside) : base64 ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
    return new SourceMap(JSON.parse(text.replace(/^\)\]\}'?.*\n/, '')));
  } catch {
    return undefined;
  }
}

// What a map says of a position: [source, line, column, name], each from 1 on, or undefined.
function entryOf(map, line, column) {
  const entry = map.findEntry(line - 1, column - 1);
  if (entry?.generatedLine !== line - 1 || !entry.originalSource) return undefined;
  return [entry.originalSource, entry.originalLine + 1, entry.originalColumn + 1, entry.name];
}

// Of `Page.render` the last word; of a function without a name none.
const wordOf = (name) => /[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.exec(name)?.[0];
const hasWord = (text, word) => new RegExp(`(?<![\\p{ID_Continue}$])${word.replace(/\$/g, '\\$')}(?![\\p{ID_Continue}$])`, 'u').test(text);
const FUNCTION = /^(?:async\s+)?function\s*\*?\s*([\p{ID_Start}$_][\p{ID_Continue}$]*)/u;
const METHOD = /^(?:(?:static|async|get|set)\s+|\*\s*)*([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?:<[^(]*>)?\(/u;
const ASSIGNED = /([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*(?::[^=;]*)?=\s*(?:async\s*)?$/u;

class Sources {
  constructor() {
    this.sent = new Map(); // file to what stood at its end
    this.known = new Map(); // file to {map, lines}
  }

  receive() {
    for (let next; (next = receiveMessageOnPort(parentPort)) !== undefined;) this.sent.set(next.message.file, next.message.url);
  }

  // Of a file: its map, or its lines, and whether it is said to have a map at all.
  look(file) {
    let found = this.known.get(file);
    if (found !== undefined) return found;
    const inMemory = this.sent.has(file);
    const text = inMemory ? undefined : readText(file);
    const url = inMemory ? this.sent.get(file) : text && commentOf(text);
    const map = url && parse(url, file);
    found = { inMemory, map, isMapped: url !== undefined, lines: map === undefined ? text?.split('\n') : undefined };
    if (this.known.size >= KEPT) this.known.delete(this.known.keys().next().value);
    this.known.set(file, found);
    return found;
  }

  // Whether the function can be there in the file as it is: the line has the place, and the name.
  fits(file, lines, { line, column, name }) {
    const text = lines[line - 1];
    if (text === undefined || column > text.length + 1) return false;
    const word = wordOf(name);
    if (word === undefined) return !COMPILED.test(file) || Boolean(process.features.typescript);
    return hasWord(`${lines[line - 2] ?? ''}\n${text}`, word);
  }

  // Of a line of source, what the function that begins there is called, where compiled code calls it otherwise.
  nameIn(line, column, own) {
    const word = wordOf(own);
    if (line === undefined || (word !== undefined && hasWord(line, word))) return own;
    const [before, behind] = [line.slice(0, column - 1), line.slice(column - 1)];
    if (word === undefined) return FUNCTION.exec(behind)?.[1] ?? own;
    const found = FUNCTION.exec(behind) ?? METHOD.exec(behind) ?? ASSIGNED.exec(before);
    return found?.[1] ?? own;
  }

  // The lines of a source, which a map may have with it.
  linesOf(payload, source, file) {
    const content = payload?.sourcesContent?.[payload.sources.findIndex((one) => `${payload.sourceRoot ?? ''}${one}` === source || one === source)];
    return (content ?? readText(file))?.split('\n');
  }

  // A function's place in the source that a map has told of in [source, line, column, name], each from 1 on.
  place(file, [source, line, column, name], { name: own }, payload) {
    const found = /^[a-z][a-z0-9+.-]*:/i.test(source) ? pathOf(source) : path.resolve(path.dirname(file), source);
    const called = name || this.nameIn(this.linesOf(payload, source, found)?.[line - 1], column, own);
    return say(short(found), line, column, called);
  }

  // The function at a position of a script, {url, line, column, name}: its place, and whether to ask the loop for a map that
  // Node.js may have.
  find(at) {
    this.receive();
    const file = pathOf(at.url);
    const { inMemory, map, isMapped, lines } = this.look(file);
    const told = map && entryOf(map, at.line, at.column);
    if (told !== undefined) return { place: this.place(file, told, at, map.payload), ask: false };
    const itself = say(short(file), at.line, at.column, at.name);
    const compiled = say(`${short(file)} (compiled)`, at.line, at.column, at.name);
    if (inMemory) return { place: compiled, ask: false };
    if (isMapped) return { place: itself, ask: false }; // it is the compiled file, and has this name
    const needs = COMPILED.test(file) || at.url.startsWith('webpack');
    const fits = lines === undefined ? !needs : this.fits(file, lines, at);
    return { place: fits ? itself : compiled, ask: needs || !fits };
  }

  // What the loop answered to that.
  told(at, answer) {
    return Array.isArray(answer) && this.place(pathOf(at.url), answer, at);
  }
}

module.exports = { Sources };
