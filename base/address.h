/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A host and a port as people write them: HOST:PORT, or [HOST]:PORT where the host has colons.
 */
#ifndef BASE_ADDRESS_H
#define BASE_ADDRESS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

/* Of HOST:PORT with its NUL: as much as a message and the page of a counter have space for. */
#define ADDRESS_TEXT 64

struct address {
  char host[ADDRESS_TEXT];
  uint16_t port;
};

/* Printable characters without blanks, a host that is not empty, a port from 0 (`least`) or 1. */
bool address_read(struct address *place, const char *text, uint16_t least);

/* "127.0.0.1:7000", "[::1]:7000" of an address of IPv4 or IPv6; "?" of another. */
void address_print(char text[ADDRESS_TEXT], const struct sockaddr *address);

bool address_is_loopback(const struct sockaddr *address);

/* The port is in the host's byte order; of another family than IPv4 and IPv6 nothing happens. */
void address_set_port(struct sockaddr *address, uint16_t port);

#endif
