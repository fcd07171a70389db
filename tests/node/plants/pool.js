// SPDX-License-Identifier: GPL-3.0-or-later
// Other work takes all threads of the pool, three times a second: files have to wait.
'use strict';
const crypto = require('crypto');
const { planted, start } = require('./planted');

setInterval(function sign() {
  for (let i = 0; i < 8 && planted(); i++) crypto.pbkdf2('secret', 'salt', 80000, 32, 'sha256', () => {});
}, 333);
start();
