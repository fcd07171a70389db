/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a socket has what probes read of it, by the types that the kernel describes (BTF, the
 * kernel's Documentation/bpf/btf.rst), as that differs from build to build, and which calls lead to
 * it. The probes are on the tracepoints sock:sock_send_length and sock:sock_recv_length, which say
 * when a sending or a receiving is done and which socket it was.
 *
 * When it began is kept by thread until then. Of TCP it is where the kernel begins to take over the
 * bytes (tcp:tcp_sendmsg_locked, Linux 6.16). Elsewhere, or where a probe reads the message, it is
 * where the thread's system call began; of several messages in one call the later ones begin when
 * the one before is done.
 */
#ifndef MEASURE_OUTSIDE_SOCKET_H
#define MEASURE_OUTSIDE_SOCKET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "measure/outside/probes.h"

struct socket_layout {
  unsigned local, remote; /* of a socket's ports: the own in the order of this machine, the other
                             one in that of the network */
  unsigned position;      /* of the next byte in the stream, to be sent or received: 32 bits */
  unsigned peer,
      address;           /* of a Unix socket: the other one, and what it is bound to, which has a */
  unsigned length, path; /* length with the family, 32 bits, and a path */
  uint64_t key;          /* odd; tells Unix sockets apart without giving away addresses */
};

/* How a call says where its message is. */
enum call_form {
  CALL_ARGUMENTS, /* all six are kept, of a probe at a return */
  CALL_TAKEN,     /* the kernel takes over bytes: it does not say */
  CALL_ELSEWHERE, /* the system call does not say */
  CALL_BUFFER,    /* read(2) */
  CALL_ADDRESSED, /* sendto(2) */
  CALL_VECTOR,    /* readv(2) */
  CALL_MESSAGE,   /* recvmsg(2) */
  CALL_MESSAGES,  /* recvmmsg(2) */
};

/* A tracepoint at which calls begin. */
struct begun_call {
  unsigned id;
  enum call_form form;
};

typedef VECTOR(struct begun_call) begun_calls;

/* Whether a probe on sockets needs to know how calls began. */
bool socket_keeps_call(const struct outside_site *site);

/* STATUS_UNAVAILABLE with one line in `message` where this kernel does not describe them. */
enum status socket_find(struct socket_layout *layout, const struct outside_site *site,
                        struct text *message);

/* Appends where the calls of a probe begin; `events` is the folder of tracepoints (tracefs_open).
 * STATUS_UNAVAILABLE with one line in `message`. */
enum status socket_find_calls(begun_calls *calls, const struct outside_site *site, int events,
                              struct text *message);

#endif
