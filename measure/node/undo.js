// SPDX-License-Identifier: GPL-3.0-or-later
// What makes the process as it was before it was recorded.
'use strict';

class Undo {
  constructor() {
    this.list = []; // done from its end
    this.replace = (object, name, own) => this.put(object, name, own);
  }

  // `own` stands in the place of what is in the object under this name.
  put(object, name, own) {
    const original = Object.getOwnPropertyDescriptor(object, name);
    Object.defineProperty(object, name, { configurable: true, enumerable: original?.enumerable ?? false, writable: true, value: own });
    this.list.push(() => {
      if (Object.getOwnPropertyDescriptor(object, name)?.value !== own) return; // somebody else's is around it, and calls it
      if (original === undefined) delete object[name];
      else Object.defineProperty(object, name, original);
    });
  }

  all() {
    for (const one of this.list.splice(0).reverse()) one();
  }
}

module.exports = { Undo };
