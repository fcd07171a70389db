// SPDX-License-Identifier: GPL-3.0-or-later
// A full collection of a heap with much in it, three times a second.
'use strict';
const v8 = require('v8');
const vm = require('vm');
const { planted, start } = require('./planted');

const ballast = new Map();
for (let i = 0; i < 400000; i++) ballast.set(i, { i, text: `entry ${i}` });
v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
setInterval(function clean() {
  if (planted()) collect();
  return ballast.size;
}, 333);
start();
