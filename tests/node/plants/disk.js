// SPDX-License-Identifier: GPL-3.0-or-later
// A slow disk: every 200th read is of a FIFO, into which somebody writes when 40 ms are over.
'use strict';
const childProcess = require('child_process');
const fs = require('fs');
const path = require('path');
const { planted, app, start } = require('./planted');

const fifo = path.join(app.folder, 'zz-slow');
childProcess.execFileSync('mkfifo', [fifo]);
const writer = childProcess.spawn('sh', ['-c', `while [ -p '${fifo}' ]; do sleep 0.04; echo late >'${fifo}'; done`], { stdio: 'ignore' });
process.on('exit', () => writer.kill());

const readFile = fs.readFile;
let reads = 0;
fs.readFile = (name, ...rest) => readFile(planted && ++reads % 200 === 0 ? fifo : name, ...rest);
start();
