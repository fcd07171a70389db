/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Why a percentile is infinite although more samples would not change that.
 */
#ifndef CLI_QUESTION_PERCENTILES_ENDLESS_H
#define CLI_QUESTION_PERCENTILES_ENDLESS_H

#include "base/status.h"
#include "cli/question/percentiles/dependence.h"
#include "dist/survival/survival.h"

struct calculation;
struct law_entry;

enum endless {
  ENDLESS_NOT,    /* it is finite, more samples make it so, or the reason is not known */
  ENDLESS_BEYOND, /* too many observations are only known to exceed the others */
  ENDLESS_GRID,   /* values beyond the grid's last point count as infinite */
};

/* The measured law with the largest share of observations that are only known to exceed the others;
 * NULL when there are none. */
const struct law_entry *endless_entry(const struct calculation *calculation);

/* The upper bound if each sample were the whole truth: what is infinite in it stays so with any
 * number of samples like these. *result gets no array where nothing can be infinite in it, or where
 * laws are written with --law. Adds nothing to the ledger. */
enum status endless_evaluate(struct survival *result, struct calculation *calculation,
                             enum dependence dependence);

/* Why, given the tail of a percentile that is infinite. `truth` is what endless_evaluate made. */
enum endless endless_reason(const struct calculation *calculation, const struct survival *truth,
                            uint64_t tail);

/* "beyond", "grid"; NULL for ENDLESS_NOT. */
const char *endless_name(enum endless endless);

/* The reason as a clause, and what the reader can do about it as a sentence. */
void endless_explain(struct text *text, const struct calculation *calculation,
                     enum endless endless);

#endif
