// SPDX-License-Identifier: GPL-3.0-or-later
// What a process already has when its recorder comes: connections, servers, timers. Hooks told nobody of them; their types
// are known by their classes, and where a connection goes to by itself.
'use strict';

const net = require('net');

// Classes of Node.js, and what its hooks call what is of them. Others are called as the class in capital letters.
const TYPES = new Map(Object.entries({
  TCP: 'TCPWRAP', Pipe: 'PIPEWRAP', TTY: 'TTYWRAP', UDP: 'UDPWRAP', HTTPParser: 'HTTPINCOMINGMESSAGE', Process: 'PROCESSWRAP',
  Signal: 'SIGNALWRAP', FSEvent: 'FSEVENTWRAP', StatWatcher: 'STATWATCHER', ChannelWrap: 'DNSCHANNEL', Timeout: 'Timeout',
  Immediate: 'Immediate', ReqWrap: 'HTTPCLIENTREQUEST', FSReqCallback: 'FSREQCALLBACK', WriteWrap: 'WRITEWRAP',
  TCPConnectWrap: 'TCPCONNECTWRAP', PipeConnectWrap: 'PIPECONNECTWRAP', ShutdownWrap: 'SHUTDOWNWRAP',
  GetAddrInfoReqWrap: 'GETADDRINFOREQWRAP', GetNameInfoReqWrap: 'GETNAMEINFOREQWRAP', QueryReqWrap: 'QUERYWRAP',
}));

function typeOfResource(resource) {
  const name = resource?.constructor?.name;
  if (typeof name !== 'string' || !/^[A-Z]\w{0,40}$/.test(name) || name === 'Object') return 'EARLIER';
  return TYPES.get(name) ?? name.toUpperCase();
}

function typeOfSocket(socket) {
  const type = typeOfResource(socket._handle);
  const client = socket._httpMessage?.agent !== undefined || (socket.server ?? undefined) === undefined;
  if (!client || typeof socket.remoteAddress !== 'string') return type;
  const host = socket.remoteAddress.includes(':') ? `[${socket.remoteAddress}]` : socket.remoteAddress;
  return `${type} ${host}:${socket.remotePort}`;
}

const ofSymbol = (object, name) => object[Object.getOwnPropertySymbols(object).find((symbol) => symbol.description === name)];

// How many requests of this connection to a server are not answered. Pipelined ones behind the first are not seen.
function underWayOf(socket) {
  const session = ofSymbol(socket, 'session');
  if (session) return session.type === 0 ? (ofSymbol(session, 'state')?.streams?.size ?? 0) : 0;
  const message = socket._httpMessage ?? undefined;
  return message !== undefined && message.agent === undefined && (socket.server ?? undefined) !== undefined ? 1 : 0;
}

// How many requests were under way before anybody recorded them.
function requestsUnderWay() {
  let count = 0;
  for (const one of process._getActiveHandles?.() ?? []) {
    try {
      if (one instanceof net.Socket) count += underWayOf(one);
    } catch {
      // closed meanwhile
    }
  }
  return count;
}

// The types of what is there, by id. Nothing of the application is called.
function typesOfHandles() {
  const types = new Map();
  const note = (handle, type) => {
    const id = handle?.getAsyncId?.();
    if (id > 0) types.set(id, type);
  };
  for (const one of process._getActiveHandles?.() ?? []) {
    try {
      if (one instanceof net.Server) note(one._handle, typeOfResource(one._handle) === 'PIPEWRAP' ? 'PIPESERVERWRAP' : 'TCPSERVERWRAP');
      else if (one instanceof net.Socket) note(one._handle, typeOfSocket(one));
      if (one?.parser?.constructor?.name === 'HTTPParser') note(one.parser, 'HTTPINCOMINGMESSAGE');
    } catch {
      // closed meanwhile
    }
  }
  return types;
}

module.exports = { typeOfResource, typesOfHandles, requestsUnderWay };
