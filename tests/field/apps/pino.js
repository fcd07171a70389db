// SPDX-License-Identifier: GPL-3.0-or-later
// Lines of a logger, also from a worker thread, which ends with the program.
'use strict';

const pino = require('pino');

const plain = { base: null, timestamp: false };
const log = pino({ ...plain, redact: ['secret'] });
log.info({ secret: 1, open: 2 }, 'from %s', 'here');
log.child({ part: 'child' }).error(new RangeError('expected').message);
const threaded = pino(plain, pino.transport({ target: 'pino/file', options: { destination: 1 } }));
threaded.warn('by a thread');
process.exitCode = 3;
