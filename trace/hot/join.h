/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which samples were taken while which request was executing, or waiting. A sample in several
 * stretches that are executing belongs to each of them in part, as nobody knows whose it is; in
 * several that are waiting it belongs to each in full, as each waited for it.
 *
 * Requests that share samples are not independent of each other: they are in one cluster. So are
 * requests that wait for the same others. Where that would leave too few clusters, time is cut into
 * HOT_BLOCKS blocks, and dependence beyond a block is neglected.
 */
#ifndef TRACE_HOT_JOIN_H
#define TRACE_HOT_JOIN_H

#include "trace/hot/stretch.h"
#include "trace/stacks/profile.h"

enum { HOT_BLOCKS = 200 };

/* Samples of a request at a node of the profile. */
struct hot_cell {
  uint32_t request, node;
  double weight;  /* as the samples have it, less what is others' */
  double samples; /* how many distinct ones, so shared among those that have them */
};

struct hot_join {
  size_t requests;
  int64_t *time;     /* ns of its stretches, by request; 0: it does not count */
  uint32_t *cluster; /* by request */
  uint32_t clusters;
  bool blocks; /* clusters are blocks of time */
  VECTOR(struct hot_cell) cells;
  uint64_t samples, matched, shared; /* of the profile; in a stretch; in several */
  size_t outside; /* requests left out: not covered by the profile from beginning to end */
  size_t nobody;  /* stretches left out, with their requests: of waits, no thread is known */
};

/* Joins the stretches that are `waiting` or that are not. Of a profile of waits only the latter, by
 * trace/hot/waits.h. Stretches get sorted. */
void hot_join_make(struct hot_join *join, hot_stretches *stretches, bool waiting, size_t requests,
                   const struct stack_profile *profile);
void hot_join_clear(struct hot_join *join);

#endif
