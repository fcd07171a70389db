// SPDX-License-Identifier: GPL-3.0-or-later
// What each record of the log says, and in which order (docs/node.md); the bytes are log.js's. False: there was no room, and
// the record is counted.
'use strict';

const { Log, OP, MORE, PAUSE } = require('./log.js');
const { clock, clockNs } = require('./clock.js');

class Records extends Log {
  // A callback: `within`: 0 if it is a turn, 1 if it ran within one.
  writeRun(id, begin, end, within) {
    if (!this.room(end * 1e-6)) return false;
    this.head(OP.RUN, within);
    this.id(id);
    this.signed(begin - this.lastTime);
    this.varint(end - begin);
    this.lastTime = end;
    this.done();
    return true;
  }

  // With the time of a timer, else -1.
  writeRegistration(id, type, ms) {
    const now = clockNs();
    if (!this.room(now * 1e-6)) return false;
    const code = this.string(type);
    this.head(ms >= 0 ? OP.TIMER : OP.INIT, code < 31 ? code : 31);
    if (code >= 31) this.varint(code);
    this.id(id);
    this.time(now);
    if (ms >= 0) this.varint(Math.ceil(ms));
    this.done();
    return true;
  }

  // What is there for long asks for something: its next callback waits for that.
  writeAsked(id) {
    const now = clockNs();
    if (!this.room(now * 1e-6)) return false;
    this.head(OP.MORE, MORE.ASKED);
    this.id(id);
    this.time(now);
    this.done();
    return true;
  }

  // Of what was registered before anybody was told.
  writeType(id, type) {
    if (!this.room(clock())) return false;
    const text = this.string(type);
    this.head(OP.MORE, MORE.TYPED);
    this.id(id);
    this.varint(text);
    this.done();
    return true;
  }

  // Where a connection goes to, or whose port this is.
  writePeer(id, place, ms) {
    if (!this.room(ms)) return false;
    const text = this.string(place);
    this.head(OP.MORE, MORE.PEER);
    this.id(id);
    this.varint(text);
    this.done();
    return true;
  }

  // A continuation in a later turn than `since`, when its promise was registered.
  writePromise(since, begin, end) {
    if (!this.room(end * 1e-6)) return false;
    this.head(OP.MORE, MORE.PROMISE);
    this.signed(begin - this.lastTime);
    this.varint(end - begin);
    this.varint(begin - since);
    this.lastTime = end;
    this.done();
    return true;
  }

  writeRequest(which, now, route) {
    if (!this.room(now * 1e-6)) return false;
    const text = this.string(route);
    this.head(OP.REQUEST, 0);
    this.signed(which - this.lastRequest);
    this.lastRequest = which;
    this.time(now);
    this.varint(text);
    this.done();
    return true;
  }

  // `stream`: 1 if others share the connection; `route`: undefined but where a framework has told it.
  writeResponse(which, now, status, stream, route) {
    if (!this.room(now * 1e-6)) return false;
    if (route !== undefined) this.writeRoute(which, route);
    this.head(OP.RESPONSE, stream);
    this.signed(which - this.lastRequest);
    this.time(now);
    this.varint(status);
    this.done();
    return true;
  }

  // The caller has asked for room.
  writeRoute(which, route) {
    const text = this.string(route);
    this.head(OP.MORE, MORE.ROUTE);
    this.signed(which - this.lastRequest);
    this.varint(text);
    this.done();
  }

  writeAbort(which) {
    if (!this.room(clock())) return false;
    this.head(OP.MORE, MORE.ABORT);
    this.signed(which - this.lastRequest);
    this.done();
    return true;
  }

  writeUpgrade(now, route) {
    if (!this.room(now * 1e-6)) return false;
    const text = this.string(route);
    this.head(OP.MORE, MORE.UPGRADE);
    this.time(now);
    this.varint(text);
    this.done();
    return true;
  }

  // `kind`: 0 minor, 1 major, 2 incremental, 3 weak callbacks.
  writeCollection(kind, begin, duration) {
    if (!this.room(clock())) return false;
    this.head(OP.PAUSE, kind);
    this.signed(begin - this.lastTime);
    this.varint(duration);
    this.done();
    return true;
  }

  writeCompilation(name, begin, end) {
    if (!this.room(clock())) return false;
    const text = this.string(name);
    this.head(OP.PAUSE, PAUSE.COMPILATION);
    this.signed(begin - this.lastTime);
    this.varint(end - begin);
    this.varint(text);
    this.done();
    return true;
  }

  // A connection of the pool `name` that was asked for at `asked` is given.
  writeGrant(asked, connection, name) {
    const now = clockNs();
    if (!this.room(now * 1e-6)) return false;
    const text = this.string(name);
    this.head(OP.MORE, MORE.GRANT);
    this.time(now);
    this.varint(now - asked);
    this.varint(connection);
    this.varint(text);
    this.done();
    return true;
  }

  // A package is not as it is known.
  writeUnknown(what) {
    if (!this.room(clock())) return false;
    const text = this.string(what);
    this.head(OP.MORE, MORE.UNKNOWN);
    this.varint(text);
    this.done();
    return true;
  }
}

module.exports = { Records };
