/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Independent draws of the bound's exact value, made from the measurements themselves.
 *
 * By request: every occurrence has a column in one table of joint measurements. Each row is
 * evaluated as it is, so whatever dependence there was is in it.
 *
 * Matched: the observations of each file are put in random order (its seed is made of the file's
 * name and what was observed), and the i-th value is evaluated at the i-th of each; a file that
 * measures several occurrences gives each its own. Rows of a table stay together. If files and
 * tables are independent of each other, and the observations of each are independent draws, then so
 * are the values: draws of the bound's own law, exact whatever the expression. One binomial limit
 * then holds for a percentile, where bands of all files would have to hold together.
 */
#ifndef CLI_QUESTION_LAW_DRAWS_H
#define CLI_QUESTION_LAW_DRAWS_H

#include "dist/evaluate/row.h"
#include "dist/source/sample.h"
#include "dist/statistics/confidence.h"
#include "dist/statistics/levels.h"
#include "dist/statistics/serial.h"

struct expression;
struct laws;

struct draws {
  bool made;
  bool by_request;       /* the values are those of requests, in the order of the table */
  size_t table;          /* by_request: of the laws, where the rows are */
  const char *why;       /* not made: why, as a part of a sentence */
  struct sample values;  /* one a row, with its series */
  struct serial serial;  /* the worst of what was shuffled; none when by_request */
  struct levels *levels; /* by_request: what the rows' order says; owned */
};

/* A what-if: the latencies of one entry times numerator / denominator, what never ends staying so
 * also for 0; or the entry takes no time at all, not even what never ended does. */
struct draws_change {
  size_t entry;                    /* of the laws; SIZE_MAX: nothing changes */
  const bool *also;                /* by entry: these change, too; NULL: none */
  uint64_t numerator, denominator; /* numerator <= denominator <= 2^16 */
  bool removed;
};

static inline bool draws_changes(const struct draws_change *change, size_t entry) {
  return change != NULL &&
         (change->entry == entry || (change->also != NULL && change->also[entry]));
}

/* `change` NULL: as it is. Initialised in any case. */
void draws_make(struct draws *draws, const struct laws *laws, const struct expression *expression,
                const struct draws_change *change);
void draws_clear(struct draws *draws);

/* How many draws of each used entry one row takes, by entry; NULL where there are no rows. */
uint64_t *draws_per_row(const struct laws *laws, const struct expression *expression);

/* Adds the value of each row to *values when the i-th observations of all series, each `rows` long,
 * are taken to belong together; nothing where an occurrence has no series of its own. */
void draws_row_by_row(struct sample *values, const struct laws *laws,
                      const struct expression *expression, size_t rows);

/* Between which values the quantile at the share lies: each end has this chance of error (0: the
 * values are the whole truth). `count`: values->real, or of a prediction. */
struct level_ends draws_ends(const struct draws *draws, const struct rational *share,
                             uint64_t count, uint64_t chance);

/* What the order of the values says: for limits of the quantile at the share, or, when it is NULL,
 * for bands that hold at every point. */
struct serial draws_serial(const struct draws *draws, const struct rational *share);

/* Bounds the law of the values at every point together, but for this chance (0: they are the whole
 * truth), on the side of *curve, which is initialised with its grid. */
void draws_curve(struct survival *curve, const struct draws *draws, uint64_t chance,
                 enum confidence_band kind);

/* What a value becomes. */
struct row_value draws_changed(struct row_value x, const struct draws_change *change);

/* A share as floating point, rounded down: for estimates only. */
double share_double(const struct rational *share);

#endif
