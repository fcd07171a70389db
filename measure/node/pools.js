// SPDX-License-Identifier: GPL-3.0-or-later
// Waiting for a connection of a pool: of the packages below it is noted when the application asks for one and when it is
// given one, if that is in a later turn. What a package does is what it does without that: its functions are called with
// what they are given, and return what they return. A version that has not got the functions that are known is left alone.
'use strict';

const fs = require('fs');
const path = require('path');
const channels = require('diagnostics_channel');
const { disguise } = require('./disguise.js');

const hasAll = (object, ...names) => names.every((name) => typeof object?.[name] === 'function');

// `around(call, self, list)` calls `call()` once and returns what that does.
function replace(object, name, undo, around) {
  const own = Object.getOwnPropertyDescriptor(object, name);
  const { value: original } = own;
  const made = disguise(function () {
    return around(() => Reflect.apply(original, this, arguments), this, arguments);
  }, original);
  Object.defineProperty(object, name, { ...own, value: made });
  undo.push(() => {
    if (Object.getOwnPropertyDescriptor(object, name)?.value === made) Object.defineProperty(object, name, own);
  });
}

// The socket of what a pool gives: a client of pg, a connection of mysql2 or mysql, a socket.
const socketOf = (given) => [given?.connection?.stream, given?.stream, given?._socket, given].find((one) => one?._handle);
const inUse = (name, used, most) => (used >= most ? `${name} (${most} of ${most} in use)` : `${name}: one is made`);

// What each file exports, and what is done with it. False: not as it is known.
const files = {
  'pg-pool/index.js': (Pool, notes) => {
    if (!hasAll(Pool?.prototype, 'connect', 'newClient', '_acquireClient')) return false;
    const state = (pool) => inUse("pg's pool", pool._clients.length - pool._idle.length, pool.options.max);
    replace(Pool.prototype, 'connect', notes.undo, (call, pool) => {
      const before = notes.try(() => ({ name: state(pool), last: pool._pendingQueue.at(-1) }));
      const result = call();
      notes.try(() => {
        const item = pool._pendingQueue.at(-1);
        if (item !== before.last) notes.ask(item, before.name);
      });
      return result;
    });
    replace(Pool.prototype, 'newClient', notes.undo, (call, pool, [item]) => {
      notes.try(() => notes.ask(item, state(pool)));
      return call();
    });
    replace(Pool.prototype, '_acquireClient', notes.undo, (call, pool, [client, item]) => {
      notes.try(() => notes.give(item, client));
      return call();
    });
    return true;
  },
  'mysql2/lib/base/pool.js': (Pool, notes) => watchCallbacks(Pool, notes, "mysql2's pool"),
  'mysql2/lib/pool.js': (Pool, notes) => !Object.hasOwn(Pool?.prototype ?? {}, 'getConnection') || watchCallbacks(Pool, notes, "mysql2's pool"),
  'mysql/lib/Pool.js': (Pool, notes) => watchCallbacks(Pool, notes, "mysql's pool"),
  'ioredis/built/Redis.js': ({ default: Redis }, notes) => watchRedis(Redis, notes),
  'ioredis/built/redis/index.js': ({ default: Redis }, notes) => watchRedis(Redis, notes),
  'tarn/dist/Pool.js': ({ Pool }, notes) => {
    if (!hasAll(Pool?.prototype, 'acquire', 'numUsed', 'numPendingCreates')) return false;
    replace(Pool.prototype, 'acquire', notes.undo, (call, pool) => {
      const name = notes.try(() => inUse("tarn's pool", pool.numUsed() + pool.numPendingCreates(), pool.max));
      const pending = call();
      notes.try(() => notes.ask(pending, name));
      return pending;
    });
    return true;
  },
  'tarn/dist/PendingOperation.js': ({ PendingOperation }, notes) => watchResolve(PendingOperation, notes),
  'generic-pool/lib/Pool.js': (Pool, notes) => {
    if (!hasAll(Pool?.prototype, 'acquire')) return false;
    replace(Pool.prototype, 'acquire', notes.undo, (call, pool) => {
      const before = notes.pool;
      notes.pool = notes.try(() => inUse("generic-pool's pool", pool.borrowed + pool.pending, pool.max));
      try {
        return call();
      } finally {
        notes.pool = before;
      }
    });
    return true;
  },
  'generic-pool/lib/PriorityQueue.js': (Queue, notes) => {
    if (!hasAll(Queue?.prototype, 'enqueue')) return false;
    replace(Queue.prototype, 'enqueue', notes.undo, (call, queue, [request]) => {
      notes.try(() => notes.pool !== undefined && notes.ask(request, notes.pool));
      return call();
    });
    return true;
  },
  'undici/lib/dispatcher/pool-base.js': ({ PoolBase }, notes) => watchDispatch(PoolBase, notes, (call, handler) => {
    notes.try(() => notes.ask(handler, 'undici'));
    return call();
  }),
  'undici/lib/dispatcher/client.js': (Client, notes) => watchDispatch(Client, notes, (call, handler) => {
    const before = notes.handler;
    notes.handler = handler;
    try {
      return call();
    } finally {
      notes.handler = before;
    }
  }),
  'generic-pool/lib/ResourceRequest.js': (Request, notes) => watchResolve(Request, notes),
};

// A promise of a connection is kept.
function watchResolve(Request, notes) {
  if (!hasAll(Request?.prototype, 'resolve')) return false;
  replace(Request.prototype, 'resolve', notes.undo, (call, request, [given]) => {
    notes.try(() => notes.give(request, given));
    return call();
  });
  return true;
}

