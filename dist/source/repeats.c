/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/repeats.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

enum { ROWS_MOST = 1 << 20 };

void repeats_add(struct repeats *repeats, struct slice row) {
  if (repeats->rows.count == ROWS_MOST) {
    repeats->many = true;
    return;
  }
  vector_push(&repeats->rows, hash_bytes(0, row));
}

/* A row, or a block that begins with it. */
struct repeat_place {
  uint64_t hash;
  size_t at;
};

static int by_hash(const void *a, const void *b) {
  const struct repeat_place *x = a, *y = b;
  if (x->hash != y->hash)
    return x->hash < y->hash ? -1 : 1;
  return (x->at > y->at) - (x->at < y->at);
}

static size_t run_of(const struct repeat_place *places, size_t from, size_t count) {
  size_t to = from;
  while (to < count && places[to].hash == places[from].hash)
    to++;
  return to - from;
}

static size_t divisor_of_both(size_t a, size_t b) {
  while (b != 0) {
    size_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* The greatest number that divides how often each row stands there; 1 where few are different. */
static size_t times_of(const struct repeat_place *places, size_t count) {
  size_t times = 0, different = 0;
  for (size_t from = 0, run; from < count; from += run) {
    run = run_of(places, from, count);
    times = divisor_of_both(times, run);
    different++;
  }
  return different < REPEATS_DIFFERENT ? 1 : times;
}

static struct repeat_place *sorted(const uint64_t *hashes, size_t count) {
  struct repeat_place *places = mem_alloc(count, sizeof *places);
  for (size_t i = 0; i < count; i++)
    places[i] = (struct repeat_place){hashes[i], i};
  qsort(places, count, sizeof *places, by_hash);
  return places;
}

static int by_value(const void *a, const void *b) {
  const uint64_t *x = a, *y = b;
  return (*x > *y) - (*x < *y);
}

static bool is_varied(const uint64_t *rows) {
  uint64_t block[REPEATS_BLOCK];
  size_t different = 1;
  memcpy(block, rows, sizeof block);
  qsort(block, REPEATS_BLOCK, sizeof *block, by_value);
  for (size_t i = 1; i < REPEATS_BLOCK; i++)
    different += block[i] != block[i - 1];
  return different >= REPEATS_DIFFERENT;
}

/* How many rows from both places on are the same. */
static size_t same_rows(const uint64_t *rows, size_t count, size_t first, size_t again) {
  size_t length = 0;
  while (again + length < count && first + length < again &&
         rows[first + length] == rows[again + length])
    length++;
  return length;
}

/* Hashes of all stretches of REPEATS_BLOCK rows, each made of the one before. */
static uint64_t *hash_blocks(const uint64_t *rows, size_t count) {
  const uint64_t base = UINT64_C(0x9e3779b97f4a7c15);
  size_t blocks = count - REPEATS_BLOCK + 1;
  uint64_t *hashes = mem_alloc(blocks, sizeof *hashes), hash = 0, leaving = 1;
  for (size_t i = 0; i < REPEATS_BLOCK; i++) {
    hash = hash * base + rows[i];
    leaving *= base;
  }
  for (size_t i = 0; i < blocks; i++) {
    hashes[i] = hash;
    if (i + 1 < blocks)
      hash = hash * base + rows[i + REPEATS_BLOCK] - leaving * rows[i];
  }
  return hashes;
}

/* Of a hash that is met twice the first two; the earliest block is told, as far as it goes. */
static void find_block(struct repeats_found *found, const uint64_t *rows, size_t count) {
  if (count < 2 * (size_t)REPEATS_BLOCK)
    return;
  size_t blocks = count - REPEATS_BLOCK + 1;
  uint64_t *hashes = hash_blocks(rows, count);
  struct repeat_place *places = sorted(hashes, blocks);
  for (size_t i = 0; i + 1 < blocks; i++) {
    size_t first = places[i].at, again = places[i + 1].at;
    if (places[i].hash != places[i + 1].hash || (found->block != 0 && first >= found->first))
      continue;
    size_t length = same_rows(rows, count, first, again);
    if (length >= REPEATS_BLOCK && is_varied(rows + first)) {
      found->block = length;
      found->first = first;
      found->again = again;
    }
  }
  mem_free(places);
  mem_free(hashes);
}

bool repeats_find(struct repeats_found *found, const struct repeats *repeats) {
  size_t count = repeats->rows.count;
  *found = (struct repeats_found){0};
  if (repeats->many || count < REPEATS_BLOCK)
    return false;
  struct repeat_place *places = sorted(repeats->rows.data, count);
  size_t times = times_of(places, count);
  mem_free(places);
  found->times = times > 1 ? times : 0;
  if (found->times == 0)
    find_block(found, repeats->rows.data, count);
  return found->times != 0 || found->block != 0;
}

void repeats_clear(struct repeats *repeats) {
  vector_clear(&repeats->rows);
}
