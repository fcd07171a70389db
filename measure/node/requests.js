// SPDX-License-Identifier: GPL-3.0-or-later
// Requests to HTTP servers: each has a number, under which its response is known until it is finished or destroyed.
'use strict';

const channels = require('diagnostics_channel');
const { clockNs } = require('./clock.js');
const { Routes } = require('./routes.js');

const MASK = 65535;
const NEWEST = 16; // responses of which it is looked up which one is finished

class Requests {
  // `patterns`: TAILPROOF_NODE_ROUTES.
  constructor({ log, turn, patterns }) {
    this.log = log;
    this.turn = turn;
    this.routes = new Routes(patterns);
    this.count = 0;
    this.noticedIn = -1; // the turn in which the last was
    this.open = new Array(MASK + 1).fill(undefined); // responses, by number
    this.numbers = new WeakMap(); // of those that are not among the newest
    this.oldest = 1;
    this.channels = [
      ['http.server.request.start', log.guarded(({ request, response }) => this.notice(response, request.method, request.url))],
      ['http.server.response.finish', log.guarded(({ request, response }) => {
        const which = this.numberOf(response);
        if (which !== undefined) this.answer(which, response, response.statusCode, request, clockNs(), 0);
      })],
    ];
  }

  subscribe() {
    for (const [name, told] of this.channels) channels.subscribe(name, told);
  }

  unsubscribe() {
    for (const [name, told] of this.channels) channels.unsubscribe(name, told);
  }

  // Upgrades have no channel.
  watchUpgrades(prototype, replace) {
    const { emit } = prototype;
    const onUpgrade = this.log.guarded((request) => {
      this.log.writeUpgrade(clockNs(), this.routes.of(request.method, request.url));
    });
    replace(prototype, 'emit', function (event, request) {
      if (event === 'upgrade' || event === 'connect') onUpgrade(request);
      return emit.apply(this, arguments);
    });
  }

  // A number on a response would make another kind of object of it, for all code that uses it.
  numberOf(response) {
    const { count, open } = this;
    for (let which = count; which > count - NEWEST && which > 0; which--) if (open[which & MASK] === response) return which;
    return this.numbers.get(response);
  }

  // `response` is what will be finished or destroyed. Gives its number.
  notice(response, method, url) {
    const { turn, open } = this;
    const now = this.noticedIn === turn.count ? clockNs() : turn.beginNs(); // the first of a turn is what it begins with
    this.noticedIn = turn.count;
    const left = open[(this.count - NEWEST + 1) & MASK];
    if (left !== undefined) this.numbers.set(left, this.count - NEWEST + 1);
    const which = ++this.count;
    open[which & MASK] = response;
    this.log.writeRequest(which, now, this.routes.of(method, url));
    return which;
  }

  // `stream`: 1 if others share the connection. Where a framework knows the pattern that a request matched, that is its route.
  answer(which, response, status, request, now, stream) {
    this.turn.complete = true;
    this.close(which, response);
    const pattern = request?.route;
    const known = pattern !== undefined && typeof pattern?.path === 'string';
    const route = known ? this.routes.matched(request.method, request.baseUrl, pattern.path) : undefined;
    this.log.writeResponse(which, now, status, stream, route);
  }

  close(which, response) {
    if (which <= this.count - NEWEST) this.numbers.delete(response);
    if (this.open[which & MASK] === response) this.open[which & MASK] = undefined;
  }

  // Clients that went away leave a response that is destroyed and was not finished. No listener is
  // needed: it is enough to look now and then.
  findAborted() {
    const { count, open } = this;
    while (this.oldest <= count && open[this.oldest & MASK] === undefined) this.oldest++;
    for (let which = Math.max(this.oldest, count - MASK); which <= count; which++) {
      const response = open[which & MASK];
      if (response === undefined || !response.destroyed) continue;
      if (response.writableFinished && !response.aborted) continue;
      if (!this.log.writeAbort(which)) return;
      this.close(which, response);
    }
  }
}

module.exports = { Requests, MASK };
