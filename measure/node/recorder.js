// SPDX-License-Identifier: GPL-3.0-or-later
// The recorder of a thread: what watches its loop, put together, begun and ended.
'use strict';

const asyncHooks = require('async_hooks');
const http = require('http');
const https = require('https');
const Module = require('module');
const { WORD } = require('./log.js');
const { clock, clockNs, originOfClock } = require('./clock.js');
const { Records } = require('./records.js');
const { Undo } = require('./undo.js');
const { AsyncWrap, findBinding } = require('./async_wrap.js');
const { Mute } = require('./mute.js');
const { Turn } = require('./turn.js');
const { Connections } = require('./connections.js');
const { Ports } = require('./ports.js');
const { createPromises } = require('./promises.js');
const { Hooked } = require('./hooked.js');
const { Requests } = require('./requests.js');
const { Http2Streams } = require('./http2.js');
const { createCallbacks } = require('./callbacks.js');
const { watchScopes } = require('./scopes.js');
const { watchCollections } = require('./collections.js');
const { watchCompilations } = require('./compile.js');
const { Pools } = require('./pools.js');
const { tryAll } = require('./stopped.js');

function createRecorder(environment = process.env) {
  const log = new Records(clock, originOfClock());
  const undo = new Undo();
  const { replace } = undo;
  const wrap = new AsyncWrap();
  const mute = new Mute();
  const turn = new Turn(log, mute);
  const connections = new Connections(log);
  const ports = new Ports((id, place) => connections.ofPort(id, place));
  const promises = createPromises({ log, turn, mute });
  const hooked = new Hooked(promises.hooks, wrap);
  const requests = new Requests({ log, turn, patterns: environment.TAILPROOF_NODE_ROUTES });
  const streams = new Http2Streams({ log, requests, replace });
  const callbacks = createCallbacks({ log, turn, mute, wrap, hooked, promises, requests, connections, ports, replace });
  const pools = new Pools({
    tell(asked, connection, name) {
      turn.complete = true;
      log.writeGrant(asked, connection, name);
    },
    now: clockNs,
    turn: () => log.words[WORD.TURN],
    unknown: (what) => log.writeUnknown(what),
    undo: undo.list,
  });
  let alone = true; // nobody else can have hooked promises before

  // Where the binding is not to be had, hooks are set as Node.js's documentation says.
  function useAsyncWrap() {
    const found = findBinding(alone);
    const { constants, async_hook_fields: counts, async_id_fields: ids } = found;
    mute.use(counts, constants);
    mute.watchTicks(ids, constants, callbacks.noteTick, replace);
    if (mute.counts !== null) mute.scoped = watchScopes(mute, callbacks.scopeBegun, callbacks.scopeOver, replace);
    wrap.use(found);
  }

  function hook() {
    hooked.enter();
    callbacks.hook.enable();
    mute.hooked = true;
    hooked.begin(alone);
  }

  function unhook() {
    mute.end();
    mute.hooked = false;
    callbacks.hook.disable();
  }

  function watchCode(known, compiled) {
    const loaded = log.guarded((filename, module) => pools.loaded(filename, () => module.exports));
    watchCompilations(clock, {
      tell: log.guarded((begin, end, name) => log.writeCompilation(name, Math.round(begin * 1e6), Math.round(end * 1e6))),
      loaded,
      compiled: log.guarded(compiled),
      replace,
    });
    pools.start(http);
    if (known !== undefined) for (const [file, module] of Object.entries(Module._cache)) loaded(file, module);
  }

  // `own`: ids of the writer's thread, which was made before the hooks. `known`: in a process that has run before, the types of
  // what is there, by id. `compiled(filename, content)` is called of each module that is loaded.
  function start(own, known, compiled) {
    for (const id of own) log.writeType(id, 'RECORDER');
    const now = asyncHooks.executionAsyncId();
    if (known !== undefined) callbacks.startLate(known, own, now);
    turn.beginFirst(now || 1);
    alone = known === undefined && Object.keys(Module._cache).every((file) => file.startsWith(__dirname));
    tryAll(useAsyncWrap);
    alone = alone && wrap.countHooks() === 0;
    hook();
    requests.subscribe();
    for (const { Server } of [http, https]) requests.watchUpgrades(Server.prototype, replace);
    streams.watch();
    undo.list.push(watchCollections(log));
    watchCode(known, compiled);
  }

  // Between pause and resume nothing is recorded; for measurements of what recording costs.
  function pause() {
    quit();
    callbacks.closeTurn();
    turn.depth = turn.micro = 0;
  }

  function resume() {
    hook();
    requests.subscribe();
  }

  // Nothing is recorded from here on; what the application has hooked stays.
  function quit() {
    unhook();
    hooked.leave();
    requests.unsubscribe();
  }

  // As if nothing had been recorded. Ticks that wait are run by functions of ours still.
  function leave() {
    quit();
    undo.all();
  }

  function stop() {
    unhook();
    turn.endLast();
    callbacks.closeTurn();
    requests.findAborted();
    log.publish(clock());
  }

  const makeWorker = (make) => ports.around(make);

  return { log, replace, start, stop, pause, resume, quit, leave, makeWorker };
}

module.exports = { createRecorder };
