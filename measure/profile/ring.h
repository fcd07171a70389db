/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The memory that the kernel puts records of one processor into (perf_event_open(2), "MMAP
 * layout"): read here, and handed on as whole records.
 *
 * Either `ring_take` copies all that is there, or `ring_next` shows record after record where it
 * lies and `ring_give_back` lets the kernel have their space again: one of both for a ring. The
 * kernel writes nothing to what was not given back. Positions count bytes since the ring began.
 */
#ifndef MEASURE_PROFILE_RING_H
#define MEASURE_PROFILE_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vector.h"

struct perf_event_mmap_page;

struct ring {
  struct perf_event_mmap_page *page; /* NULL: not mapped */
  size_t size;                       /* bytes of records, a power of two */
  uint64_t shown;                    /* position: what is before it was shown by ring_next */
  unsigned char *whole;              /* a copy of the one record that goes round the end, or NULL */
};

typedef VECTOR(unsigned char) ring_bytes;

/* Maps the ring of a descriptor, of `pages` pages, a power of two. False with errno. */
bool ring_map(struct ring *ring, int descriptor, size_t pages);
void ring_unmap(struct ring *ring);

/* Appends all records that are there, each a multiple of 8 bytes, and gives their space back. */
void ring_take(struct ring *ring, ring_bytes *bytes);

/* A record in the ring, aligned to 8, valid until its space is given back. */
struct ring_record {
  const unsigned char *bytes;
  size_t size;       /* a multiple of 8, at least 8 */
  uint64_t position; /* where it begins */
};

enum ring_found { RING_RECORD, RING_EMPTY, RING_BROKEN };

/* The first record that was not shown. RING_EMPTY: there is none yet. RING_BROKEN: what is there
 * is no record; all that is there counts as shown. */
enum ring_found ring_next(struct ring *ring, struct ring_record *record);

/* Gives back what is before a position, which is at most `shown`. */
void ring_give_back(struct ring *ring, uint64_t position);

#endif
