/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a fold knows of more requests than a store has, for the graph of that store.
 */
#ifndef TRACE_FOLD_CENSUS_H
#define TRACE_FOLD_CENSUS_H

#include "trace/fold/fold.h"

/* Of a settled fold. With `owned` the census frees the fold, which is on the heap; else the fold
 * outlives it. */
struct span_census *fold_census_new(struct trace_fold *fold, bool owned);

/* Of a census that is one. */
const struct trace_fold *fold_of_census(const struct span_census *census);

#endif
