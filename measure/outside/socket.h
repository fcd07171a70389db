/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a TCP socket has what probes read of it, by the types that the kernel describes (BTF, the
 * kernel's Documentation/bpf/btf.rst), as that differs from build to build. The probes are on the
 * tracepoints sock:sock_send_length and sock:sock_recv_length, which say when a sending or a
 * receiving is done and which socket it was.
 */
#ifndef MEASURE_OUTSIDE_SOCKET_H
#define MEASURE_OUTSIDE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"

struct socket_layout {
  unsigned local, remote; /* of a socket's ports: the own in the order of this machine, the other
                             one in that of the network */
  unsigned position;      /* of the next byte in the stream, to be sent or received: 32 bits */
};

/* What a probe on sockets can read: "bytes", "local", "remote", "begins", "ends". */
bool socket_has(const char *field);

/* STATUS_UNAVAILABLE with one line in `message` where this kernel does not describe them. */
enum status socket_find(struct socket_layout *layout, bool receives, struct text *message);

#endif
