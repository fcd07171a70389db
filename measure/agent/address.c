/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/address.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/address.h"

bool agent_address_resolve(struct agent_address *address, const char *host, uint16_t port,
                           int family, int type, char message[AGENT_MESSAGE]) {
  char service[8];
  snprintf(service, sizeof service, "%u", port);
  struct addrinfo hints = {.ai_family = family, .ai_socktype = type, .ai_flags = AI_NUMERICSERV};
  if (family == AF_INET6)
    hints.ai_flags |= AI_V4MAPPED;
  struct addrinfo *found = NULL;
  int error = getaddrinfo(host, service, &hints, &found);
  if (error != 0) {
    snprintf(message, AGENT_MESSAGE, "%.100s: %s%s; correct the address or the name service", host,
             error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error),
             family == AF_INET ? " (as an IPv4 address, since `listen` is one)" : "");
    return false;
  }
  *address = (struct agent_address){.length = found->ai_addrlen};
  memcpy(&address->storage, found->ai_addr, found->ai_addrlen);
  freeaddrinfo(found);
  return true;
}

/* The part of an address that says where packets go: bytes of the host, then the port. */
static size_t key_of(unsigned char key[18], const struct agent_address *address) {
  if (address->storage.ss_family == AF_INET) {
    const struct sockaddr_in *v4 = (const void *)&address->storage;
    memcpy(key, &v4->sin_port, 2);
    memcpy(key + 2, &v4->sin_addr, 4);
    return 6;
  }
  const struct sockaddr_in6 *v6 = (const void *)&address->storage;
  memcpy(key, &v6->sin6_port, 2);
  memcpy(key + 2, &v6->sin6_addr, 16);
  return 18;
}

int agent_address_compare(const struct agent_address *a, const struct agent_address *b) {
  unsigned char left[18], right[18];
  size_t n = key_of(left, a), m = key_of(right, b);
  return n != m ? (n > m) - (n < m) : memcmp(left, right, n);
}

void agent_address_print(char text[AGENT_ADDRESS_TEXT], const struct agent_address *address) {
  _Static_assert((int)AGENT_ADDRESS_TEXT >= (int)ADDRESS_TEXT, "holds what is printed");
  address_print(text, (const struct sockaddr *)&address->storage);
}

/* False with errno. */
static bool prepare(int fd, struct agent_address *address, int type) {
  int on = 1, off = 0;
  if (type == SOCK_STREAM && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0)
    return false;
  if (address->storage.ss_family == AF_INET6 &&
      setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off) != 0)
    return false;
  if (bind(fd, (const struct sockaddr *)&address->storage, address->length) != 0 ||
      (type == SOCK_STREAM && listen(fd, SOMAXCONN) != 0))
    return false;
  return getsockname(fd, (struct sockaddr *)&address->storage, &address->length) == 0;
}

int agent_address_socket(struct agent_address *address, int type, const char *key,
                         char message[AGENT_MESSAGE]) {
  int fd = socket(address->storage.ss_family, type | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (fd >= 0 && prepare(fd, address, type))
    return fd;
  int error = errno;
  char text[AGENT_ADDRESS_TEXT];
  agent_address_print(text, address);
  const char *remedy = "give another one in the configuration";
  if (error == EADDRINUSE)
    remedy = "another program has it: end that or give another port";
  else if (error == EADDRNOTAVAIL)
    remedy = "no interface of this machine has the address: give one of its own";
  snprintf(message, AGENT_MESSAGE, "%s: %s: %s; %s", key, text, strerror(error), remedy);
  if (fd >= 0)
    close(fd);
  return -1;
}
