/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Index of rows by hash: it finds the rows of a vector that may be the wanted one, and the caller
 * compares. Open addressing with linear probing, at most half full (Knuth, The Art of Computer
 * Programming 3, 6.4). It keeps each row's hash, so that it grows without asking for one. All zeros
 * is an empty index; clear it in the end.
 *
 *     for (struct index_look look = index_look(&names->index, hash); index_next(&look);)
 *       if (is_same(&names->rows.data[look.row], wanted))
 *         return look.row;
 *     index_add(&names->index, hash, (uint32_t)names->rows.count);
 *     vector_push(&names->rows, ...);
 *
 * Of a hash (base/hash.h) the lower 32 bits count, and those have to be mixed well.
 */
#ifndef BASE_INDEX_H
#define BASE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct index_slot {
  uint32_t hash;
  uint32_t row; /* + 1; 0: free */
};

struct index {
  struct index_slot *slots;
  size_t size; /* slots in use: 0, or a power of two */
  size_t capacity, count;
};

/* A search; valid until something is added or removed. */
struct index_look {
  const struct index_slot *slots;
  size_t mask, at; /* the slot after that of `row` */
  uint32_t hash, row;
};

static inline struct index_look index_look(const struct index *index, uint64_t hash) {
  static const struct index_slot none[1];
  const size_t mask = index->size == 0 ? 0 : index->size - 1;
  return (struct index_look){.slots = index->size == 0 ? none : index->slots,
                             .mask = mask,
                             .at = (uint32_t)hash & mask,
                             .hash = (uint32_t)hash};
}

/* Goes on to the next row that was added with this hash, the earlier ones first; false: there is
 * none left. */
static inline bool index_next(struct index_look *look) {
  for (const struct index_slot *slot; (slot = &look->slots[look->at])->row != 0;) {
    look->at = (look->at + 1) & look->mask;
    if (slot->hash == look->hash) {
      look->row = slot->row - 1;
      return true;
    }
  }
  return false;
}

/* Makes room for one row more. */
void index_grow(struct index *index);

/* Adds a row below 2^32 - 1. An index holds 2^31 of them. */
static inline void index_add(struct index *index, uint64_t hash, uint32_t row) {
  if (2 * (index->count + 1) > index->size)
    index_grow(index);
  size_t mask = index->size - 1, at = (uint32_t)hash & mask;
  while (index->slots[at].row != 0)
    at = (at + 1) & mask;
  index->slots[at] = (struct index_slot){(uint32_t)hash, row + 1};
  index->count++;
}

/* Removes a row that was added with this hash. */
void index_remove(struct index *index, uint64_t hash, uint32_t row);

/* Makes it empty, with room for `rows`; keeps its memory. */
void index_empty(struct index *index, size_t rows);

void index_clear(struct index *index);

#endif
