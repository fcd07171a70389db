/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Addresses of the network agent: host names to socket addresses and back, and sockets bound to
 * them.
 */
#ifndef MEASURE_AGENT_ADDRESS_H
#define MEASURE_AGENT_ADDRESS_H

#include "measure/agent/config.h"

#include <sys/socket.h>

struct agent_address {
  struct sockaddr_storage storage; /* zero beyond `length` */
  socklen_t length;
};

#define AGENT_ADDRESS_TEXT 64

/* Looks a host up; `family` is AF_UNSPEC or the family of the socket that will send there (for
 * AF_INET6 an IPv4 address becomes a mapped one). False with `message`. */
bool agent_address_resolve(struct agent_address *address, const char *host, uint16_t port,
                           int family, int type, char message[AGENT_MESSAGE]);

/* By family, address and port alone; <0, 0, >0. */
int agent_address_compare(const struct agent_address *a, const struct agent_address *b);

/* "10.0.0.2:7355", "[::1]:7355". */
void agent_address_print(char text[AGENT_ADDRESS_TEXT], const struct agent_address *address);

/* A non-blocking socket (SOCK_DGRAM or SOCK_STREAM, then listening) bound to the address; -1 with
 * `message`, which `key` of the configuration begins. *address becomes what it is bound to. */
int agent_address_socket(struct agent_address *address, int type, const char *key,
                         char message[AGENT_MESSAGE]);

#endif
