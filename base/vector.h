/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A growable array of any type: `VECTOR(int) v = {0};` then vector_push(&v, 3), v.data[i], v.count.
 * The vector owns its array; vector_clear releases it and leaves an empty vector.
 */
#ifndef BASE_VECTOR_H
#define BASE_VECTOR_H

#include <stddef.h>

#include "base/memory.h"

#define VECTOR(type)                                                                               \
  struct {                                                                                         \
    type *data;                                                                                    \
    size_t count, capacity;                                                                        \
  }

#define vector_push(vector, ...)                                                                   \
  do {                                                                                             \
    if ((vector)->count == (vector)->capacity) {                                                   \
      (vector)->capacity = (vector)->capacity == 0 ? 8 : 2 * (vector)->capacity;                   \
      (vector)->data = mem_resize((vector)->data, (vector)->capacity, sizeof *(vector)->data);     \
    }                                                                                              \
    (vector)->data[(vector)->count] = (__VA_ARGS__);                                               \
    (vector)->count++;                                                                             \
  } while (0)

/* Makes room for `wanted` items in all. */
#define vector_reserve(vector, wanted)                                                             \
  do {                                                                                             \
    size_t vector_wanted = (wanted);                                                               \
    if ((vector)->capacity < vector_wanted) {                                                      \
      (vector)->capacity = vector_wanted;                                                          \
      (vector)->data = mem_resize((vector)->data, (vector)->capacity, sizeof *(vector)->data);     \
    }                                                                                              \
  } while (0)

#define vector_clear(vector)                                                                       \
  do {                                                                                             \
    mem_free((vector)->data);                                                                      \
    (vector)->data = NULL;                                                                         \
    (vector)->count = (vector)->capacity = 0;                                                      \
  } while (0)

#endif
