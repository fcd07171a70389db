/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether what is measured apart can be independent. Where the series of several components have
 * equally many observations, or are columns of one table, the i-th of each may come from the same
 * request; then each pair is tested for rank correlation, and for being slow at once, and the bound is evaluated row by row to
 * show what independence would hide.
 */
#ifndef CLI_QUESTION_PERCENTILES_DEPENDENCE_H
#define CLI_QUESTION_PERCENTILES_DEPENDENCE_H

#include "base/vector.h"
#include "dist/statistics/rank_correlation.h"
#include "dist/source/sample.h"

struct asker;
struct calculation;
struct ledger;
struct text;

/* How occurrences depend on each other in one evaluation. */
enum dependence {
  DEPENDENCE_INDEPENDENT, /* but for the groups of --together */
  DEPENDENCE_UNKNOWN,     /* any joint law of all of them */
};

struct dependent_pair {
  const char *a, *b; /* names of entries */
  double correlation;
  struct coincidence slow; /* where that refutes it and the correlation does not, its chance is less
                            * than 1 */
};

struct dependence_test {
  size_t tested; /* pairs; 0: nothing could be tested */
  size_t rows;
  bool joined;                         /* the rows belong together for certain */
  VECTOR(struct dependent_pair) pairs; /* that refute independence; the strongest first */
  struct sample row_by_row;            /* values of the bound; empty unless each occurrence has a
                                        * series of its own */
};

void dependence_test(struct dependence_test *test, const struct calculation *calculation);
void dependence_clear(struct dependence_test *test);

/* Appends the pairs: "Flush and Receive.0 (rank correlation 0.53), ...", "A and B (both among
 * their slowest in 40 of 2000 rows, by chance in 5)". */
void dependence_print(struct text *text, const struct dependence_test *test);

/* Warns in the ledger that pairs refute independence, where the evaluation rests on
 * it. */
void dependence_warn(const struct dependence_test *test, struct ledger *ledger);

#endif
