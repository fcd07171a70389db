// SPDX-License-Identifier: GPL-3.0-or-later
// 400 timers of 0.1 ms each come due at once, three times a second.
'use strict';
const { planted, start, spin } = require('./planted');

function expire() {
  spin(0.1);
}
setInterval(() => {
  for (let i = 0; i < 400 && planted(); i++) setTimeout(expire, 20);
}, 333);
start();
