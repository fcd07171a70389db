/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of the asynchronous resources of a loop, by id. Private to trace/event.
 */
#ifndef TRACE_EVENT_NODE_RESOURCE_H
#define TRACE_EVENT_NODE_RESOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/index.h"
#include "base/vector.h"

struct node_resource {
  uint32_t id;
  uint32_t type;      /* name */
  uint32_t registrar; /* row, or EVENT_NONE: of its next callback */
  int64_t registered; /* ns: its next callback */
  int64_t length;     /* of a timer, ns; else -1 */
  uint8_t class;
  uint8_t runs; /* 0, 1: it has run; 2: several times */
  bool asks;    /* again and again, and is told each time */
};

struct node_resources {
  VECTOR(struct node_resource) items;
  struct index index; /* of items, by id */
};

void node_resources_clear(struct node_resources *resources);

/* The resource of the id, or NULL; valid until the next is added. */
struct node_resource *node_resources_find(const struct node_resources *resources, uint32_t id);

/* Forgets what will not be called again, if the table would have to grow otherwise: work that was
 * done, and timers that were due long before the moment. */
void node_resources_purge(struct node_resources *resources, int64_t moment);

/* A new one, or the known one of that id to be overwritten. */
struct node_resource *node_resources_add(struct node_resources *resources, uint32_t id);

/* The resource, if it is known, asked in that row for what its next callback is. */
void node_resources_ask(struct node_resources *resources, uint32_t id, int64_t moment,
                        uint32_t row);

/* Of an addon, which may use the thread pool or threads of its own, and be called back again. */
bool node_is_native(const char *type);

/* What a resource of this type waits for: "FSREQCALLBACK" is a file. An enum event_class. */
uint8_t node_class(const char *type);

#endif
