/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory that the kernel puts records of one processor into (perf_event_open(2), "MMAP
 * layout"): read here, and handed on as whole records.
 */
#ifndef MEASURE_PROFILE_RING_H
#define MEASURE_PROFILE_RING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"

struct perf_event_mmap_page;

struct ring {
  struct perf_event_mmap_page *page; /* NULL: not mapped */
  size_t size;                       /* bytes of records, a power of two */
};

typedef VECTOR(unsigned char) ring_bytes;

/* Maps the ring of a descriptor, of `pages` pages, a power of two. False with errno. */
bool ring_map(struct ring *ring, int descriptor, size_t pages);
void ring_unmap(struct ring *ring);

void ring_append(ring_bytes *bytes, const void *from, size_t size);

/* Appends all records that are there, each a multiple of 8 bytes, and gives their space back. */
void ring_take(struct ring *ring, ring_bytes *bytes);

#endif
