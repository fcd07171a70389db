/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/seen.h"

#include <stddef.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 1024 };

void seen_clear(struct rows_seen *seen) {
  mem_free(seen->rows);
  *seen = (struct rows_seen){0};
}

/* FNV-1a, 64 bit, and a last mixing of its low bits, which choose the place. */
static uint64_t hash_of(struct slice bytes) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes.length; i++)
    hash = (hash ^ (unsigned char)bytes.start[i]) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 29;
}

static struct seen_row *place_of(const struct rows_seen *seen, uint64_t hash, struct slice bytes) {
  size_t at = hash & (seen->capacity - 1);
  while (seen->rows[at].bytes.start != NULL &&
         (seen->rows[at].hash != hash || !slice_same(seen->rows[at].bytes, bytes)))
    at = (at + 1) & (seen->capacity - 1);
  return &seen->rows[at];
}

static void grow(struct rows_seen *seen) {
  struct rows_seen larger = {.count = seen->count,
                             .capacity = seen->capacity == 0 ? FIRST_CAPACITY : 2 * seen->capacity};
  larger.rows = mem_alloc(larger.capacity, sizeof *larger.rows);
  for (size_t i = 0; i < seen->capacity; i++)
    if (seen->rows[i].bytes.start != NULL)
      *place_of(&larger, seen->rows[i].hash, seen->rows[i].bytes) = seen->rows[i];
  mem_free(seen->rows);
  *seen = larger;
}

struct slice seen_add(struct rows_seen *seen, struct slice bytes) {
  if (2 * seen->count >= seen->capacity)
    grow(seen);
  uint64_t hash = hash_of(bytes);
  struct seen_row *row = place_of(seen, hash, bytes);
  struct slice first = row->bytes;
  if (first.start == NULL) {
    *row = (struct seen_row){hash, bytes};
    seen->count++;
  }
  return first;
}
