// SPDX-License-Identifier: GPL-3.0-or-later
// Other work takes all threads of the pool, three times a second: files have to wait. ITERATIONS: of each of eight keys.
'use strict';
const crypto = require('crypto');
const { planted, start } = require('./planted');

const iterations = Number(process.env.ITERATIONS || 80000);
setInterval(function sign() {
  for (let i = 0; i < 8 && planted(); i++) crypto.pbkdf2('secret', 'salt', iterations, 32, 'sha256', () => {});
}, 333);
start();
