/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Stretches of time as lists: when a service worked, when another one stood.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_STRETCHES_H
#define MEASURE_THROUGHPUT_EXPERIMENT_STRETCHES_H

#include <stdint.h>

#include "base/vector.h"

struct time_stretch {
  uint64_t from_ns, until_ns; /* from <= until */
};

typedef VECTOR(struct time_stretch) stretch_list;

/* Puts them into order, and makes one of those that meet. */
void stretches_unite(stretch_list *list);

/* The time that is in a stretch of both lists, which are united. */
uint64_t stretches_overlap(const stretch_list *a, const stretch_list *b);

#endif
