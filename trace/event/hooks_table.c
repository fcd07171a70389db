/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Linear probing; what is removed is filled up from behind (Knuth, The Art of Computer Programming
 * 3, 6.4, algorithm R), so that tables of short-lived operations do not grow.
 */
#include "trace/event/hooks_table.h"

#include "trace/span/hash.h"

void hooks_table_clear(struct hooks_table *table) {
  mem_free(table->slots);
  *table = (struct hooks_table){0};
}

static size_t home(const struct hooks_table *table, uint64_t id) {
  return (size_t)(hash_word(0, id) & (table->capacity - 1));
}

static size_t slot_of(const struct hooks_table *table, uint64_t id) {
  size_t slot = home(table, id);
  while (table->slots[slot].used != 0 && table->slots[slot].id != id)
    slot = (slot + 1) & (table->capacity - 1);
  return slot;
}

struct hooks_operation *hooks_table_find(const struct hooks_table *table, uint64_t id) {
  if (table->capacity == 0)
    return NULL;
  struct hooks_operation *operation = &table->slots[slot_of(table, id)];
  return operation->used != 0 ? operation : NULL;
}

static void grow(struct hooks_table *table) {
  struct hooks_table larger = {.capacity = table->capacity == 0 ? 256 : 2 * table->capacity,
                               .count = table->count};
  larger.slots = mem_alloc(larger.capacity, sizeof *larger.slots);
  for (size_t i = 0; i < table->capacity; i++)
    if (table->slots[i].used != 0)
      larger.slots[slot_of(&larger, table->slots[i].id)] = table->slots[i];
  mem_free(table->slots);
  *table = larger;
}

struct hooks_operation *hooks_table_add(struct hooks_table *table, uint64_t id) {
  if (4 * (table->count + 1) > 3 * table->capacity)
    grow(table);
  struct hooks_operation *operation = &table->slots[slot_of(table, id)];
  if (operation->used == 0) {
    *operation = (struct hooks_operation){.id = id, .used = 1};
    table->count++;
  }
  return operation;
}

void hooks_table_remove(struct hooks_table *table, struct hooks_operation *operation) {
  size_t mask = table->capacity - 1, hole = (size_t)(operation - table->slots);
  for (size_t slot = (hole + 1) & mask; table->slots[slot].used != 0; slot = (slot + 1) & mask)
    if (((slot - home(table, table->slots[slot].id)) & mask) >= ((slot - hole) & mask)) {
      table->slots[hole] = table->slots[slot];
      hole = slot;
    }
  table->slots[hole] = (struct hooks_operation){0};
  table->count--;
}
