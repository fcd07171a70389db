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

const VALUED = /^(-r|-C|-e|-p|-pe|--(require|import|loader|experimental-loader|conditions|env-file|title|eval|print|input-type))$/;

// What Node.js was started with: its own options, those before the script; and NODE_OPTIONS.
function options(pid) {
  const line = read(`/proc/${pid}/cmdline`).split('\0').slice(1);
  const end = line.findIndex((word, i) => !word.startsWith('-') && !VALUED.test(line[i - 1] ?? ''));
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

// Where its inspector opens, or has opened. Port 0: anywhere.
function place(given) {
  const found = given.map((word) => /^--(?:inspect|debug)(?:-port|-brk|-wait)?=(?:(.*):)?(\d+)$/.exec(word)).find((one) => one !== null);
  return { host: found?.[1] ?? '127.0.0.1', port: Number(found?.[2] ?? 9229) };
}

// Ports of the process that may be its inspector's; no other is asked, as it is the application's.
const inspectors = (pid, before) => {
  const { port } = place(options(pid));
  return listening(pid).filter((one) => one === port || (port === 0 && !before.includes(one)));
};

// Why it is not to get SIGUSR1: it would end, or open its inspector to others, or not at all.
function obstacle(pid) {
  const given = options(pid);
  if (given.includes('--disable-sigusr1')) return ['it runs with --disable-sigusr1', restart];
  if (given.some((word) => word === '--permission' || word === '--experimental-permission')) return ['it runs with --permission, which closes its inspector', restart];
  if (!catches(pid)) return ['it does not take SIGUSR1, and would end by it', restart];
  const { host, port } = place(given);
  if (!['127.0.0.1', 'localhost', '[::1]', '::1'].includes(host)) return [`its inspector would be open to other machines (--inspect-port=${host}:${port})`, restart];
  if (port !== 0 && sockets(pid).some((one) => one.port === port)) return [`port ${port}, where its inspector would open, is in use`, 'end what uses it, or start it with --inspect-port=0'];
  return undefined;
}

module.exports = { refusal, obstacle, listening, inspectors, owner };
