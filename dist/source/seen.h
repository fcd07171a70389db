/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a stretch of a file was seen before, for tables in which each request has one row. The
 * bytes are not owned, and stay as they are.
 */
#ifndef DIST_SOURCE_SEEN_H
#define DIST_SOURCE_SEEN_H

#include "base/index.h"
#include "base/slice.h"
#include "base/vector.h"

struct rows_seen {
  VECTOR(struct slice) rows;
  struct index index; /* of rows */
};

void seen_clear(struct rows_seen *seen);

/* Remembers it; where it is a second time, the first, else an empty slice with start NULL. An
 * empty one is remembered, too. */
struct slice seen_add(struct rows_seen *seen, struct slice bytes);

#endif
