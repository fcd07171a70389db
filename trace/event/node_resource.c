/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/node_resource.h"

#include <stdbool.h>
#include <string.h>

#include "trace/event/log.h"

void node_resources_clear(struct node_resources *resources) {
  vector_clear(&resources->items);
  mem_free(resources->slots);
  *resources = (struct node_resources){0};
}

static size_t slot_of(const struct node_resources *resources, uint32_t id) {
  size_t slot = (id * 0x9e3779b1U) & (resources->slot_count - 1);
  while (resources->slots[slot] != 0 && resources->items.data[resources->slots[slot] - 1].id != id)
    slot = (slot + 1) & (resources->slot_count - 1);
  return slot;
}

struct node_resource *node_resources_find(const struct node_resources *resources, uint32_t id) {
  if (resources->slot_count == 0)
    return NULL;
  uint32_t item = resources->slots[slot_of(resources, id)];
  return item == 0 ? NULL : &resources->items.data[item - 1];
}

static void make_slots(struct node_resources *resources, size_t count) {
  mem_free(resources->slots);
  resources->slot_count = count;
  resources->slots = mem_alloc(resources->slot_count, sizeof *resources->slots);
  for (size_t i = 0; i < resources->items.count; i++)
    resources->slots[slot_of(resources, resources->items.data[i].id)] = (uint32_t)i + 1;
}

static bool is_full(const struct node_resources *resources) {
  return 2 * (resources->items.count + 1) > resources->slot_count;
}

static bool is_over(const struct node_resource *resource, int64_t moment) {
  static const int64_t patience = 60000000000; /* a loop may be late, and a timer wound up again */
  if (resource->class == EVENT_TIMER)
    return resource->length < moment - patience - resource->registered;
  return resource->runs > 0 && (resource->class == EVENT_FILE || resource->class == EVENT_POOL ||
                                resource->class == EVENT_TICK);
}

void node_resources_purge(struct node_resources *resources, int64_t moment) {
  size_t kept = 0;
  if (resources->slot_count == 0 || !is_full(resources))
    return;
  for (size_t i = 0; i < resources->items.count; i++)
    if (!is_over(&resources->items.data[i], moment))
      resources->items.data[kept++] = resources->items.data[i];
  resources->items.count = kept;
  make_slots(resources,
             kept > resources->slot_count / 4 ? 2 * resources->slot_count : resources->slot_count);
}

struct node_resource *node_resources_add(struct node_resources *resources, uint32_t id) {
  if (is_full(resources))
    make_slots(resources, resources->slot_count == 0 ? 1024 : 2 * resources->slot_count);
  size_t slot = slot_of(resources, id);
  if (resources->slots[slot] == 0) {
    vector_push(&resources->items, (struct node_resource){.id = id});
    resources->slots[slot] = (uint32_t)resources->items.count;
  }
  return &resources->items.data[resources->slots[slot] - 1];
}

uint8_t node_class(const char *type) {
  static const struct {
    const char *prefix;
    enum event_class class;
  } classes[] = {
      {"FS", EVENT_FILE},          {"FILEHANDLE", EVENT_FILE},     {"DIRHANDLE", EVENT_FILE},
      {"STATWATCHER", EVENT_FILE}, {"BLOB", EVENT_FILE},           {"TCP", EVENT_SOCKET},
      {"PIPE", EVENT_SOCKET},      {"HTTP", EVENT_SOCKET},         {"TLS", EVENT_SOCKET},
      {"UDP", EVENT_SOCKET},       {"TTY", EVENT_SOCKET},          {"STREAM", EVENT_SOCKET},
      {"WRITEWRAP", EVENT_SOCKET}, {"SHUTDOWN", EVENT_SOCKET},     {"JSSTREAM", EVENT_SOCKET},
      {"JSUDP", EVENT_SOCKET},     {"GETADDRINFO", EVENT_POOL},    {"GETNAMEINFO", EVENT_POOL},
      {"QUERYWRAP", EVENT_SOCKET}, {"DNSCHANNEL", EVENT_SOCKET},   {"ZLIB", EVENT_POOL},
      {"PBKDF2", EVENT_POOL},      {"SCRYPT", EVENT_POOL},         {"RANDOM", EVENT_POOL},
      {"HASH", EVENT_POOL},        {"SIGN", EVENT_POOL},           {"VERIFY", EVENT_POOL},
      {"KEY", EVENT_POOL},         {"DERIVE", EVENT_POOL},         {"CHECKPRIME", EVENT_POOL},
      {"CIPHER", EVENT_POOL},      {"HKDF", EVENT_POOL},           {"Timeout", EVENT_TIMER},
      {"Timer", EVENT_TIMER},      {"PROMISE", EVENT_PROMISE},     {"TickObject", EVENT_TICK},
      {"Microtask", EVENT_TICK},   {"Immediate", EVENT_TICK},      {"SIGNAL", EVENT_SIGNAL},
      {"PROCESS", EVENT_PROCESS},  {"MESSAGEPORT", EVENT_PROCESS}, {"WORKER", EVENT_PROCESS}};
  for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
    if (strncmp(type, classes[i].prefix, strlen(classes[i].prefix)) == 0)
      return (uint8_t)classes[i].class;
  return EVENT_OTHER;
}
