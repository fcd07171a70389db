/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/source/seen.h"

#include "base/hash.h"

void seen_clear(struct rows_seen *seen) {
  vector_clear(&seen->rows);
  index_clear(&seen->index);
}

struct slice seen_add(struct rows_seen *seen, struct slice bytes) {
  uint64_t hash = hash_bytes(0, bytes);
  for (struct index_look look = index_look(&seen->index, hash); index_next(&look);)
    if (slice_same(seen->rows.data[look.row], bytes))
      return seen->rows.data[look.row];
  index_add(&seen->index, hash, (uint32_t)seen->rows.count);
  vector_push(&seen->rows, bytes);
  return (struct slice){0};
}
