/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which component would have to become faster: the bound is evaluated again with the latencies of
 * one component scaled down or taken away.
 */
#ifndef CLI_QUESTION_PERCENTILES_IMPROVE_H
#define CLI_QUESTION_PERCENTILES_IMPROVE_H

#include "base/status.h"
#include "base/vector.h"
#include "cli/question/percentiles/slo.h"

struct calculation;
struct estimate;
struct laws;
struct rational;

enum { IMPROVE_MOST = 32 }; /* components that are tried; with more none is */

enum improvement_kind {
  IMPROVE_FACTOR,  /* with `factor` of its latencies the objective is met */
  IMPROVE_SAMPLES, /* being faster does not do, being measured more often may */
  IMPROVE_NEVER,   /* not even if it took no time */
};

struct improvement {
  const char *name; /* of the law's entry */
  enum improvement_kind kind;
  double factor; /* IMPROVE_FACTOR: below 1, a multiple of 1/1024 */
};
typedef VECTOR(struct improvement) improvement_list;

/* Whether there are no more than IMPROVE_MOST components. */
bool improve_tries(const struct laws *laws);

/* For each component alone that takes any time. Nothing is added when there are more than
 * IMPROVE_MOST. */
enum status improve_for(improvement_list *list, struct calculation *calculation,
                        const struct estimate *estimate, const struct slo *slo);

struct contribution {
  const char *name;             /* of the law's entry, or of a family of them without indices */
  bool finite;                  /* without it the percentile is finite */
  uint64_t without_ns, drop_ns; /* the drop where both are finite, else 0 */
};
typedef VECTOR(struct contribution) contribution_list;

/* The percentile's upper bound if a component took no time, for each component that takes any; also
 * for all columns together that differ in their indices alone, where no row has two of them: those
 * of a choice. The largest drop first. */
enum status improve_contributions(contribution_list *list, struct calculation *calculation,
                                  const struct estimate *estimate, const struct rational *share);

#endif
