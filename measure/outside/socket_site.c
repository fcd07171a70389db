/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/outside/socket_site.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { DATA_MOST = 1 << 20 }; /* of an offset in a message */

static bool read_port(struct outside_site *site, const char *text) {
  size_t length = strlen(text);
  site->offset = strspn(text, "0123456789") == length && length <= 5 ? strtoull(text, NULL, 10) : 0;
  return site->offset >= 1 && site->offset <= UINT16_MAX;
}

bool socket_site_read(struct outside_site *site, const char *text) {
  static const char *const words[] = {
      [SOCKET_TCP] = "tcp", [SOCKET_UDP] = "udp", [SOCKET_UNIX] = "unix"};
  size_t length = strcspn(text, " ");
  const char *rest = text + length + strspn(text + length, " ");
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strlen(words[i]) != length || strncmp(text, words[i], length) != 0)
      continue;
    site->socket = (enum socket_kind)i;
    if (site->socket != SOCKET_UNIX)
      return *rest == '\0' || read_port(site, rest);
    if (*rest == '\0')
      return true;
    size_t size = strlen(rest);
    site->name = mem_copy_text(rest, size);
    return (*rest == '/' || *rest == '@') && size > 1 && size <= SITE_SOCKET_PATH;
  }
  site->socket = SOCKET_TCP;
  return read_port(site, text);
}

bool socket_site_is_data(const struct read_value *value) {
  return value->base == READ_FIELD && strcmp(value->field, "data") == 0;
}

/* Positions are of a stream of TCP alone. */
static bool has(const struct outside_site *site, const char *field) {
  static const char *const fields[] = {"bytes", "local", "remote", "begins", "ends"};
  size_t count = sizeof fields / sizeof *fields - (site->socket == SOCKET_TCP ? 0 : 2);
  for (size_t i = 0; i < count; i++)
    if (strcmp(fields[i], field) == 0)
      return true;
  return false;
}

const char *socket_site_mistake(const struct outside_site *site, const struct read_value *value,
                                bool starts) {
  if (value->base == READ_NUMBER || value->base == READ_BEGUN)
    return value->pointers == 0 && !starts ? NULL : "a number is no place";
  if (socket_site_is_data(value))
    return value->pointers == (starts ? 0 : 1) && value->add[0] >= 0 && value->add[0] <= DATA_MOST
               ? NULL
               : "of a message can be read: *(data+2) be16, string(data+2, 16), "
                 "string(data+2, bytes, 64)";
  if (value->base == READ_FIELD && value->pointers == 0 && !starts && has(site, value->field))
    return NULL;
  return site->socket == SOCKET_TCP
             ? "of a socket can be read: bytes, local, remote, begins, ends, begun, *(data) ..."
             : "of such a socket can be read: bytes, local, remote, begun, *(data) ...; only TCP "
               "has "
               "positions (begins, ends)";
}

void socket_site_describe(struct text *text, const struct outside_site *site) {
  if (site->socket == SOCKET_UNIX)
    text_format(text, "Unix socket%s%s", site->name == NULL ? "s" : " ",
                site->name == NULL ? "" : site->name);
  else if (site->offset == 0)
    text_format(text, "%s, any port", site->socket == SOCKET_TCP ? "TCP" : "UDP");
  else
    text_format(text, "%s port %" PRIu64, site->socket == SOCKET_TCP ? "TCP" : "UDP", site->offset);
  text_append(text, site->kind == SITE_SOCKET_SEND ? ", sent" : ", received");
}
