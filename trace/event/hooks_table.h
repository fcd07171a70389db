/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is known of asynchronous operations while a trace is read: a table by their ids, from which
 * they are taken when they are destroyed. Private to trace/event.
 */
#ifndef TRACE_EVENT_HOOKS_TABLE_H
#define TRACE_EVENT_HOOKS_TABLE_H

#include <stdint.h>

#include "base/index.h"
#include "base/vector.h"

struct hooks_operation {
  uint64_t id;
  int64_t registered; /* ns: its next callback */
  uint32_t registrar; /* of its next callback: a row, or EVENT_NONE */
  uint32_t type;      /* name */
  uint32_t row;       /* of its latest callback, or EVENT_NONE; or the index of a request */
};

struct hooks_table {
  VECTOR(struct hooks_operation) items; /* in no order */
  struct index index;                   /* of items, by id */
};

void hooks_table_clear(struct hooks_table *table);

/* NULL when there is none; valid until the next change of the table. */
struct hooks_operation *hooks_table_find(const struct hooks_table *table, uint64_t id);
/* The operation with this id, or a new one: all 0 but `id`. */
struct hooks_operation *hooks_table_add(struct hooks_table *table, uint64_t id);
void hooks_table_remove(struct hooks_table *table, struct hooks_operation *operation);

#endif
