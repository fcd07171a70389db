/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where a pauser listens or is: HOST:PORT, or [HOST]:PORT where the host has colons.
 */
#ifndef MEASURE_NET_PLACE_H
#define MEASURE_NET_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#define PLACE_TEXT 64 /* of HOST:PORT with its NUL: as much as a message and the page have space for */

struct place {
  char host[PLACE_TEXT];
  uint16_t port;
};

/* Printable characters without blanks, a host that is not empty, a port from 0 (`least`) or 1. */
bool place_read(struct place *place, const char *text, uint16_t least);

/* "127.0.0.1:7000", "[::1]:7000" of an address of IPv4 or IPv6; "?" of another. */
void place_print(char text[PLACE_TEXT], const struct sockaddr *address);

bool place_is_loopback(const struct sockaddr *address);

/* The port is in the host's byte order; of another family than IPv4 and IPv6 nothing happens. */
void place_set_port(struct sockaddr *address, uint16_t port);

#endif
