// SPDX-License-Identifier: GPL-3.0-or-later
// Records a Node.js process that runs already, for a while: attach.js PROCESS FOLDER SECONDS READY_FILE, run by the Node.js of
// that process (`tailproof record --node --pid`). SIGUSR1 lets Node.js open its inspector, on this machine alone; by that the
// recorder is loaded, and taken out again when the time is over, by Ctrl-C, or when this process ends. SECONDS 0: until then.
// Exit code 69 after a message: it cannot be recorded.
'use strict';

const fs = require('fs');
const path = require('path');
const { connect, targets } = require('./inspect.js');
const seen = require('./attach_look.js');

const LOOK_MS = 20;
// In which an inspector opens, unless the loop is busy or the program takes the signal itself: 3 s, and longer on a busy machine, where
// each look takes longer, too.
const LOOKS = 150;
const UNAVAILABLE = 69;

const [pid, folder, seconds, ready] = [Number(process.argv[2]), process.argv[3], Number(process.argv[4]), process.argv[5]];
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

class Refusal extends Error {}

const refuse = (reason, remedy) => {
  throw new Refusal(`process ${pid} cannot be recorded: ${reason}; ${remedy}`);
};

// The port of its inspector, and whether it was opened for this.
async function open() {
  const before = seen.listening(pid);
  for (const port of seen.inspectors(pid, before)) if ((await targets(port, pid)) !== undefined) return { port, opened: false };
  const wrong = seen.obstacle(pid);
  if (wrong !== undefined) refuse(...wrong);
  process.kill(pid, 'SIGUSR1');
  for (let looks = 0; looks < LOOKS; looks++, await sleep(LOOK_MS)) {
    for (const port of seen.inspectors(pid, before)) {
      if ((await targets(port, pid)) !== undefined) return { port, opened: true };
    }
    if (!fs.existsSync(`/proc/${pid}`)) refuse('it ended', 'start it with `record --node -- CMD`');
  }
  return refuse('it got SIGUSR1 and opened no inspector: it handles that signal itself, or its loop is held', 'start it with `record --node -- CMD`');
}

// What is evaluated there. What is wrong, or ''.
const call = (name, argument) => `require(${JSON.stringify(path.join(__dirname, 'late.js'))}).${name}(${JSON.stringify(argument)})`;

async function evaluate(session, expression) {
  const { result, exceptionDetails } = await session.post('Runtime.evaluate', { expression, includeCommandLineAPI: true, awaitPromise: true, returnByValue: true, silent: true });
  if (exceptionDetails === undefined) return result?.value;
  return String(exceptionDetails.exception?.description ?? exceptionDetails.text).split('\n')[0];
}

const OWN = /^TAILPROOF_NODE_/;
const environment = { TAILPROOF_STORE: folder };
for (const name of Object.keys(process.env)) if (OWN.test(name)) environment[name] = process.env[name];

const over = new Promise((done) => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, done);
});

// All threads: the main one first. Threads that begin later are recorded by the one that starts them.
async function startAll(session, workers, close) {
  const argument = { environment, by: process.pid, close };
  const wrong = await evaluate(session, call('start', argument));
  if (wrong !== '') refuse(wrong, 'see docs/node.md, \"A process that runs\"');
  let left = 0;
  for (const worker of workers) if ((await evaluate(worker, call('start', argument))) !== '') left++;
  if (left > 0) console.error(`tailproof record: ${left} of ${workers.length} worker threads are not recorded: they cannot load the recorder`);
}

async function main() {
  const wrong = seen.refusal(pid);
  if (wrong !== undefined) refuse(...wrong);
  if (process.getuid() === 0) fs.chownSync(folder, seen.owner(pid), -1); // whose log it is
  const { port, opened } = await open();
  const session = await connect(await targets(port, pid));
  const workers = await session.workers();
  try {
    await Promise.race([startAll(session, workers, opened ? port : 0), over.then(() => refuse('its loop is held, and nothing began', 'try again when it answers'))]);
  } catch (error) {
    await session.leaveWorkers();
    if (opened) await evaluate(session, `try { ${call('closeInspector', port)} } catch { void setTimeout(require('inspector').close, ${LOOKS * LOOK_MS}) }`).catch(() => {});
    await session.close();
    if (opened) await closed(port);
    throw error;
  }
  if (ready) fs.writeFileSync(ready, 'ready\n');
  const ended = await Promise.race([over, session.closed.then(() => 'ended'), ...(seconds > 0 ? [sleep(seconds * 1000)] : [])]) === 'ended';
  if (ended) return; // with the process, whose log is whole
  for (const worker of workers) await evaluate(worker, call('stop', 0)).catch(() => {});
  await session.leaveWorkers();
  await evaluate(session, call('stop', opened ? port : 0)).catch(() => {});
  await session.close();
  if (opened) await closed(port);
}

// Does it listen no more?
async function closed(port) {
  for (let looks = 0; looks < 2 * LOOKS; looks++, await sleep(LOOK_MS)) if (!seen.listening(pid).includes(port)) return;
  console.error(`tailproof record: the inspector of process ${pid} is still open on port ${port}: its loop is held`);
}

main().then(() => process.exit(0), (error) => {
  console.error(`tailproof record: ${error instanceof Refusal ? error.message : `process ${pid} cannot be recorded: ${error.message}; start it with \`record --node -- CMD\``}`);
  process.exit(UNAVAILABLE);
});
