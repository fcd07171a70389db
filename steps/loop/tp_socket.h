/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * UDP under a loop (tp_loop.h): one socket, and an address for each node. What a socket cannot send
 * is lost, as it could be on its way. SIGINT and SIGTERM end the waiting of a node that asks for
 * it.
 */
#ifndef TP_SOCKET_H
#define TP_SOCKET_H

#include <netinet/in.h>

#include "tp_loop.h"

#ifdef __cplusplus
extern "C" {
#endif

struct tp_socket {
  int descriptor;
  const struct tailproof_writer *writer; /* whose clock says when bytes came; NULL: 0 */
  struct sockaddr_storage addresses[TP_PEERS];
  socklen_t lengths[TP_PEERS]; /* 0: no address is known */
};

/* Notes where a node is: "127.0.0.1:7000", "[::1]:7000". False: that is no address. */
bool tp_socket_address(struct tp_socket *socket, int32_t node, const char *text);

/* Opens the socket at the address of the node itself. NULL, or the system's word for what failed.
 */
const char *tp_socket_open(struct tp_socket *socket, int32_t self);
void tp_socket_close(struct tp_socket *socket);

/* From now on SIGINT and SIGTERM end `receive` with -1 instead of the process. */
void tp_socket_catch(void);

/* The port of the socket; `work` and `ready` are NULL. */
struct tp_port tp_socket_port(struct tp_socket *socket);

#ifdef __cplusplus
}
#endif

#endif
