/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Numbers in the order of keys, the least first; of equal keys the least number.
 */
#ifndef TRACE_LOOP_HEAP_H
#define TRACE_LOOP_HEAP_H

#include <stdint.h>

#include "base/vector.h"

struct heap_item {
  int64_t key;
  uint32_t number;
};
struct heap {
  VECTOR(struct heap_item) items; /* [0] is the least */
};

void heap_add(struct heap *heap, int64_t key, uint32_t number);

/* The least; there is one. */
struct heap_item heap_take(struct heap *heap);

#endif
