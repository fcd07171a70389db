// SPDX-License-Identifier: GPL-3.0-or-later
// Why a log ends before its process does: a number of the system's, in the log itself where that can
// still be written, and in a file that `tailproof record` reads in the end. The application hears
// nothing of it.
'use strict';

const fs = require('fs');
const os = require('os');

const OTHER = 0xffffffff; // the recorder itself failed
const AT = 52; // in the head of a file

function numberOf(error) {
  if (error?.code === 'ERR_ACCESS_DENIED') return os.constants.errno.EACCES; // by --permission
  if (error?.code === 'ERR_WORKER_INIT_FAILED') return os.constants.errno.EAGAIN;
  const number = -error?.errno;
  return Number.isInteger(number) && number > 0 && number < 4096 ? number : OTHER;
}

// Into the head of the log.
function mark(file, error) {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32LE(numberOf(error), 0);
  bytes.writeBigUInt64LE(process.hrtime.bigint(), 4);
  fs.writeSync(file, bytes, 0, bytes.length, AT);
}

// A line for `record`, whose file is there: process, thread, number, name, and what the recorder's own mistake was.
function tell(about, error) {
  if (!about.notes) return;
  const file = fs.openSync(about.notes, fs.constants.O_WRONLY | fs.constants.O_APPEND);
  const clean = (text) => String(text).replace(/[\0-\x1f\x7f]/g, '?').slice(0, 200);
  try {
    fs.writeSync(file, `${about.process} ${about.thread} ${numberOf(error)} ${clean(about.name)}\t${clean(error?.message ?? '')}\n`);
  } finally {
    fs.closeSync(file);
  }
}

// Each is tried; what fails cannot be told.
function tryAll(...steps) {
  for (const step of steps) {
    try {
      step();
    } catch {
      // nobody is there to hear of it
    }
  }
}

module.exports = { mark, tell, tryAll };
