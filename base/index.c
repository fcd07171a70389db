/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/index.h"

#include <string.h>

#include "base/memory.h"

enum { FIRST_SIZE = 64 };

/* Begins behind a free slot, as rows of one hash stay in their order, also around the end. */
void index_grow(struct index *index) {
  struct index old = *index;
  size_t first = 0;
  if (old.count >= UINT32_MAX / 2)
    bug("more rows than an index holds");
  *index = (struct index){0};
  index_empty(index, old.size == 0 ? 1 : old.size);
  while (first < old.size && old.slots[first].row != 0)
    first++;
  for (size_t i = 0; i < old.size; i++) {
    const struct index_slot *slot = &old.slots[(first + i) & (old.size - 1)];
    if (slot->row != 0)
      index_add(index, slot->hash, slot->row - 1);
  }
  mem_free(old.slots);
}

/* What is behind the hole moves up, unless it is nearer to its home (Knuth's algorithm R). */
void index_remove(struct index *index, uint64_t hash, uint32_t row) {
  struct index_look look = index_look(index, hash);
  while (index_next(&look) && look.row != row)
    ;
  size_t mask = look.mask, hole = (look.at - 1) & mask;
  if (index->count == 0 || index->slots[hole].row != row + 1)
    bug("row %u is not in the index", (unsigned)row);
  struct index_slot *slots = index->slots;
  for (size_t at = look.at; slots[at].row != 0; at = (at + 1) & mask)
    if (((at - slots[at].hash) & mask) >= ((at - hole) & mask)) {
      slots[hole] = slots[at];
      hole = at;
    }
  slots[hole] = (struct index_slot){0};
  index->count--;
}

void index_empty(struct index *index, size_t rows) {
  size_t size = FIRST_SIZE;
  while (size < 2 * rows)
    size *= 2;
  if (size > index->capacity) {
    mem_free(index->slots);
    index->slots = mem_alloc(size, sizeof *index->slots);
    index->capacity = size;
  } else {
    memset(index->slots, 0, size * sizeof *index->slots);
  }
  index->size = size;
  index->count = 0;
}

void index_clear(struct index *index) {
  mem_free(index->slots);
  *index = (struct index){0};
}
