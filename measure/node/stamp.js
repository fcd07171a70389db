// SPDX-License-Identifier: GPL-3.0-or-later
// What the recorder notes on a promise of the application. It is a private field: no list of properties has it, nothing
// that prints, compares or copies objects sees it, and it costs what a property does. Of one kind alone, so that what V8
// learns of it is not of others.
'use strict';

class Given {
  constructor(object) {
    return object;
  }
}

class Stamp extends Given {
  #value;

  constructor(object, value) {
    super(object);
    this.#value = value;
  }

  // Of an object that has none yet.
  static put(object, value) {
    return new Stamp(object, value);
  }

  static set(object, value) {
    if (#value in object) object.#value = value;
    else Stamp.put(object, value);
  }

  // Undefined: it has none.
  static get(object) {
    return #value in object ? object.#value : undefined;
  }
}

module.exports = { Stamp };
