/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the difference lies between what requests took and the bound evaluated for them: which
 * column of their table it consists of, and how much that is at each percentile.
 */
#ifndef CLI_QUESTION_PERCENTILES_MISSING_TIME_H
#define CLI_QUESTION_PERCENTILES_MISSING_TIME_H

#include "base/vector.h"
#include "dist/statistics/missing.h"

struct percentiles;

enum missing_kind {
  MISSING_NOT,     /* the bound is near, or the rows are not those of the observation */
  MISSING_TIME,    /* requests took longer than the bound evaluated for them */
  MISSING_SURPLUS, /* none did, and the bound is far above: it counts what they did not wait for */
};

/* A part of the difference: a column of the table. */
struct missing_column {
  const char *name; /* the table's */
  bool in_bound;    /* the bound counts it already */
  struct missing_part part;
};

/* The requests around a percentile of what was observed: from halfway down to it to halfway up to
 * the largest, in ranks (of p99, p98.5 to p99.5). All means, in ns. */
struct missing_at {
  size_t wanted, requests;  /* of the answer's percentiles; how many they are, 0: too few */
  double total_ns, rest_ns; /* of the difference; of what no part takes */
  double part_ns[MISSING_PARTS];
};

struct missing_time {
  enum missing_kind kind;
  size_t requests; /* whose difference is finite */
  size_t longer;   /* that took longer than their bound */
  VECTOR(struct missing_column) parts;
  /* Columns in no term of the bound that go with the difference of those that took longer, and are
   * no part of all: of steps that run beside others which the bound counts. Their shares are of
   * that difference. */
  VECTOR(struct missing_column) beside;
  /* Where no column is named: those that were measured and are in no term of the bound, of which
   * the requests do not tell whether they waited for one. Names are the table's. */
  VECTOR(const char *) unused;
  VECTOR(struct missing_at) at;
};

/* After the observation was paired with the rows. Nothing is asked of the system: what is said is
 * of these requests, but for the intervals of the parts (dist/statistics/missing.h). */
void missing_time_find(struct missing_time *missing, const struct percentiles *run);
void missing_time_clear(struct missing_time *missing);

#endif
