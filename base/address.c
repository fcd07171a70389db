/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool read_port(uint16_t *port, const char *text, uint16_t least) {
  size_t digits = strspn(text, "0123456789");
  if (digits == 0 || digits > 5 || text[digits] != '\0')
    return false;
  unsigned long value = strtoul(text, NULL, 10);
  *port = (uint16_t)value;
  return least <= value && value <= UINT16_MAX;
}

bool address_read(struct address *place, const char *text, uint16_t least) {
  size_t length = strnlen(text, ADDRESS_TEXT);
  const char *colon = strrchr(text, ':');
  if (length >= ADDRESS_TEXT || colon == NULL || !read_port(&place->port, colon + 1, least))
    return false;
  for (const char *at = text; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~')
      return false;
  const char *host = text, *end = colon;
  bool brackets = *host == '[' && end[-1] == ']';
  if (brackets)
    host++, end--;
  else if (memchr(host, ':', (size_t)(end - host)) != NULL)
    return false;
  if (host >= end)
    return false;
  memcpy(place->host, host, (size_t)(end - host));
  place->host[end - host] = '\0';
  return true;
}

void address_print(char text[ADDRESS_TEXT], const struct sockaddr *address) {
  char host[INET6_ADDRSTRLEN] = "";
  const struct sockaddr_in *v4 = (const void *)address;
  const struct sockaddr_in6 *v6 = (const void *)address;
  if (address->sa_family == AF_INET && inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host) != NULL)
    snprintf(text, ADDRESS_TEXT, "%s:%u", host, ntohs(v4->sin_port));
  else if (address->sa_family == AF_INET6 &&
           inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host) != NULL)
    snprintf(text, ADDRESS_TEXT, "[%s]:%u", host, ntohs(v6->sin6_port));
  else
    snprintf(text, ADDRESS_TEXT, "?");
}

bool address_is_loopback(const struct sockaddr *address) {
  const struct sockaddr_in *v4 = (const void *)address;
  const struct sockaddr_in6 *v6 = (const void *)address;
  if (address->sa_family == AF_INET)
    return ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  return address->sa_family == AF_INET6 &&
         (IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr) ||
          (IN6_IS_ADDR_V4MAPPED(&v6->sin6_addr) && v6->sin6_addr.s6_addr[12] == 127));
}

void address_set_port(struct sockaddr *address, uint16_t port) {
  if (address->sa_family == AF_INET)
    ((struct sockaddr_in *)(void *)address)->sin_port = htons(port);
  else if (address->sa_family == AF_INET6)
    ((struct sockaddr_in6 *)(void *)address)->sin6_port = htons(port);
}
