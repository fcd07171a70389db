/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "trace/event/hooks_table.h"

#include "base/hash.h"

void hooks_table_clear(struct hooks_table *table) {
  vector_clear(&table->items);
  index_clear(&table->index);
}

struct hooks_operation *hooks_table_find(const struct hooks_table *table, uint64_t id) {
  for (struct index_look look = index_look(&table->index, hash_word(0, id)); index_next(&look);)
    if (table->items.data[look.row].id == id)
      return &table->items.data[look.row];
  return NULL;
}

struct hooks_operation *hooks_table_add(struct hooks_table *table, uint64_t id) {
  struct hooks_operation *known = hooks_table_find(table, id);
  if (known != NULL)
    return known;
  size_t item = table->items.count;
  index_add(&table->index, hash_word(0, id), (uint32_t)item);
  vector_push(&table->items, (struct hooks_operation){.id = id});
  return &table->items.data[item];
}

/* The last one takes its place, so that tables of short-lived operations do not grow. */
void hooks_table_remove(struct hooks_table *table, struct hooks_operation *operation) {
  uint32_t item = (uint32_t)(operation - table->items.data);
  uint32_t last = (uint32_t)--table->items.count;
  index_remove(&table->index, hash_word(0, operation->id), item);
  if (item == last)
    return;
  *operation = table->items.data[last];
  index_remove(&table->index, hash_word(0, operation->id), last);
  index_add(&table->index, hash_word(0, operation->id), item);
}
