// SPDX-License-Identifier: GPL-3.0-or-later
// Where connections go to: an address with its port, or the path of a socket; and whose the ports of worker threads are. It
// is written behind the turn in which it became known.
'use strict';

const HANDLES = 256; // of more that are made at once some are not told where they go to

class Connections {
  constructor(log) {
    this.log = log;
    this.handles = new Array(HANDLES).fill(undefined); // the newest, by id; what is closed may be collected
    this.types = new WeakMap(); // of handles of connections: the type, and where it goes to
    this.connecting = []; // whose other end is not yet written
    this.ports = []; // with what they belong to
  }

  // A connection that an agent kept has a new id for each request, and is known by its handle.
  typeOf(id, type, resource) {
    const { handle } = resource;
    const known = typeof handle === 'object' && handle !== null ? this.types.get(handle) : undefined;
    if (known !== undefined) return known;
    this.handles[id % HANDLES] = { id, type, handle: new WeakRef(resource) };
    return type;
  }

  // The handle is what triggers. Where several addresses are tried each has a handle, made just before, and in some versions
  // the first of them triggers still. A handle connects once.
  connect(id, trigger, request) {
    const { handles } = this;
    const of = [trigger, id - 1].find((one) => handles[one % HANDLES]?.id === one);
    if (of === undefined) return;
    const found = handles[of % HANDLES];
    handles[of % HANDLES] = undefined;
    const handle = found.handle.deref();
    if (handle !== undefined) this.connecting.push({ id: of, type: found.type, handle, request });
  }

  ofPort(id, place) {
    this.ports.push({ id, place });
  }

  // The turn that ended at `ns` is over.
  write(ns) {
    if (this.connecting.length > 0) this.writeConnected(ns);
    const { ports } = this;
    while (ports.length > 0) {
      const { id, place } = ports[ports.length - 1];
      if (!this.log.writePeer(id, place, ns * 1e-6)) break;
      ports.pop();
    }
  }

  writeConnected(ns) {
    for (const { id, type, handle, request } of this.connecting) {
      const { address, port } = request; // Node.js sets them behind the hook
      if (typeof address !== 'string') continue;
      const host = address.includes(':') ? `[${address}]` : address;
      const place = port === undefined ? address : `${host}:${port}`;
      if (this.log.writePeer(id, place, ns * 1e-6)) this.types.set(handle, `${type} ${place}`);
    }
    this.connecting.length = 0;
  }
}

module.exports = { Connections };
