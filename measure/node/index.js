// SPDX-License-Identifier: GPL-3.0-or-later
// Records what the event loop of this process does: node --require tailproof-node app.js
'use strict';

const workers = require('worker_threads');

if (!(workers.workerData && workers.workerData.tailproofWriter)) require('./start.js');
