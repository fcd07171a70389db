/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/poker/proxy_inside.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

struct place {
  char host[PROXY_ADDRESS - 12]; /* empty: loopback */
  char port[8];
};

/* "HOST:PORT", "[V6]:PORT", ":PORT" of `length` bytes. */
static bool read_place(struct place *place, const char *text, size_t length) {
  size_t colon = length;
  while (colon > 0 && text[colon - 1] != ':')
    colon--;
  if (colon == 0)
    return false;
  const char *host = text, *port = text + colon;
  size_t host_length = colon - 1, port_length = length - colon;
  if (host_length >= 2 && host[0] == '[' && host[host_length - 1] == ']') {
    host++;
    host_length -= 2;
  } else if (memchr(host, ':', host_length) != NULL) {
    return false; /* which colon? */
  }
  if (host_length >= sizeof place->host || port_length == 0 || port_length > 5)
    return false;
  unsigned number = 0;
  for (size_t i = 0; i < port_length; i++) {
    if (port[i] < '0' || port[i] > '9')
      return false;
    number = number * 10 + (unsigned)(port[i] - '0');
  }
  for (size_t i = 0; i < host_length; i++)
    if (host[i] <= ' ' || host[i] >= 127)
      return false;
  snprintf(place->host, sizeof place->host, "%.*s", (int)host_length, host);
  snprintf(place->port, sizeof place->port, "%u", number);
  return number <= 65535;
}

/* At most `most` addresses; 0 with a message. */
static uint32_t look_up(struct sockaddr_storage *found, uint32_t most, const struct place *place,
                        char message[PROXY_MESSAGE]) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
  struct addrinfo *list = NULL;
  const char *host = place->host[0] == '\0' ? "127.0.0.1" : place->host;
  uint32_t count = 0;
  int error = getaddrinfo(host, place->port, &hints, &list);
  if (error != 0) {
    snprintf(message, PROXY_MESSAGE,
             "--proxy: %.70s: %.100s; correct the address or the name service", host,
             error == EAI_SYSTEM ? strerror(errno) : gai_strerror(error));
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
  struct place here, there;
  if (equals == NULL || !read_place(&here, where, (size_t)(equals - where)) ||
      !read_place(&there, equals + 1, strlen(equals + 1)) || strcmp(there.port, "0") == 0) {
    snprintf(message, PROXY_MESSAGE,
             "--proxy: '%.80s' is not LISTEN=BACKEND, each HOST:PORT, such as "
             "127.0.0.1:8080=127.0.0.1:9090",
             where);
    return false;
  }
  bool v6 = strchr(there.host, ':') != NULL;
  snprintf(proxy->host, sizeof proxy->host, "%s%s%s:%s", v6 ? "[" : "",
           there.host[0] == '\0' ? "127.0.0.1" : there.host, v6 ? "]" : "", there.port);
  proxy->backend_count = look_up(proxy->backends, PROXY_BACKENDS, &there, message);
  return proxy->backend_count > 0 && look_up(listen, 1, &here, message) > 0;
}

void proxy_address_print(char text[PROXY_ADDRESS], const struct sockaddr_storage *address) {
  char host[INET6_ADDRSTRLEN] = "?";
  if (address->ss_family == AF_INET) {
    const struct sockaddr_in *v4 = (const void *)address;
    inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
    snprintf(text, PROXY_ADDRESS, "%s:%u", host, ntohs(v4->sin_port));
    return;
  }
  const struct sockaddr_in6 *v6 = (const void *)address;
  inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
  snprintf(text, PROXY_ADDRESS, "[%s]:%u", host, ntohs(v6->sin6_port));
}
