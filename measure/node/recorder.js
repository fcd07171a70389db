// SPDX-License-Identifier: GPL-3.0-or-later
// What runs on the loop: hooks of asynchronous resources, promises, requests and collections, each
// as cheap as it can be made.
//
// A turn is one callback from the loop and all ticks and microtasks that Node.js runs behind it
// before the loop goes on. Those are not recorded one by one: a turn is one record, begin and end.
// What a tick registers is registered within the turn, so that no dependence is lost. Promises that
// are continued in another turn than the one that waits for them are recorded.
'use strict';

const { PerformanceObserver, constants } = require('perf_hooks');
const asyncHooks = require('async_hooks');
const { AsyncResource } = asyncHooks;
const channels = require('diagnostics_channel');
const http = require('http');
const https = require('https');
const Module = require('module');
const net = require('net');
const { Log, OP, MORE, PAUSE, WORD, TURN } = require('./log.js');
const { Mute } = require('./mute.js');
const { clock, originOfClock } = require('./clock.js');
const { Stamp } = require('./stamp.js');
const { Fresh } = require('./fresh.js');
const { Hooked } = require('./hooked.js');
const { watchScopes } = require('./scopes.js');
const { Routes } = require('./routes.js');
const { watchCompilations } = require('./compile.js');
const { StreamWatch } = require('./stream.js');
const { Pools } = require('./pools.js');
const { Ports } = require('./ports.js');
const { typeOfResource } = require('./late_types.js');

const MASK = 65535;
const PARSERS = 4095; // of more connections some are told of one by one
const HANDLES = 256; // of more that are made at once some are not told where they go to
const { BEGIN, END, ID } = TURN;
// Callbacks of one resource that follow this closely are one turn: what was read of a request is
// several. Behind an answer it is another request, which was read later; behind a connection that
// a pool gave it is what was asked by it.
const MERGE_NS = 20000;
const ASKED = 2; // microtasks of a turn whose end is looked up; that of more is told by a tick behind them,
const MANY = 20; // and that of more by one that hooks are told of
const NEWEST = 16; // responses of which it is looked up which one is finished
const OWN_HOOKS = 3; // init, before, after
const JOINS = 1000; // of hooks of promises; where others set theirs anew so often they are called as Node.js does
const ENDS = 2 ** 31; // from here on, ids of the ends of streams
const nothing = () => {};
const { nextTick } = process; // Node.js's own

