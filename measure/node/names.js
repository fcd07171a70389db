// SPDX-License-Identifier: GPL-3.0-or-later
// How the files of a process are called in its folder: PID, or PID+1 and so on where an earlier process had this number and
// left a log there, as the first process of each container does.
'use strict';

const fs = require('fs');
const path = require('path');

const numbered = (process, run) => (run === 0 ? `${process}` : `${process}+${run}`);

// Of a file of the process, which run it is of; or -1.
function runOf(process, file) {
  const [, number, run] = /^(\d+)(?:\+(\d+))?(?:-\d+)?(?:\.\d+\.tpn|\.tpr)$/.exec(file) ?? [];
  return number === `${process}` ? Number(run ?? 0) : -1;
}

// What this process has open in its folder, if anything: the library that stamps comes first, and the log of the main
// thread before those of others.
function ownRun(process) {
  let found = -1;
  try {
    for (const descriptor of fs.readdirSync('/proc/self/fd')) {
      try {
        found = Math.max(found, runOf(process, path.basename(fs.readlinkSync(`/proc/self/fd/${descriptor}`))));
      } catch {
        // closed meanwhile
      }
    }
  } catch {
    // not on this system
  }
  return found;
}

// The run that this process is in the folder.
function findRun(folder, process) {
  const own = ownRun(process);
  if (own >= 0) return own;
  return Math.max(-1, ...fs.readdirSync(folder).map((file) => runOf(process, file))) + 1;
}

module.exports = { numbered, findRun };
