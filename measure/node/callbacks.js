// SPDX-License-Identifier: GPL-3.0-or-later
// Callbacks of asynchronous resources, as async_hooks tells of them: what is registered, and which callback is a turn, or
// runs within one. Each as cheap as it can be made, as the loop calls it.
'use strict';

const asyncHooks = require('async_hooks');
const { AsyncResource } = asyncHooks;
const { clockNs } = require('./clock.js');
const { StreamWatch } = require('./stream.js');
const { typeOfResource } = require('./late_types.js');

const MASK = 65535;
const PARSERS = 4095; // of more connections some are told of one by one

function createCallbacks({ log, turn, mute, wrap, hooked, promises, requests, connections, ports, replace }) {
  const inner = new Int32Array(MASK + 1); // ids of ticks, ~ids of microtasks, -ids of promises
  const parsers = new Int32Array(PARSERS + 1); // ids of parsers of HTTP servers
  const nestedIds = [];
  const nestedBegins = [];
  const streams = new StreamWatch((id) => log.writeAsked(id), replace);
  let firstId = Infinity; // what has a greater id was registered since the loop called back
  let lateId = 0; // what is not greater was registered before the recorder came
  const old = new Set(); // of those, whose type is written
  let promisesAreHooked = false;

  // Not `log.guarded`: that is one call more, which may fail as well where the stack ends.
  function init(id, type, trigger, resource) {
    try {
      noteInit(id, type, trigger, resource);
    } catch {
      log.torn = true;
    }
  }

  function before(id) {
    try {
      noteBefore(id);
    } catch {
      log.torn = true;
    }
  }

  function after(id) {
    try {
      noteAfter(id);
    } catch {
      log.torn = true;
    }
  }

  // --- what is registered ---

  function noteTick(id) {
    inner[id & MASK] = id;
    if (turn.depth === 1 && parsers[turn.id & PARSERS] === turn.id && turn.id > 0 && nestedIds.length === 0) muteParser();
  }

  // No other callback runs within that of a parser, and the tick that it has just registered runs
  // behind it: the last tick tells of the end of both.
  function muteParser() {
    if (mute.muted || turn.micro !== 0) return;
    mute.begin();
    if (mute.muted) turn.depth = 0;
  }

  function noteInit(id, type, trigger, resource) {
    if (type === 'TickObject') {
      mute.registered(id, resource);
      noteTick(id);
      return;
    }
    if (type === 'Microtask') {
      inner[id & MASK] = ~id;
      return;
    }
    if (type === 'PROMISE') { // somebody else has hooked promises
      promisesAreHooked = true;
      inner[id & MASK] = -id;
      return;
    }
    mute.see(type, resource);
    if (type === 'HTTPINCOMINGMESSAGE') parsers[id & PARSERS] = id;
    else if (type === 'TCPWRAP' || type === 'PIPEWRAP') type = connections.typeOf(id, type, resource);
    else if (type === 'TCPCONNECTWRAP' || type === 'PIPECONNECTWRAP') connections.connect(id, trigger, resource);
    else if (type === 'MESSAGEPORT') type = ports.typeOf(id);
    else if (type === 'ZLIB' && !streams.watch(resource)) type = 'ZLIBSTREAM';
    else if (wrap.providers !== undefined && !wrap.providers.has(type)) type = typeOfOthers(type, resource);
    log.writeRegistration(id, type, type === 'Timeout' ? resource._idleTimeout : -1);
  }

  // What is neither Node.js's own nor made by JavaScript is of a native addon.
  function typeOfOthers(type, resource) {
    const isOwn = type === 'Timeout' || type === 'Immediate' || type === 'RECORDER' || resource instanceof AsyncResource;
    return isOwn ? type : `NATIVE ${type}`;
  }

  // What was registered before the recorder came has no type yet, and is known by what Node.js calls back.
  function noteOld(id) {
    if (old.has(id)) return;
    old.add(id);
    const type = typeOfResource(asyncHooks.executionAsyncResource());
    if (type !== undefined) log.writeType(id, type);
  }

  // --- what runs ---

  function isPromise(id) {
    return inner[id & MASK] === -id || asyncHooks.executionAsyncResource() instanceof Promise;
  }

  // While ticks wait the loop has not gone on, and the clock need not be asked.
  function noteBefore(id) {
    if (mute.muted) return;
    if (id <= lateId) noteOld(id);
    const what = inner[id & MASK];
    if (what === id || what === ~id) {
      turn.depth++;
      if (what === id) mute.ranId = id;
      return;
    }
    if (promisesAreHooked && isPromise(id)) return;
    if (turn.depth > 0 && turn.micro === 0 && wrap.stack !== undefined && wrap.stack[0] <= 1) forget();
    if (turn.isOver()) {
      if (id === turn.id && mute.waits()) turn.depth = 1;
      else beginTurn(id, clockNs());
      return;
    }
    nestedIds.push(id);
    nestedBegins.push(clockNs());
    turn.depth++;
  }

  // An end was not told.
  function forget() {
    turn.depth = 0;
    nestedIds.length = nestedBegins.length = 0;
  }

  function noteAfter(id) {
    if (mute.muted) return;
    const what = inner[id & MASK];
    if (what === id || what === ~id) {
      if (turn.depth > 0) turn.depth--;
      if (turn.isOver()) turn.leave();
      return;
    }
    if (promisesAreHooked && isPromise(id)) return;
    if (turn.depth > 0) turn.depth--;
    if (nestedIds.length > 0 && !turn.isOver()) {
      log.writeRun(nestedIds.pop(), nestedBegins.pop(), clockNs(), 1);
    } else if (turn.isOver()) {
      turn.leave();
    }
  }

  // What an AsyncResource runs while ticks are muted. What was registered since the loop called back
  // depends on nothing else than this turn does, and is a part of it.
  function scopeBegun(id) {
    return id > firstId || inner[id & MASK] === ~id ? -1 : clockNs();
  }

  function scopeOver(id, begin) {
    if (begin >= 0) log.writeRun(id, begin, clockNs(), 1);
  }

  // --- turns ---

  function beginTurn(id, now) {
    turn.depth = 1;
    promises.calledBack();
    firstId = wrap.newestId();
    mute.ranId = mute.newestId;
    if (turn.goesOnWith(id, now)) return;
    closeTurn();
    promises.leaveTurn();
    turn.complete = false;
    if (hooked.unjoined && hooked.join()) now = clockNs();
    if (log.due(now * 1e-6)) {
      requests.findAborted();
      log.publish(now * 1e-6);
    }
    turn.begin(id, now);
  }

  function closeTurn() {
    if (turn.close()) connections.write(turn.endNs());
  }

  // `known`: the types of what is there already, by id; `own`: ids of it that are the recorder's, as `now` is, which runs.
  function startLate(known, own, now) {
    lateId = now;
    for (const id of own) old.add(id);
    for (const [id, type] of known) {
      if (!old.has(id)) log.writeType(id, type);
      old.add(id);
      lateId = Math.max(lateId, id);
    }
    log.writeType(now, 'RECORDER');
    lateId = Math.max(lateId, ...own);
  }

  const hook = asyncHooks.createHook({ init, before, after, trackPromises: false });
  return { hook, noteTick, scopeBegun, scopeOver, closeTurn, startLate };
}

module.exports = { createCallbacks };
