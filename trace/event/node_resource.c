/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_resource.h"

#include <string.h>

#include "base/hash.h"
#include "trace/event/log.h"

enum { FIRST_ROOM = 512 }; /* resources */

void node_resources_clear(struct node_resources *resources) {
  vector_clear(&resources->items);
  index_clear(&resources->index);
  *resources = (struct node_resources){0};
}

struct node_resource *node_resources_find(const struct node_resources *resources, uint32_t id) {
  for (struct index_look look = index_look(&resources->index, hash_word(0, id)); index_next(&look);)
    if (resources->items.data[look.row].id == id)
      return &resources->items.data[look.row];
  return NULL;
}

static bool is_over(const struct node_resource *resource, int64_t moment) {
  static const int64_t patience = 60000000000; /* a loop may be late, and a timer wound up again */
  if (resource->class == EVENT_TIMER)
    return resource->length < moment - patience - resource->registered;
  if (resource->asks && resource->registered > moment - patience)
    return false;
  return resource->runs > 0 && (resource->class == EVENT_FILE || resource->class == EVENT_POOL ||
                                resource->class == EVENT_TICK);
}

void node_resources_purge(struct node_resources *resources, int64_t moment) {
  size_t kept = 0, size = resources->index.size;
  if (size == 0 || 2 * (resources->items.count + 1) <= size)
    return;
  for (size_t i = 0; i < resources->items.count; i++)
    if (!is_over(&resources->items.data[i], moment))
      resources->items.data[kept++] = resources->items.data[i];
  resources->items.count = kept;
  index_empty(&resources->index, kept > size / 4 ? size : size / 2);
  for (uint32_t i = 0; i < kept; i++)
    index_add(&resources->index, hash_word(0, resources->items.data[i].id), i);
}

struct node_resource *node_resources_add(struct node_resources *resources, uint32_t id) {
  struct node_resource *known = node_resources_find(resources, id);
  if (known != NULL)
    return known;
  if (resources->index.size == 0)
    index_empty(&resources->index, FIRST_ROOM);
  uint32_t item = (uint32_t)resources->items.count;
  index_add(&resources->index, hash_word(0, id), item);
  vector_push(&resources->items, (struct node_resource){.id = id});
  return &resources->items.data[item];
}

void node_resources_ask(struct node_resources *resources, uint32_t id, int64_t moment,
                        uint32_t row) {
  struct node_resource *resource = node_resources_find(resources, id);
  if (resource == NULL)
    return;
  resource->asks = true;
  resource->registered = moment;
  resource->registrar = row;
  resource->runs = 0;
}

bool node_is_native(const char *type) {
  return strncmp(type, "NATIVE ", 7) == 0;
}

uint8_t node_class(const char *type) {
  static const struct {
    const char *prefix;
    enum event_class class;
  } classes[] = {
      {"NATIVE ", EVENT_POOL},     {"FS", EVENT_FILE},          {"FILEHANDLE", EVENT_FILE},
      {"DIRHANDLE", EVENT_FILE},   {"STATWATCHER", EVENT_FILE}, {"BLOB", EVENT_FILE},
      {"TCP", EVENT_SOCKET},       {"PIPE", EVENT_SOCKET},      {"HTTP", EVENT_SOCKET},
      {"TLS", EVENT_SOCKET},       {"UDP", EVENT_SOCKET},       {"TTY", EVENT_SOCKET},
      {"STREAM", EVENT_SOCKET},    {"WRITEWRAP", EVENT_SOCKET}, {"SHUTDOWN", EVENT_SOCKET},
      {"JSSTREAM", EVENT_SOCKET},  {"JSUDP", EVENT_SOCKET},     {"GETADDRINFO", EVENT_POOL},
      {"GETNAMEINFO", EVENT_POOL}, {"QUERYWRAP", EVENT_SOCKET}, {"DNSCHANNEL", EVENT_SOCKET},
      {"ZLIB", EVENT_POOL},        {"PBKDF2", EVENT_POOL},      {"SCRYPT", EVENT_POOL},
      {"RANDOM", EVENT_POOL},      {"HASH", EVENT_POOL},        {"SIGN", EVENT_POOL},
      {"VERIFY", EVENT_POOL},      {"KEY", EVENT_POOL},         {"DERIVE", EVENT_POOL},
      {"CHECKPRIME", EVENT_POOL},  {"CIPHER", EVENT_POOL},      {"HKDF", EVENT_POOL},
      {"Timeout", EVENT_TIMER},    {"Timer", EVENT_TIMER},      {"PROMISE", EVENT_PROMISE},
      {"TickObject", EVENT_TICK},  {"Microtask", EVENT_TICK},   {"Immediate", EVENT_TICK},
      {"SIGNAL", EVENT_SIGNAL},    {"PROCESS", EVENT_PROCESS},  {"MESSAGEPORT", EVENT_PROCESS},
      {"WORKER", EVENT_PROCESS}};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strncmp(type, classes[i].prefix, strlen(classes[i].prefix)) == 0)
      return (uint8_t)classes[i].class;
  return EVENT_OTHER;
}
