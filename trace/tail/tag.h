/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Tags that separate the slow requests from the rest: a host, a version, a shard. For each value of
 * each tag the exact test of Fisher, one-sided: so many slow requests with it or more, if it had
 * nothing to do with being slow. Holm's correction over all values that were tried.
 *
 * A tag most of whose values occur once names requests, not kinds of them, and is not tried.
 */
#ifndef TRACE_TAIL_TAG_H
#define TRACE_TAIL_TAG_H

#include "trace/span/names.h"
#include "trace/tail/split.h"

/* That a request has a tag. */
struct tail_mark {
  uint32_t key, value; /* numbers of names */
  uint32_t request;
};
typedef VECTOR(struct tail_mark) tail_marks;

struct tag_finding {
  uint32_t key, value;
  size_t slow, rest; /* requests that have it */
  double by_chance;  /* probability */
  double corrected;  /* Holm's: at most the level: significant */
};

struct tag_report {
  size_t tried;
  VECTOR(struct tag_finding) findings; /* significant ones, the least chance first */
};

/* Sorts the marks; a mark may occur more than once. */
void tag_report_make(struct tag_report *report, tail_marks *marks, const struct tail_split *split,
                     double level);
void tag_report_clear(struct tag_report *report);

#endif
