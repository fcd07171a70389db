// SPDX-License-Identifier: GPL-3.0-or-later
// How long control groups were throttled, as they had used up their quota of processor time: that of a thread and those above
// it, as far as they can be seen from here, of both kinds of hierarchies. Each group counts only what its own quota did.
'use strict';

const fs = require('fs');
const { posix } = require('path');
const { open } = require('./watched.js');

const LEVELS = 16; // more groups within each other are not read
const MOVED_NS = 500000000; // so often it is seen whether the thread is in another group

const mounts = () => {
  try {
    return fs.readFileSync('/proc/self/mountinfo', 'latin1');
  } catch {
    return '';
  }
};

const plain = (text) => text.replace(/\\([0-7]{3})/g, (all, code) => String.fromCharCode(parseInt(code, 8)));

// Of what the system tells of a thread and of mounts: the folders of the thread's group and of those above it. A hierarchy that
// divides processors is one of their own, or the one of all kinds. Where the mount begins below the highest group (a
// container), or the thread is outside of it, no more than that can be seen.
function groupFolders(cgroup, mountinfo) {
  const groups = cgroup.split('\n').map((line) => /^\d+:([^:]*):(.*)$/.exec(line)).filter((group) => group !== null);
  const old = groups.find(([, kinds]) => kinds.split(',').includes('cpu'));
  const group = old ?? groups.find(([, kinds]) => kinds === '');
  const mounts = mountinfo.split('\n').map((line) => /^\S+ \S+ \S+ (\S+) (\S+) .*- (\S+) \S+ (\S+)$/.exec(line));
  const right = ([, , , kind, options]) => (old ? kind === 'cgroup' && options.split(',').includes('cpu') : kind === 'cgroup2');
  const mount = mounts.find((one) => one !== null && right(one));
  if (group === undefined || mount === undefined) return [];
  const within = posix.relative(plain(mount[1]), group[2]);
  const names = within.startsWith('..') || group[2].startsWith('/..') ? [] : within.split('/').filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, i) => posix.join(plain(mount[2]), ...names.slice(0, names.length - i))).slice(0, LEVELS);
}

// ns; undefined: it tells nothing of that, as the highest group of a hierarchy.
function throttled(watched) {
  const [, name, value] = /^(throttled_usec|throttled_time) (\d+)$/m.exec(watched.read() ?? '') ?? [];
  return name === undefined ? undefined : Number(value) * (name === 'throttled_usec' ? 1000 : 1);
}

class Quota {
  // `thread`: as the system counts.
  constructor(thread) {
    this.thread = open(`/proc/self/task/${thread}/cgroup`);
    this.files = [];
    this.looked = undefined;
    this.text = '';
  }

  // The thread may have been put into another group.
  follow(at) {
    if (this.looked !== undefined && at - this.looked < MOVED_NS) return;
    this.looked = at;
    const text = this.thread?.read() ?? '';
    if (text === this.text) return;
    this.closeFiles();
    this.text = text;
    this.files = groupFolders(text, mounts()).map((folder) => open(`${folder}/cpu.stat`)).filter((one) => one !== undefined);
    for (const one of this.files) one.throttled = throttled(one);
  }

  // ns since it was asked before.
  since() {
    let sum = 0;
    for (const one of this.files) {
      const value = throttled(one);
      if (value > one.throttled) sum += value - one.throttled;
      one.throttled = value;
    }
    return sum;
  }

  closeFiles() {
    for (const one of this.files) one.close();
    this.files = [];
  }

  close() {
    this.closeFiles();
    this.thread?.close();
    this.thread = undefined;
  }
}

module.exports = { Quota, groupFolders };
