// SPDX-License-Identifier: GPL-3.0-or-later
// What Node.js's own functions hold, which only the inspector shows: what they are bound to, and the variables that they use.
// No debugger is enabled for that, which would be told of each script.
'use strict';

const NAME = 'tailproof internals'; // of a variable, while it is looked

const tell = (value) => Object.defineProperty(globalThis, NAME, { configurable: true, enumerable: false, writable: true, value });

class Internals {
  constructor(session) {
    this.session = session;
  }

  ask(method, parameters) {
    let answer;
    this.session.post(method, parameters, (error, value) => { answer = value; });
    return answer;
  }

  // What is at `name` of what the inspector adds to the properties of a function, as it tells of objects.
  added(one, name) {
    tell(one);
    const { objectId } = this.ask('Runtime.evaluate', { expression: `globalThis['${NAME}']` }).result;
    return this.ask('Runtime.getProperties', { objectId, ownProperties: true }).internalProperties.find((added) => added.name === name).value;
  }

  // The object itself.
  valueOf({ objectId }) {
    let value;
    tell((found) => { value = found; });
    this.ask('Runtime.callFunctionOn', { objectId, functionDeclaration: `function () { globalThis['${NAME}'](this); }` });
    return value;
  }

  // The first of what a function is bound to.
  boundTo(one) {
    return this.valueOf(this.added(one, '[[BoundArgs]]'))[0];
  }

  // An object that is in a variable of this name within the file of the function; undefined: there is none.
  variable(one, name) {
    const { objectId } = this.added(one, '[[Scopes]]');
    for (const { value: scope } of this.ask('Runtime.getProperties', { objectId, ownProperties: true }).result) {
      if (scope?.objectId === undefined || scope.description === 'Global') continue;
      const { result } = this.ask('Runtime.getProperties', { objectId: scope.objectId, ownProperties: true });
      const found = result.find((variable) => variable.name === name);
      if (found?.value?.objectId !== undefined) return this.valueOf(found.value);
    }
    return undefined;
  }
}

// What `work(internals)` gives. It throws where there is no inspector, or one that does not tell.
function lookInto(work) {
  const { Session } = require('inspector');
  const session = new Session();
  session.connect();
  try {
    return work(new Internals(session));
  } finally {
    delete globalThis[NAME];
    session.disconnect();
  }
}

module.exports = { lookInto };
