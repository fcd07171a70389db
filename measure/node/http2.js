// SPDX-License-Identifier: GPL-3.0-or-later
// Requests by HTTP/2, each of which is a stream of a connection. Servers of it have no channel.
'use strict';

const net = require('net');
const { clockNs } = require('./clock.js');
const { MASK } = require('./requests.js');

const ENDS = 2 ** 31; // from here on, ids of the ends of streams

class Http2Streams {
  constructor({ log, requests, replace }) {
    this.log = log;
    this.requests = requests;
    this.replace = replace;
    this.ended = new Uint8Array(MASK + 1); // by number of the request; 1: the end of this stream is known
    this.prototypes = new WeakSet(); // of streams of servers, whose `end` is noted
    this.onEnd = log.guarded((stream) => this.noteEnd(stream));
    const self = this;
    this.onFinish = log.guarded(function () {
      self.noteFinish(this);
    });
    this.onStream = log.guarded((stream, headers) => this.notice(stream, headers));
  }

  // Their class is known by what it is derived from.
  watch() {
    const { onStream } = this;
    const { emit } = net.Server.prototype;
    this.replace(net.Server.prototype, 'emit', function (event, stream, headers) {
      if (event === 'stream' && typeof stream?.respond === 'function') onStream(stream, headers);
      return emit.apply(this, arguments);
    });
  }

  notice(stream, headers) {
    const which = this.requests.notice(stream, headers[':method'], headers[':path'] ?? '');
    this.ended[which & MASK] = 0;
    this.watchEnd(Object.getPrototypeOf(stream));
    stream.once('finish', this.onFinish);
  }

  watchEnd(prototype) {
    if (this.prototypes.has(prototype)) return;
    this.prototypes.add(prototype);
    const { onEnd } = this;
    const { end: original } = prototype;
    this.replace(prototype, 'end', function () {
      onEnd(this);
      return Reflect.apply(original, this, arguments);
    });
  }

  noteEnd(stream) {
    const which = this.requests.numberOf(stream);
    if (which === undefined || this.ended[which & MASK] !== 0) return;
    this.log.writeRegistration(ENDS + which, 'HTTP2STREAM', -1);
    this.ended[which & MASK] = 1;
  }

  // The connection tells that a stream is finished. Who ended it is what counts: that is a registration of its own. Streams
  // are finished as well when the client went away.
  noteFinish(stream) {
    const status = stream.sentHeaders?.[':status'];
    if (status === undefined || stream.aborted) return;
    const begin = clockNs();
    const now = clockNs();
    const which = this.requests.numberOf(stream);
    if (which === undefined) return;
    if (this.ended[which & MASK] !== 0) this.log.writeRun(ENDS + which, begin, now, 1);
    this.requests.answer(which, stream, status, undefined, now, 1);
  }
}

module.exports = { Http2Streams };
