/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the proxy listens and whom it forwards to, read from LISTEN=BACKEND (inside.h).
 */
#include "base/address.h"
#include "measure/throughput/proxy/inside.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

/* HOST:PORT, or :PORT of loopback, of `length` bytes. */
static bool read_place(struct address *place, const char *text, size_t length, uint16_t least) {
  char whole[ADDRESS_TEXT];
  const char *host = length > 0 && *text == ':' ? "127.0.0.1" : "";
  if (strlen(host) + length >= sizeof whole)
    return false;
  snprintf(whole, sizeof whole, "%s%.*s", host, (int)length, text);
  return address_read(place, whole, least);
}

/* At most `most` addresses; 0 with a message. */
static uint32_t look_up(struct sockaddr_storage *found, uint32_t most, const struct address *place,
                        char message[PROXY_MESSAGE]) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *list = NULL;
  char port[8];
  uint32_t count = 0;
  snprintf(port, sizeof port, "%u", place->port);
  int error = getaddrinfo(place->host, port, &hints, &list);
  if (error != 0) {
    snprintf(message, PROXY_MESSAGE, "%.70s: %.100s; correct the address or the name service",
             place->host, error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
    return 0;
  }
  for (const struct addrinfo *one = list; one != NULL && count < most; one = one->ai_next) {
    memset(&found[count], 0, sizeof found[count]);
    memcpy(&found[count++], one->ai_addr, one->ai_addrlen);
  }
  freeaddrinfo(list);
  return count;
}

bool proxy_where(struct proxy *proxy, struct sockaddr_storage *listen, const char *where,
                 char message[PROXY_MESSAGE]) {
  const char *equals = strchr(where, '=');
  struct address here, there;
  if (equals == NULL || !read_place(&here, where, (size_t)(equals - where), 0) ||
      !read_place(&there, equals + 1, strlen(equals + 1), 1)) {
    snprintf(message, PROXY_MESSAGE,
             "'%.80s' is not LISTEN=BACKEND, each HOST:PORT, such as "
             "127.0.0.1:8080=127.0.0.1:9090",
             where);
    return false;
  }
  bool v6 = strchr(there.host, ':') != NULL;
  snprintf(proxy->host, sizeof proxy->host, v6 ? "[%s]:%u" : "%s:%u", there.host, there.port);
  proxy->backend_count = look_up(proxy->backends, PROXY_BACKENDS, &there, message);
  return proxy->backend_count > 0 && look_up(listen, 1, &here, message) > 0;
}
