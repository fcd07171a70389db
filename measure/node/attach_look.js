// SPDX-License-Identifier: GPL-3.0-or-later
// What the system says of a process that is to be recorded: why it cannot be, and on which ports it listens.
'use strict';

const fs = require('fs');
const path = require('path');

const OLDEST = 18;
const SIGUSR1 = 10;
const read = (name) => {
  try {
    return fs.readFileSync(name, 'latin1');
  } catch {
    return '';
  }
};
const link = (name) => {
  try {
    return fs.readlinkSync(name);
  } catch {
    return undefined;
  }
};

const owner = (pid) => fs.statSync(`/proc/${pid}`).uid;
const restart = 'start it with `record --node -- CMD`';

// Without a signal: what is wrong, and what helps; or undefined.
function refusal(pid) {
  if (!fs.existsSync(`/proc/${pid}`)) return ['there is no such process', 'name one that runs'];
  if (process.getuid() !== 0 && owner(pid) !== process.getuid()) return ['it is another user\'s', 'run this as that user, or as root'];
  if (Number(process.versions.node.split('.')[0]) < OLDEST) return [`its Node.js is ${process.version}, and the recorder needs ${OLDEST} or later`, 'run it with a later one'];
  for (const [kind, what, remedy] of [['net', 'its network is that of a container', `nsenter -t ${pid} -n`], ['mnt', 'its files are those of a container', `nsenter -t ${pid} -m -n`]]) {
    const [own, other] = [link(`/proc/self/ns/${kind}`), link(`/proc/${pid}/ns/${kind}`)];
    if (own !== undefined && other !== undefined && own !== other) return [what, `run this within the container, where its recorder is installed (${remedy})`];
  }
  return undefined;
}

const words = (text) => text.split('\0').flatMap((one) => (one.startsWith('NODE_OPTIONS=') ? one.slice(13).split(/\s+/) : [one]));

// What Node.js was started with: its own options, those before the script; and NODE_OPTIONS.
function options(pid) {
  const line = read(`/proc/${pid}/cmdline`).split('\0').slice(1);
  const end = line.findIndex((word) => !word.startsWith('-'));
  const given = words(read(`/proc/${pid}/environ`).split('\0').find((one) => one.startsWith('NODE_OPTIONS=')) ?? '');
  return [...(end < 0 ? line : line.slice(0, end)), ...given];
}

const catches = (pid) => {
  const [, mask] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(read(`/proc/${pid}/status`)) ?? [];
  return mask !== undefined && (BigInt(`0x${mask}`) >> BigInt(SIGUSR1 - 1)) % 2n === 1n;
};

// Ports of 127.0.0.1, or of all addresses, on which somebody listens; with whose socket that is.
function sockets(pid) {
  return ['tcp', 'tcp6'].flatMap((kind) => read(`/proc/${pid}/net/${kind}`).split('\n').slice(1)).map((line) => line.trim().split(/\s+/))
    .filter((part) => part[3] === '0A').map((part) => ({ port: Number.parseInt(part[1].split(':')[1], 16), inode: part[9] }));
}

function listening(pid) {
  let own;
  try {
    own = new Set(fs.readdirSync(`/proc/${pid}/fd`).map((one) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${one}`) ?? '')?.[1]));
  } catch {
    return [];
  }
  return [...new Set(sockets(pid).filter(({ inode }) => own.has(inode)).map(({ port }) => port))];
}

// Why it is not to get SIGUSR1: it would end, or open its inspector to others, or not at all.
function obstacle(pid) {
  const given = options(pid);
  if (given.includes('--disable-sigusr1')) return ['it runs with --disable-sigusr1', restart];
  if (given.some((word) => word === '--permission' || word === '--experimental-permission')) return ['it runs with --permission, which closes its inspector', restart];
  if (!catches(pid)) return ['it does not take SIGUSR1, and would end by it', restart];
  const at = given.map((word) => /^--(?:inspect|debug)-port=(?:(.*):)?(\d+)$/.exec(word)).find((found) => found !== null);
  const [host, port] = [at?.[1] ?? '127.0.0.1', Number(at?.[2] ?? 9229)];
  if (!['127.0.0.1', 'localhost', '[::1]', '::1'].includes(host)) return [`its inspector would be open to other machines (--inspect-port=${host}:${port})`, restart];
  if (port !== 0 && sockets(pid).some((one) => one.port === port)) return [`port ${port}, where its inspector would open, is in use`, 'end what uses it, or start it with --inspect-port=0'];
  return undefined;
}

const isNode = (file) => /^node(js)?[-\d.]*( \(deleted\))?$/.test(path.basename(file ?? ''));

module.exports = { refusal, obstacle, listening, owner, isNode };
