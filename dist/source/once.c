/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/once.h"

#include <stddef.h>

#include "base/memory.h"

enum { FIRST_CAPACITY = 1024 };

void once_clear(struct once *once) {
  mem_free(once->rows);
  *once = (struct once){0};
}

/* FNV-1a, 64 bit, and a last mixing of its low bits, which choose the place. */
static uint64_t hash_of(struct slice bytes) {
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < bytes.length; i++)
    hash = (hash ^ (unsigned char)bytes.start[i]) * UINT64_C(0x100000001b3);
  return hash ^ hash >> 29;
}

static struct once_row *place_of(const struct once *once, uint64_t hash, struct slice bytes) {
  size_t at = hash & (once->capacity - 1);
  while (once->rows[at].bytes.start != NULL &&
         (once->rows[at].hash != hash || !slice_same(once->rows[at].bytes, bytes)))
    at = (at + 1) & (once->capacity - 1);
  return &once->rows[at];
}

static void grow(struct once *once) {
  struct once larger = {.count = once->count,
                        .capacity = once->capacity == 0 ? FIRST_CAPACITY : 2 * once->capacity};
  larger.rows = mem_alloc(larger.capacity, sizeof *larger.rows);
  for (size_t i = 0; i < once->capacity; i++)
    if (once->rows[i].bytes.start != NULL)
      *place_of(&larger, once->rows[i].hash, once->rows[i].bytes) = once->rows[i];
  mem_free(once->rows);
  *once = larger;
}

struct slice once_add(struct once *once, struct slice bytes) {
  if (2 * once->count >= once->capacity)
    grow(once);
  uint64_t hash = hash_of(bytes);
  struct once_row *row = place_of(once, hash, bytes);
  struct slice first = row->bytes;
  if (first.start == NULL) {
    *row = (struct once_row){hash, bytes};
    once->count++;
  }
  return first;
}
