// SPDX-License-Identifier: GPL-3.0-or-later
// A slow disk: one read of 200 is of a FIFO, whose other end (late_writer.js) is opened and written to 40 ms later.
'use strict';
const childProcess = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');
const { planted, start } = require('./planted');

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'slow-'));
const fifos = Array.from({ length: 50 }, (_, i) => path.join(folder, `part-${i}`));
childProcess.execFileSync('mkfifo', fifos);
const writer = childProcess.fork(path.join(__dirname, 'late_writer.js'), { execArgv: [] });
process.on('exit', () => fs.rmSync(folder, { recursive: true }));

const readFile = fs.readFile;
let slow = 0;
fs.readFile = (name, ...rest) => {
  if (!planted() || Math.random() * 200 >= 1) return readFile(name, ...rest);
  const fifo = fifos[slow++ % fifos.length];
  writer.send(fifo);
  return readFile(fifo, ...rest);
};
start();