function watchCallbacks(Pool, notes, name) {
  if (!hasAll(Pool?.prototype, 'getConnection')) return false;
  const own = Object.getOwnPropertyDescriptor(Pool.prototype, 'getConnection');
  const { value: original } = own;
  const getConnection = disguise(function (callback) {
    if (typeof callback !== 'function') return Reflect.apply(original, this, arguments);
    const key = {};
    const given = disguise(function (error, connection) {
      notes.try(() => !error && notes.give(key, connection));
      return Reflect.apply(callback, this, arguments);
    }, callback);
    notes.try(() => {
      const most = this.config.connectionLimit || Infinity;
      notes.ask(key, inUse(name, this._allConnections.length - this._freeConnections.length, most));
    });
    return Reflect.apply(original, this, [given, ...Array.prototype.slice.call(arguments, 1)]);
  }, original);
  Object.defineProperty(Pool.prototype, 'getConnection', { ...own, value: getConnection });
  notes.undo.push(() => {
    if (Pool.prototype.getConnection === getConnection) Object.defineProperty(Pool.prototype, 'getConnection', own);
  });
  return true;
}

// What is asked before the connection is ready stands in the offline queue, and goes through here again.
function watchRedis(Redis, notes) {
  if (!hasAll(Redis?.prototype, 'sendCommand')) return false;
  replace(Redis.prototype, 'sendCommand', notes.undo, (call, redis, [command]) => {
    const before = notes.try(() => redis.offlineQueue.length);
    const result = call();
    notes.try(() => {
      if (redis.offlineQueue.length > before) notes.ask(command, 'ioredis: it is not ready (offline queue)');
      else notes.give(command, redis);
    });
    return result;
  });
  return true;
}

// A pool keeps what it was handed until a client takes it, which makes a request of it.
function watchDispatch(Dispatcher, notes, around) {
  const symbol = Object.getOwnPropertySymbols(Dispatcher?.prototype ?? {}).find(({ description }) => description === 'dispatch');
  if (typeof Dispatcher?.prototype[symbol] !== 'function') return false;
  replace(Dispatcher.prototype, symbol, notes.undo, (call, dispatcher, [, handler]) => around(call, handler));
  return true;
}

// Node.js's own agents, where they are limited.
function watchAgents(http, notes) {
  if (!hasAll(http.Agent?.prototype, 'addRequest') || !hasAll(http.ClientRequest?.prototype, 'onSocket')) return;
  replace(http.Agent.prototype, 'addRequest', notes.undo, (call, agent, [request]) => {
    notes.try(() => {
      const most = Math.min(agent.maxSockets, agent.maxTotalSockets ?? Infinity);
      if (most < Infinity) notes.ask(request, inUse('an http.Agent', most, most));
    });
    return call();
  });
  replace(http.ClientRequest.prototype, 'onSocket', notes.undo, (call, request, [socket]) => {
    notes.try(() => notes.give(request, socket));
    return call();
  });
}

// undici, which is fetch as well, tells of itself.
function watchUndici(notes) {
  const sockets = new WeakSet(); // that a request was sent by
  const onCreate = ({ request }) => notes.try(() => notes.hand(notes.handler, request, 'undici'));
  const onSend = ({ request, socket }) => notes.try(() => {
    notes.give(request, socket, sockets.has(socket) ? "undici's pool (all in use)" : "undici's pool: one is made");
    sockets.add(socket);
  });
  for (const [name, told] of [['undici:request:create', onCreate], ['undici:client:sendHeaders', onSend]]) {
    channels.subscribe(name, told);
    notes.undo.push(() => channels.unsubscribe(name, told));
  }
}

class Pools {
  // `tell(asked, connection, name)` of what was asked for at that time and is given now, `now()` and `turn()` say when and in
  // which turn; `unknown(what)`: a package is not known. What undoes all is added to `undo`.
  constructor({ tell, now, turn, unknown, undo }) {
    Object.assign(this, { tell, now, turn, unknown, undo });
    this.asked = new WeakMap();
    this.pool = undefined; // of generic-pool, which is asked
    this.handler = undefined; // of undici, which a client takes
  }

  // Nothing that fails here is the application's business.
  try(work) {
    try {
      return work();
    } catch {
      return undefined;
    }
  }

  ask(key, name) {
    if (!this.asked.has(key)) this.asked.set(key, { at: this.now(), turn: this.turn(), name });
  }

  // What was asked for with one key goes on with another.
  hand(from, to, name) {
    const asked = from === undefined ? undefined : this.asked.get(from);
    if (asked === undefined) this.ask(to, name);
    else this.asked.set(to, asked);
  }

  give(key, given, name) {
    const asked = this.asked.get(key);
    if (asked === undefined) return;
    this.asked.delete(key);
    if (asked.turn === this.turn()) return;
    this.tell(asked.at, socketOf(given)?._handle.getAsyncId() ?? 0, name ?? asked.name);
  }

  start(http) {
    watchAgents(http, this);
    watchUndici(this);
  }

  // A module was loaded from this file.
  loaded(filename, read) {
    const at = filename.lastIndexOf('/node_modules/');
    const watch = at < 0 ? undefined : files[filename.slice(at + 14)];
    if (watch === undefined || this.try(() => watch(read(), this))) return;
    const folder = filename.slice(0, at + 14) + filename.slice(at + 14).split('/')[0];
    const version = this.try(() => JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8')).version);
    this.unknown(`${path.basename(folder)} ${version ?? ''}`.trim());
  }
}

module.exports = { Pools };
