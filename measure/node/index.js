// SPDX-License-Identifier: GPL-3.0-or-later
// Records what the event loop of this process does: node --require tailproof-node app.js
'use strict';

const path = require('path');
const workers = require('worker_threads');

if (!(workers.workerData && workers.workerData.tailproofWriter)) {
  try {
    require('./late.js').first();
  } catch (error) { // the application goes on without being recorded
    const thread = workers.isMainThread ? 0 : workers.threadId;
    try {
      require('./stopped.js').tell({ process: process.pid, thread, name: path.basename(process.argv[1] || 'node'), notes: process.env.TAILPROOF_NODE_NOTES }, error);
    } catch {
      // under --permission nothing of the recorder may be read
    }
  }
}
