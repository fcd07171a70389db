/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One gRPC connection to etcd that carries one put at a time: as much of HTTP/2 (RFC 9113) as that
 * takes, so that a put is one write and its answer is read by the thread that asked.
 *
 * Every put has the same length, with the eight digits of its number at PUT_KEY: whoever watches
 * the system call finds the key there.
 */
#ifndef EXAMPLES_ETCD_CONNECTION_H
#define EXAMPLES_ETCD_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

enum {
  PUT_HEADERS = 9 + 72, /* the frame of the request's headers */
  PUT_KEY = PUT_HEADERS + 9 + 5 + 2,
  PUT_KEY_BYTES = 8,
  PUT_VALUE_BYTES = 100,
  PUT_BYTES = PUT_KEY + PUT_KEY_BYTES + 2 + PUT_VALUE_BYTES,
  ANSWER_BYTES = 1 << 14,
};

struct connection {
  int socket;
  uint32_t stream; /* of the latest put: odd, growing */
  unsigned char put[PUT_BYTES];
  unsigned char answer[ANSWER_BYTES];
  uint32_t filled; /* bytes of `answer` that are not taken apart yet */
};

/* Connects to 127.0.0.1:`port`. False after a complaint. */
bool connection_open(struct connection *connection, uint16_t port);
void connection_close(struct connection *connection);

/* Puts the key `number` (below 10^8) and waits for the answer. False after a complaint: refused by
 * etcd, or the connection is gone. */
bool connection_put(struct connection *connection, uint32_t number);

#endif
