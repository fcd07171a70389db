// SPDX-License-Identifier: GPL-3.0-or-later
// A client of Node.js's inspector, without packages: its list of targets, and a session over a web socket (RFC 6455), also with
// its worker threads (NodeWorker).
'use strict';

const crypto = require('crypto');
const http = require('http');

const HOST = '127.0.0.1';
const WAIT_MS = 1000;
const CLOSE_MS = 3000; // in which the other end of a session closes

// Where the inspector of the process talks, or undefined: the port is somebody else's.
function targets(port, pid) {
  return new Promise((done) => {
    const request = http.get({ host: HOST, port, path: '/json/list', timeout: WAIT_MS, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => { text += part; }).on('end', () => {
        try {
          const found = JSON.parse(text).find((one) => one.type === 'node' && one.title.endsWith(`[${pid}]`));
          done((found ?? JSON.parse(text).find((one) => one.type === 'node'))?.webSocketDebuggerUrl);
        } catch {
          done(undefined);
        }
      });
    });
    request.on('error', () => done(undefined)).on('timeout', () => request.destroy());
  });
}

// One text as a client sends it: masked.
function frame(text, opcode = 1) {
  const body = Buffer.from(text);
  const mask = crypto.randomBytes(4);
  const long = body.length > 65535 ? 8 : body.length > 125 ? 2 : 0;
  const head = Buffer.alloc(2 + long);
  head[0] = 128 | opcode;
  head[1] = 128 | (long === 8 ? 127 : long === 2 ? 126 : body.length);
  if (long === 2) head.writeUInt16BE(body.length, 2);
  if (long === 8) head.writeBigUInt64BE(BigInt(body.length), 2);
  return Buffer.concat([head, mask, body.map((byte, i) => byte ^ mask[i & 3])]);
}

// Calls `message` with each text that came; a part of one waits.
function reader(message) {
  let rest = Buffer.alloc(0);
  let text = [];
  return (part) => {
    rest = Buffer.concat([rest, part]);
    while (rest.length >= 2) {
      const short = rest[1] & 127;
      const head = short === 127 ? 10 : short === 126 ? 4 : 2;
      if (rest.length < head) return;
      const length = head === 10 ? Number(rest.readBigUInt64BE(2)) : head === 4 ? rest.readUInt16BE(2) : short;
      if (rest.length < head + length) return;
      const opcode = rest[0] & 15;
      if (opcode < 3) text.push(rest.subarray(head, head + length));
      if (opcode < 3 && (rest[0] & 128) !== 0) message(Buffer.concat(text.splice(0)).toString());
      rest = rest.subarray(head + length);
    }
  };
}

// What asks and is answered by number; `send(text)`.
class Session {
  constructor(send) {
    this.send = send;
    this.asked = new Map();
    this.next = 0;
    this.heard = () => {}; // of what is no answer
  }

  post(method, params = {}) {
    const id = ++this.next;
    this.send(JSON.stringify({ id, method, params }));
    return new Promise((done, failed) => this.asked.set(id, { done, failed }));
  }

  take(text) {
    const { id, result, error, method, params } = JSON.parse(text);
    const waiting = this.asked.get(id);
    this.asked.delete(id);
    if (waiting === undefined) this.heard(method, params);
    else if (error === undefined) waiting.done(result);
    else waiting.failed(new Error(error.message));
  }

  end() {
    for (const { failed } of this.asked.values()) failed(new Error('its inspector went away'));
    this.asked.clear();
  }
}

// Sessions with the worker threads that are there.
async function workersOf(session) {
  const found = new Map();
  session.heard = (method, params) => {
    if (method === 'NodeWorker.attachedToWorker') {
      const { sessionId } = params;
      found.set(sessionId, new Session((message) => session.post('NodeWorker.sendMessageToWorker', { sessionId, message }).catch(() => {})));
    }
    if (method === 'NodeWorker.receivedMessageFromWorker') found.get(params.sessionId)?.take(params.message);
    if (method === 'NodeWorker.detachedFromWorker') found.get(params.sessionId)?.end();
  };
  await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false }).catch(() => {});
  return [...found.values()];
}

function connect(url) {
  const { port, pathname } = new URL(url);
  const key = crypto.randomBytes(16).toString('base64');
  const headers = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-key': key, 'sec-websocket-version': 13 };
  return new Promise((done, failed) => {
    const request = http.get({ host: HOST, port, path: pathname, headers, agent: false });
    request.on('error', failed).on('response', () => failed(new Error('its inspector takes no session')));
    request.on('upgrade', (answer, socket, begun) => {
      const session = new Session((text) => socket.write(frame(text)));
      const take = reader((text) => session.take(text));
      // The other end answers, and closes: with its end Node.js may be ending the session itself, and crashes where it sends
      // its last frame twice.
      session.close = () => {
        socket.write(frame('', 8));
        return Promise.race([session.closed, new Promise((end) => setTimeout(end, CLOSE_MS))]);
      };
      session.workers = () => workersOf(session);
      session.leaveWorkers = () => session.post('NodeWorker.disable').catch(() => {});
      session.closed = new Promise((end) => socket.on('close', () => { session.end(); end(); }));
      socket.on('error', () => {}).on('data', take);
      take(begun);
      done(session);
    });
  });
}

module.exports = { targets, connect };
