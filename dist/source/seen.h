/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a stretch of a file was seen before, for tables in which each request has one row. The
 * bytes are not owned, and stay as they are.
 */
#ifndef DIST_SOURCE_SEEN_H
#define DIST_SOURCE_SEEN_H

#include <stdint.h>

#include "base/slice.h"

struct seen_row {
  uint64_t hash;
  struct slice bytes;
};

/* Open addressing; start NULL: free. */
struct rows_seen {
  struct seen_row *rows; /* owned */
  size_t count, capacity;
};

void seen_clear(struct rows_seen *seen);

/* Remembers it; where it is a second time, the first, else an empty slice with start NULL. An
 * empty one is remembered, too. */
struct slice seen_add(struct rows_seen *seen, struct slice bytes);

#endif
