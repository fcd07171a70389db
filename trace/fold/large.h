/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Traces that are too many to be kept: beyond a size they are folded while they are read, and a
 * sample of them stands for all, as that of a summary does (trace/fold/fold.h).
 */
#ifndef TRACE_FOLD_LARGE_H
#define TRACE_FOLD_LARGE_H

#include "trace/fold/open.h"

struct large_limits {
  size_t bytes; /* of a store: so much is kept as it is */
  size_t spans; /* of more so many are kept, if that leaves each flow `least` requests */
  uint64_t least;
};

/* Reads with `read`, which is trace_read, as long as the store takes less than `bytes`. Of more the
 * store gets a sample and a census, without tags and ids of spans, and the ledger says so. The
 * reading keeps all and has no `visit`. */
enum status large_read(struct span_store *store, const char *const *paths, size_t path_count,
                       const struct trace_reading *reading, const struct large_limits *limits,
                       struct ledger *ledger, const struct asker *asker);

/* About 100 MB, and half as much again for what is computed of it. */
extern const struct large_limits large_limits;

#endif
