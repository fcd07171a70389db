// SPDX-License-Identifier: GPL-3.0-or-later
// A slow disk: one read of 200 is of a FIFO, whose other end writes 40 ms after it was opened.
'use strict';
const childProcess = require('child_process');
const fs = require('fs');
const path = require('path');
const { planted, app, start } = require('./planted');

const fifo = path.join(app.folder, 'zz-slow');
childProcess.execFileSync('mkfifo', [fifo]);
const writer = childProcess.spawn('sh', ['-c', `while [ -p '${fifo}' ]; do exec 3>'${fifo}'; sleep 0.04; echo late >&3; exec 3>&-; done`], { stdio: 'ignore' });
process.on('exit', () => writer.kill());

const readFile = fs.readFile;
fs.readFile = (name, ...rest) => readFile(planted && Math.random() * 200 < 1 ? fifo : name, ...rest);
start();