function createRecorder(environment = process.env) {
  const log = new Log(clock, originOfClock());
  const words = log.words;
  const inner = new Int32Array(MASK + 1); // ids of ticks, ~ids of microtasks, -ids of promises
  let depth = 0; // callbacks and ticks that are running, one within the other
  let micro = 0; // 1: within a microtask
  let stack; // its first entry is how many Node.js knows of
  let turnId = 0; // 0: no turn yet
  let firstId = Infinity; // what has a greater id was registered since the loop called back
  let lateId = 0; // what is not greater was registered before the recorder came
  const old = new Set(); // of those, whose type is written
  const peer = new WeakMap(); // of a connection: its type, and where it goes to
  let complete = false; // a request was answered in this turn, or a connection given
  const turn = new Float64Array(log.shared, TURN.AT, TURN.COUNT); // numbers in variables would be allocated
  const nestedIds = [];
  const nestedBegins = [];
  const mute = new Mute();
  const parsers = new Int32Array(PARSERS + 1); // ids of parsers of HTTP servers
  const connecting = []; // whose other end is not yet written
  let providers; // the types of Node.js's own native resources, if they are known
  const known = []; // ports, with what they belong to
  const streams = new StreamWatch(noteAsked, replace);
  const ports = new Ports(notePeer);
  const handles = new Array(HANDLES).fill(undefined); // the newest connections, by id; what is closed may be collected
  let promisesAreHooked = false;

  const undo = []; // what makes the process as it was

  const ns = () => Math.round(clock() * 1e6);

  // `own` stands in the place of what is in the object under this name.
  function replace(object, name, own) {
    const original = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { configurable: true, enumerable: original?.enumerable ?? false, writable: true, value: own });
    undo.push(() => {
      if (Object.getOwnPropertyDescriptor(object, name)?.value !== own) return; // somebody else's is around it, and calls it
      if (original === undefined) delete object[name];
      else Object.defineProperty(object, name, original);
    });
  }

  function writeRun(id, begin, end, within) {
    if (!log.room(end * 1e-6)) return;
    log.head(OP.RUN, within);
    log.id(id);
    log.signed(begin - log.lastTime);
    log.varint(end - begin);
    log.lastTime = end;
    log.done();
  }

  function closeTurn() {
    if (turnId === 0) return;
    if (turn[END] === turn[BEGIN]) turn[END] = Math.max(turn[END], log.lastTime); // the main script
    writeRun(turnId, turn[BEGIN], turn[END], 0);
    turnId = turn[ID] = 0;
    if (connecting.length > 0) writePeers();
    while (known.length > 0 && log.room(turn[END] * 1e-6)) {
      const { id, place } = known.pop();
      writePeer(id, place);
    }
  }

  // A connection that an agent kept has a new id for each request, and is known by its handle.
  function typeOfConnection(id, type, resource) {
    const { handle } = resource;
    const known = typeof handle === 'object' && handle !== null ? peer.get(handle) : undefined;
    if (known !== undefined) return known;
    handles[id % HANDLES] = { id, type, handle: new WeakRef(resource) };
    return type;
  }

  // The handle is what triggers. Where several addresses are tried each has a handle, made just before, and in some versions
  // the first of them triggers still. A handle connects once.
  function noteConnect(id, trigger, request) {
    const of = [trigger, id - 1].find((one) => handles[one % HANDLES]?.id === one);
    if (of === undefined) return;
    const found = handles[of % HANDLES];
    handles[of % HANDLES] = undefined;
    const handle = found.handle.deref();
    if (handle !== undefined) connecting.push({ id: of, type: found.type, handle, request });
  }

  // Where connections go to: an address with its port, or the path of a socket.
  function writePeers() {
    for (const { id, type, handle, request } of connecting) {
      const { address, port } = request; // Node.js sets them behind the hook
      if (typeof address !== 'string' || !log.room(turn[END] * 1e-6)) continue;
      const host = address.includes(':') ? `[${address}]` : address;
      const place = port === undefined ? address : `${host}:${port}`;
      peer.set(handle, `${type} ${place}`);
      writePeer(id, place);
    }
    connecting.length = 0;
  }

  // The caller has asked for room.
  function writePeer(id, place) {
    const text = log.string(place);
    log.head(OP.MORE, MORE.PEER);
    log.id(id);
    log.varint(text);
    log.done();
  }

  // Behind the turn, in which it was registered.
  function notePeer(id, place) {
    known.push({ id, place });
  }

  function noteTick(id) {
    inner[id & MASK] = id;
    if (depth === 1 && parsers[turnId & PARSERS] === turnId && turnId > 0 && nestedIds.length === 0) muteParser();
  }

  // Nothing that fails here may reach the application, whose objects the hooks are given, and whose stack
  // may be at its end: a record is left out then, and counted. Without a call, which may fail as well.
  const guard = (work) => function (a, b, c) {
    try {
      return work.call(this, a, b, c);
    } catch {
      log.torn = true;
    }
  };

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
    else if (type === 'TCPWRAP' || type === 'PIPEWRAP') type = typeOfConnection(id, type, resource);
    else if (type === 'TCPCONNECTWRAP' || type === 'PIPECONNECTWRAP') noteConnect(id, trigger, resource);
    else if (type === 'MESSAGEPORT') type = ports.typeOf(id);
    else if (type === 'ZLIB' && !streams.watch(resource)) type = 'ZLIBSTREAM';
    else if (providers !== undefined && !providers.has(type)) type = typeOfOthers(type, resource);
    register(id, type, type === 'Timeout' ? resource._idleTimeout : -1);
  }

  // What is neither Node.js's own nor made by JavaScript is of a native addon.
  function typeOfOthers(type, resource) {
    const isOwn = type === 'Timeout' || type === 'Immediate' || type === 'RECORDER' || resource instanceof AsyncResource;
    return isOwn ? type : `NATIVE ${type}`;
  }

  // With the time of a timer, else -1.
  function register(id, type, ms) {
    const now = ns();
    if (!log.room(now * 1e-6)) return;
    const code = log.string(type);
    log.head(ms >= 0 ? OP.TIMER : OP.INIT, code < 31 ? code : 31);
    if (code >= 31) log.varint(code);
    log.id(id);
    log.time(now);
    if (ms >= 0) log.varint(Math.ceil(ms));
    log.done();
  }

  // What is there for long asks for something: its next callback waits for that.
  function noteAsked(id) {
    const now = ns();
    if (!log.room(now * 1e-6)) return;
    log.head(OP.MORE, MORE.ASKED);
    log.id(id);
    log.time(now);
    log.done();
  }

  function isPromise(id) {
    return inner[id & MASK] === -id || asyncHooks.executionAsyncResource() instanceof Promise;
  }

  // While ticks wait the loop has not gone on, and the clock need not be asked.
  function noteBefore(id) {
    if (mute.muted) return;
    if (id <= lateId) noteOld(id);
    const what = inner[id & MASK];
    if (what === id || what === ~id) {
      depth++;
      if (what === id) mute.ranId = id;
      return;
    }
    if (promisesAreHooked && isPromise(id)) return;
    if (depth > 0 && micro === 0 && stack !== undefined && stack[0] <= 1) forget();
    if (depth + micro === 0) {
      if (id === turnId && mute.waits()) depth = 1;
      else beginTurn(id, ns());
      return;
    }
    nestedIds.push(id);
    nestedBegins.push(ns());
    depth++;
  }

  // An end was not told.
  function forget() {
    depth = 0;
    nestedIds.length = nestedBegins.length = 0;
  }

  // What was registered before the recorder came has no type yet, and is known by what Node.js calls back.
  function noteOld(id) {
    if (old.has(id)) return;
    old.add(id);
    const type = typeOfResource(asyncHooks.executionAsyncResource());
    if (type !== undefined) writeType(id, type);
  }

  function beginTurn(id, now) {
    depth = 1;
    microtasks = 0;
    if (ids !== undefined) firstId = ids[counter];
    mute.ranId = mute.newestId;
    if (id === turnId && !complete && now - turn[END] < MERGE_NS) return;
    closeTurn();
    fresh.leave();
    complete = false;
    if (unjoined && joins < JOINS) {
      joinHooks();
      now = ns();
    }
    if (log.due(now * 1e-6)) {
      findAborted();
      log.publish(now * 1e-6);
    }
    turnId = turn[ID] = id;
    turn[BEGIN] = turn[END] = now;
    words[WORD.TURN] = ++turns & 0x3fffffff;
    words[WORD.BUSY] = 1;
  }

  function endTurn() {
    turn[END] = ns();
    words[WORD.BUSY] = 0;
  }

  // A callback, or a tick, is over: the loop goes on unless ticks wait.
  function leave() {
    if (mute.waits()) muteTicks();
    else endTurn();
  }

  function muteTicks() {
    if (mute.waits() && !mute.muted) mute.begin();
  }

  // No other callback runs within that of a parser, and the tick that it has just registered runs
  // behind it: the last tick tells of the end of both.
  function muteParser() {
    if (mute.muted || micro !== 0) return;
    mute.begin();
    if (mute.muted) depth = 0;
  }

  function noteAfter(id) {
    if (mute.muted) return;
    const what = inner[id & MASK];
    if (what === id || what === ~id) {
      if (depth > 0) depth--;
      if (depth + micro === 0) leave();
      return;
    }
    if (promisesAreHooked && isPromise(id)) return;
    if (depth > 0) depth--;
    if (nestedIds.length > 0 && depth + micro > 0) {
      writeRun(nestedIds.pop(), nestedBegins.pop(), ns(), 1);
    } else if (depth + micro === 0) {
      leave();
    }
  }

  // What an AsyncResource runs while ticks are muted. What was registered since the loop called back
  // depends on nothing else than this turn does, and is a part of it.
  function scopeBegun(id) {
    return id > firstId || inner[id & MASK] === ~id ? -1 : ns();
  }

  function scopeOver(id, begin) {
    if (begin >= 0) writeRun(id, begin, ns(), 1);
  }

  // --- promises ---

  // Most are continued in the turn that registered them: their order says so, and they get no stamp.
  const fresh = new Fresh((promise, since) => Stamp.set(promise, since));
  let since; // when the promise that continues was registered, in an earlier turn
  let continued = 0; // when it does
  let microtasks = 0; // of this turn, that have ended

  function promiseInit(promise, parent) {
    try {
      if (parent !== undefined) fresh.add(promise, ns());
    } catch {
      log.torn = true;
    }
  }

  function promiseBefore(promise) {
    micro = 1;
    words[WORD.BUSY] = 1;
    since = undefined;
    if (depth > 0) return;
    try {
      if (fresh.take(promise)) return;
      const before = Stamp.get(promise);
      if (before === undefined || before >= turn[BEGIN]) return;
      since = before;
      continued = ns();
    } catch {
      log.torn = true;
    }
  }

  function promiseAfter() {
    micro = 0;
    if (depth > 0) return;
    try {
      if (since === undefined) noteMicrotask();
      else notePromise();
    } catch {
      log.torn = true;
    }
  }

  // Is it the last of the turn? A tick runs behind all microtasks: of one that waits the end is told. One of the recorder's
  // costs what two looks at the clock do, or, where its hook is told of it, twenty.
  function noteMicrotask() {
    if (mute.waits()) {
      muteTicks();
      return;
    }
    if (++microtasks > ASKED && (mute.schedule(nothing) || microtasks > MANY && scheduleTold())) {
      microtasks = 0;
      muteTicks();
    } else {
      endTurn();
    }
  }

  function scheduleTold() {
    if (!mute.alone()) return false;
    nextTick(nothing);
    return mute.waits();
  }

  function notePromise() {
    endTurn();
    muteTicks();
    const [begin, end] = [continued, turn[END]];
    if (!log.room(end * 1e-6)) return;
    log.head(OP.MORE, MORE.PROMISE);
    log.signed(begin - log.lastTime);
    log.varint(end - begin);
    log.varint(begin - since);
    log.lastTime = end;
    log.done();
  }

  // --- requests ---

  let requests = 0;
  let turns = 0;
  let noticed = -1; // the turn in which the last was
  const routes = new Routes(environment.TAILPROOF_NODE_ROUTES);

  const open = new Array(MASK + 1).fill(undefined); // responses, by number
  const numbers = new WeakMap(); // of those that are not among the newest
  const ended = new Uint8Array(MASK + 1); // 1: the end of this stream is known
  let oldest = 1;

  // Clients that went away leave a response that is destroyed and was not finished. No listener is
  // needed: it is enough to look now and then.
  function findAborted() {
    while (oldest <= requests && open[oldest & MASK] === undefined) oldest++;
    for (let which = Math.max(oldest, requests - MASK); which <= requests; which++) {
      const response = open[which & MASK];
      if (response === undefined || !response.destroyed) continue;
      if (response.writableFinished && !response.aborted) continue;
      if (!log.room(clock())) return;
      close(which, response);
      log.head(OP.MORE, MORE.ABORT);
      log.signed(which - log.lastRequest);
      log.done();
    }
  }

  const onUpgrade = guard((request) => {
    const now = ns();
    if (!log.room(now * 1e-6)) return;
    const text = log.string(routes.of(request.method, request.url));
    log.head(OP.MORE, MORE.UPGRADE);
    log.time(now);
    log.varint(text);
    log.done();
  });

  // Upgrades have no channel.
  function watchUpgrades(prototype) {
    const { emit } = prototype;
    replace(prototype, 'emit', function (event, request) {
      if (event === 'upgrade' || event === 'connect') onUpgrade(request);
      return emit.apply(this, arguments);
    });
  }

  // Where a framework knows the pattern that a request matched, that is its route.
  function writeRoute(request, which) {
    const text = log.string(routes.matched(request.method, request.baseUrl, request.route.path));
    log.head(OP.MORE, MORE.ROUTE);
    log.signed(which - log.lastRequest);
    log.varint(text);
    log.done();
  }

  // A number on a response would make another kind of object of it, for all code that uses it.
  function numberOf(response) {
    for (let which = requests; which > requests - NEWEST && which > 0; which--) if (open[which & MASK] === response) return which;
    return numbers.get(response);
  }

  function close(which, response) {
    if (which <= requests - NEWEST) numbers.delete(response);
    if (open[which & MASK] === response) open[which & MASK] = undefined;
  }

  // `response` is what will be finished or destroyed.
  function notice(response, method, url) {
    const now = noticed === turns ? ns() : turn[BEGIN]; // the first of a turn is what it begins with
    noticed = turns;
    const left = open[(requests - NEWEST + 1) & MASK];
    if (left !== undefined) numbers.set(left, requests - NEWEST + 1);
    requests++;
    open[requests & MASK] = response;
    ended[requests & MASK] = 0;
    if (!log.room(now * 1e-6)) return;
    const text = log.string(routes.of(method, url));
    log.head(OP.REQUEST, 0);
    log.signed(requests - log.lastRequest);
    log.lastRequest = requests;
    log.time(now);
    log.varint(text);
    log.done();
  }

  // `stream`: 1 if others share the connection.
  function answer(which, response, status, request, now, stream) {
    complete = true;
    close(which, response);
    if (!log.room(now * 1e-6)) return;
    const pattern = request?.route;
    if (pattern !== undefined && typeof pattern?.path === 'string') writeRoute(request, which);
    log.head(OP.RESPONSE, stream);
    log.signed(which - log.lastRequest);
    log.time(now);
    log.varint(status);
    log.done();
  }

  const onRequest = guard(({ request, response }) => notice(response, request.method, request.url));

  const onResponse = guard(({ request, response }) => {
    const which = numberOf(response);
    if (which !== undefined) answer(which, response, response.statusCode, request, ns(), 0);
  });

  // The connection tells that a stream of HTTP/2 is finished. Who ended it is what counts: that is a
  // registration of its own. Streams are finished as well when the client went away.
  const onFinish = guard(function () {
    const status = this.sentHeaders?.[':status'];
    if (status === undefined || this.aborted) return;
    const begin = ns();
    const now = ns();
    const which = numberOf(this);
    if (which === undefined) return;
    if (ended[which & MASK] !== 0) writeRun(ENDS + which, begin, now, 1);
    answer(which, this, status, undefined, now, 1);
  });

  const noteEnd = guard((stream) => {
    const which = numberOf(stream);
    if (which === undefined || ended[which & MASK] !== 0) return;
    register(ENDS + which, 'HTTP2STREAM', -1);
    ended[which & MASK] = 1;
  });

  const prototypes = new WeakSet(); // of streams of servers, whose `end` is noted

  function watchEnd(prototype) {
    if (prototypes.has(prototype)) return;
    prototypes.add(prototype);
    const { end: original } = prototype;
    replace(prototype, 'end', function () {
      noteEnd(this);
      return Reflect.apply(original, this, arguments);
    });
  }

  const onStream = guard((stream, headers) => {
    notice(stream, headers[':method'], headers[':path'] ?? '');
    watchEnd(Object.getPrototypeOf(stream));
    stream.once('finish', onFinish);
  });

  // Servers of HTTP/2 have no channel; their class is known by what it is derived from.
  function watchStreams() {
    const { emit } = net.Server.prototype;
    replace(net.Server.prototype, 'emit', function (event, stream, headers) {
      if (event === 'stream' && typeof stream?.respond === 'function') onStream(stream, headers);
      return emit.apply(this, arguments);
    });
  }

  // --- collections ---

  const kinds = new Map([
    [constants.NODE_PERFORMANCE_GC_MINOR, 0],
    [constants.NODE_PERFORMANCE_GC_MAJOR, 1],
    [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 2],
    [constants.NODE_PERFORMANCE_GC_WEAKCB, 3],
  ]);

  const onCollections = guard((list) => {
    for (const entry of list.getEntries()) {
      const start = Math.round(entry.startTime * 1e6);
      if (!log.room(clock())) return;
      log.head(OP.PAUSE, kinds.get(entry.detail.kind) ?? 1);
      log.signed(start - log.lastTime);
      log.varint(Math.round(entry.duration * 1e6));
      log.done();
    }
  });

  const onCompilation = guard((beginMs, endMs, name) => {
    if (!log.room(clock())) return;
    const text = log.string(name);
    const begin = Math.round(beginMs * 1e6);
    log.head(OP.PAUSE, PAUSE.COMPILATION);
    log.signed(begin - log.lastTime);
    log.varint(Math.round(endMs * 1e6) - begin);
    log.varint(text);
    log.done();
  });

  // --- pools of connections ---

  const pools = new Pools({ tell: noteGrant, now: ns, turn: () => words[WORD.TURN], unknown: noteUnknown, undo });
  const onLoaded = guard((filename, module) => pools.loaded(filename, () => module.exports));

  function noteGrant(asked, connection, name) {
    const now = ns();
    complete = true;
    if (!log.room(now * 1e-6)) return;
    const text = log.string(name);
    log.head(OP.MORE, MORE.GRANT);
    log.time(now);
    log.varint(now - asked);
    log.varint(connection);
    log.varint(text);
    log.done();
  }

  function noteUnknown(what) {
    if (!log.room(clock())) return;
    const text = log.string(what);
    log.head(OP.MORE, MORE.UNKNOWN);
    log.varint(text);
    log.done();
  }

  // --- start and end ---

  const hook = asyncHooks.createHook({ init, before, after, trackPromises: false });

  function enableHook() {
    hook.enable();
    mute.hooked = true;
  }

  function unhook() {
    mute.end();
    mute.hooked = false;
    hook.disable();
  }

  const ours = [promiseInit, promiseBefore, promiseAfter];
  const hooked = new Hooked([listedInit, promiseBefore, promiseAfter]);
  let unjoined = false; // Node.js calls ours from its lists
  let joins = 0;
  let others = false; // may have hooked promises before
  let binding;
  let ids; // of Node.js: the newest is number `counter` of them
  let counter;

  function useBinding(found) {
    const { constants, async_hook_fields: counts } = found;
    if (typeof constants.kAsyncIdCounter === 'number') [ids, counter] = [found.async_id_fields, constants.kAsyncIdCounter];
    const at = constants.kStackLength;
    if (typeof at === 'number') stack = counts.subarray(at, at + 1);
    mute.use(counts, constants);
    if (typeof found.Providers === 'object') providers = new Set(Object.keys(found.Providers));
    mute.watchTicks(found.async_id_fields, constants, noteTick, replace);
    if (mute.counts !== null) mute.scoped = watchScopes(mute, scopeBegun, scopeOver, replace);
    binding = found;
  }

  function quietly(work) {
    const quiet = Object.getOwnPropertyDescriptor(process, 'noDeprecation');
    process.noDeprecation = true;
    try {
      work();
    } catch {
      // newer versions have no such binding, and do as trackPromises says
    }
    if (quiet === undefined) delete process.noDeprecation;
    else Object.defineProperty(process, 'noDeprecation', quiet);
  }

  // How many hooks there are, of all kinds.
  function countHooks() {
    if (binding === undefined) return 0;
    const { constants: { kInit, kBefore, kAfter, kDestroy, kPromiseResolve }, async_hook_fields: counts } = binding;
    return [kInit, kBefore, kAfter, kDestroy, kPromiseResolve].reduce((sum, kind) => sum + counts[kind], 0);
  }

  // Nobody is told of anything meanwhile, as nothing of it is the application's.
  function untold(work) {
    const { constants: { kInit, kBefore, kAfter }, async_hook_fields: counts } = binding;
    const before = [kInit, kBefore, kAfter].map((kind) => [kind, counts[kind]]);
    for (const [kind] of before) counts[kind] = 0;
    try {
      work();
    } finally {
      for (const [kind, count] of before) counts[kind] = count;
    }
  }

  // createHook hooks promises as well, at four times the price of what is needed here. The
  // application's own hooks set them again, and Node.js then calls all from its lists.
  function setPromiseHooks(functions) {
    if (binding?.setPromiseHooks === undefined) return;
    joins++;
    unjoined = false;
    quietly(() => binding.setPromiseHooks(...functions));
  }

  function hookPromises() {
    hooked.enter();
    enableHook();
    if (others) unjoined = true;
    else setPromiseHooks(ours);
  }

  function listedInit(promise, parent) {
    unjoined = true;
    promiseInit(promise, parent);
  }

  // Where nobody else has hooked anything ours are enough.
  function joinHooks() {
    unjoined = false;
    joins++;
    if (binding?.setPromiseHooks === undefined || !hooked.find(untold)) {
      joins = JOINS;
      return;
    }
    const joined = hooked.joined(ours, countHooks() > OWN_HOOKS);
    if (joined !== undefined) setPromiseHooks(joined);
  }

  function writeType(id, type) {
    if (!log.room(clock())) return;
    const text = log.string(type);
    log.head(OP.MORE, MORE.TYPED);
    log.id(id);
    log.varint(text);
    log.done();
  }

  // Ids of the writer's thread, which was made before the hooks. `known`: in a process that has run before, the types of what
  // is there, by id.
  // `compiled(filename, content)` is called of each module that is loaded.
  function start(own, known, compiled) {
    for (const id of own) writeType(id, 'RECORDER');
    if (known !== undefined) {
      lateId = asyncHooks.executionAsyncId();
      for (const id of own) old.add(id);
      for (const [id, type] of known) {
        if (!old.has(id)) writeType(id, type);
        old.add(id);
        lateId = Math.max(lateId, id);
      }
      writeType(asyncHooks.executionAsyncId(), 'RECORDER');
      lateId = Math.max(lateId, ...own);
    }
    turnId = turn[ID] = asyncHooks.executionAsyncId() || 1;
    turn[BEGIN] = turn[END] = ns();
    quietly(() => useBinding(process.binding('async_wrap')));
    others = known !== undefined || countHooks() > 0 || Object.keys(Module._cache).some((file) => !file.startsWith(__dirname));
    hookPromises();
    channels.subscribe('http.server.request.start', onRequest);
    channels.subscribe('http.server.response.finish', onResponse);
    watchUpgrades(http.Server.prototype);
    watchUpgrades(https.Server.prototype);
    watchStreams();
    const collections = new PerformanceObserver(onCollections);
    collections.observe({ entryTypes: ['gc'] });
    undo.push(() => collections.disconnect());
    watchCompilations(clock, { tell: onCompilation, loaded: onLoaded, compiled: guard(compiled), replace });
    pools.start(http);
    if (known !== undefined) for (const [file, module] of Object.entries(Module._cache)) onLoaded(file, module);
  }

  // Between pause and resume nothing is recorded; for measurements of what recording costs.
  function pause() {
    unhook();
    hooked.leave();
    channels.unsubscribe('http.server.request.start', onRequest);
    channels.unsubscribe('http.server.response.finish', onResponse);
    closeTurn();
    depth = micro = 0;
  }

  function resume() {
    hookPromises();
    channels.subscribe('http.server.request.start', onRequest);
    channels.subscribe('http.server.response.finish', onResponse);
  }

  // Nothing is recorded from here on; what the application has hooked stays.
  function quit() {
    unhook();
    hooked.leave();
    channels.unsubscribe('http.server.request.start', onRequest);
    channels.unsubscribe('http.server.response.finish', onResponse);
  }

  // As if nothing had been recorded. Ticks that wait are run by functions of ours still.
  function leaveProcess() {
    quit();
    for (const one of undo.splice(0).reverse()) one();
  }

  function stop() {
    unhook();
    turn[END] = Math.max(turn[END], ns());
    closeTurn();
    findAborted();
    log.publish(clock());
  }

  const makeWorker = (make) => ports.around(make);

  return { log, replace, start, stop, pause, resume, quit, leave: leaveProcess, makeWorker };
}

module.exports = { createRecorder };
