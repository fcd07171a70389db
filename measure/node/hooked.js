// SPDX-License-Identifier: GPL-3.0-or-later
// Hooks of promises that others have set beside ours: v8.promiseHooks of the application, and Node.js's own, by which
// async_hooks and AsyncLocalStorage are told. V8 knows one function of each kind. So Node.js gives it one that copies a list
// of all, and calls them in turn; of two that takes longer than what the two do. Here V8 is given one that calls ours
// and Node.js's. Whose functions these are only Node.js's lists know: the inspector finds them in the functions by which ours
// are taken out again. Where there is none, or somebody else is in the lists, they are called as Node.js does.
'use strict';

const { promiseHooks } = require('v8');
const { lookInto } = require('./internals.js');

const KINDS = ['onInit', 'onBefore', 'onAfter', 'onSettled'];
// Which fail as they do where V8 calls them alone.
const OF_NODE = new Set(`
  promiseInitHook promiseInitHookWithDestroyTracking destroyTracking promiseBeforeHook promiseAfterHook promiseResolveHook
`.trim().split(/\s+/));
const OWN_HOOKS = 3; // init, before, after
const JOINS = 1000; // where others set theirs anew so often they are called as Node.js does

class Hooked {
  // `hooks`: the recorder's, of the first three kinds; `wrap`: Node.js's counts of hooks, and what sets V8's.
  constructor(hooks, wrap) {
    const [onInit, onBefore, onAfter] = hooks;
    this.hooks = hooks;
    this.wrap = wrap;
    this.listed = [(promise, parent) => {
      this.unjoined = true;
      onInit(promise, parent);
    }, onBefore, onAfter];
    this.stops = [];
    this.lists = undefined; // null: they cannot be found
    this.unjoined = false; // Node.js calls ours from its lists
    this.joins = 0;
  }

  enter() {
    this.stops = this.listed.map((hook, i) => promiseHooks[KINDS[i]](hook));
  }

  leave() {
    for (const stop of this.stops.splice(0)) stop();
  }

  // Behind `enter` and whatever else sets V8's. `alone`: nobody else can have hooked promises.
  begin(alone) {
    if (alone) this.set(this.hooks);
    else this.unjoined = true;
  }

  // createHook hooks promises as well, at four times the price of what is needed here. The
  // application's own hooks set them again, and Node.js then calls all from its lists.
  set(functions) {
    if (!this.wrap.canSetPromiseHooks()) return;
    this.joins++;
    this.unjoined = false;
    this.wrap.setPromiseHooks(functions);
  }

  // Where nobody else has hooked anything ours are enough. False: others set theirs so often that nothing was looked for.
  join() {
    if (this.joins >= JOINS) return false;
    this.unjoined = false;
    this.joins++;
    if (!this.wrap.canSetPromiseHooks() || !this.find()) {
      this.joins = JOINS;
      return true;
    }
    const joined = this.joined(this.wrap.countHooks() > OWN_HOOKS);
    if (joined !== undefined) this.set(joined);
    return true;
  }

  // True if the lists are known.
  find() {
    if (this.lists !== undefined) return this.lists !== null;
    this.lists = null;
    const none = promiseHooks.onSettled(() => {});
    try {
      const found = this.wrap.untold(() => lookInto((internals) => [...this.stops, none].map((stop) => internals.boundTo(stop))));
      const whole = found.length === KINDS.length && found.every(Array.isArray) && this.listed.every((hook, i) => found[i].includes(hook));
      if (whole) this.lists = found;
    } catch {
      // no inspector, or one that does not tell
    } finally {
      none();
    }
    return this.lists !== null;
  }

  // Who else is hooked, of each kind: undefined, or a function of Node.js's. Of anything else nothing is told.
  others() {
    const others = this.lists.map((list, i) => list.filter((hook) => hook !== this.listed[i]));
    const plain = others.every((list) => list.length === 0 || list.length === 1 && OF_NODE.has(list[0].name));
    const first = this.listed.every((hook, i) => this.lists[i][0] === hook);
    return plain && first ? others.map(([hook]) => hook) : undefined;
  }

  // What V8 may be given: ours, and Node.js's where `told`: somebody else is told by those; undefined: no more than the lists.
  joined(told) {
    const others = this.others();
    if (others === undefined) return undefined;
    if (!told) return this.hooks;
    const [onInit, onBefore, onAfter] = this.hooks;
    const [init, before, after, settled] = others;
    if (before === undefined || after === undefined) return undefined;
    const onPromise = (promise, parent) => {
      onInit(promise, parent);
      init(promise, parent);
    };
    const onContinue = (promise) => {
      onBefore(promise);
      before(promise);
    };
    const onContinued = (promise) => {
      onAfter(promise);
      after(promise);
    };
    return [init === undefined ? onInit : onPromise, onContinue, onContinued, settled];
  }
}

module.exports = { Hooked };
