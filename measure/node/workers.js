// SPDX-License-Identifier: GPL-3.0-or-later
// Worker threads that get an environment or options of their own are recorded as well: what loads the recorder is added to
// them, and taken away again before their code begins, so that they see what they were given.
'use strict';

const path = require('path');
const workers = require('worker_threads');
const { syncBuiltinESMExports } = require('module');

const ADDED = 'TAILPROOF_NODE_ADDED'; // the names that were added, and what NODE_OPTIONS was
const OWN = /^TAILPROOF_/;
const INDEX = path.join(__dirname, 'index.js');

const quoted = (text) => `"${text.replace(/[\\"]/g, '\\$&')}"`;

// Undefined: nothing is to be added.
function extended(options, own) {
  const { env, execArgv } = options;
  if (env !== undefined && env !== null && typeof env !== 'object') return undefined; // shared with this thread
  const given = env ?? process.env;
  const before = given.NODE_OPTIONS ?? '';
  const all = [before, ...(Array.isArray(execArgv) ? execArgv : process.execArgv)];
  const loads = all.some((text) => String(text).includes(__dirname));
  if (loads && given.TAILPROOF_STORE !== undefined) return undefined;
  const added = { ...own };
  for (const name of Object.keys(own)) if (given[name] !== undefined) delete added[name];
  if (!loads) added.NODE_OPTIONS = `--require ${quoted(INDEX)} ${before}`;
  const names = Object.keys(added).filter((name) => OWN.test(name));
  return { ...options, env: { ...given, ...added, [ADDED]: JSON.stringify([names, loads, given.NODE_OPTIONS ?? null]) } };
}

// What the recorder was told, with the folder of the log as it is called from anywhere.
function ownEnvironment(environment, folder) {
  const names = Object.keys(environment).filter((name) => OWN.test(name) && name !== ADDED);
  return { ...Object.fromEntries(names.map((name) => [name, environment[name]])), TAILPROOF_STORE: folder };
}

// `around(make)` is called for each, and returns what `make()` does; `replace(object, name, own)` puts what is around the class
// in its place.
function watchWorkers(own, around, replace) {
  const { Worker } = workers;
  replace(workers, 'Worker', new Proxy(Worker, {
    construct(target, list, made) {
      let all = list;
      try {
        const more = extended({ ...list[1] }, own);
        if (more !== undefined) all = [list[0], more, ...list.slice(2)];
      } catch {
        // options that cannot be read: Node.js says what is wrong with them
      }
      return around(() => Reflect.construct(target, all, made === workers.Worker ? target : made));
    },
  }));
  replace(Worker.prototype, 'constructor', workers.Worker);
  syncBuiltinESMExports();
}

// In the worker thread, when the recorder has read what it needs.
function takeAway() {
  const added = process.env[ADDED];
  if (added === undefined) return;
  delete process.env[ADDED];
  const [names, loads, options] = JSON.parse(added);
  for (const name of names) delete process.env[name];
  if (loads) return;
  if (options === null) delete process.env.NODE_OPTIONS;
  else process.env.NODE_OPTIONS = options;
}

module.exports = { ownEnvironment, watchWorkers, takeAway };
