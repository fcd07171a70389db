// SPDX-License-Identifier: GPL-3.0-or-later
// What stands in the place of a function of Node.js looks like it.
'use strict';

function disguise(own, original) {
  for (const name of ['name', 'length']) Object.defineProperty(own, name, { configurable: true, value: original[name] });
  return own;
}

module.exports = { disguise };
