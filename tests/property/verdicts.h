/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the parts of tests/property/verdicts.c share: data sets in files, questions about them as
 * the command line asks them (but for the proof, which has nothing to do with them), true quantiles
 * by long simulation, and what is counted.
 */
#ifndef TESTS_PROPERTY_VERDICTS_H
#define TESTS_PROPERTY_VERDICTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/random.h"
#include "cli/question/percentiles/percentiles.h"

struct plan {
  bool full;
  size_t sets;      /* data sets of a cell; 0: as many as the part says */
  const char *only; /* NULL, or a part of the names of the cells that are wanted */
};

/* Each prints its table and one TAP line for each cell; false when a cell does not hold. */
bool verdicts_null(const struct plan *plan);
bool verdicts_width(const struct plan *plan);
bool verdicts_coverage(const struct plan *plan);

/* --- cells ------------------------------------------------------------------------------------ */

bool plan_wants(const struct plan *plan, const char *cell);
size_t plan_sets(const struct plan *plan, size_t sample, size_t full);

/* Prints "ok N - TITLE" or "not ok N - TITLE". */
bool cell_end(bool good, const char *title);
size_t cell_count(void);

/* The most misses of n that a rate of `level` gives but once in 1000 times. */
size_t allowance(size_t n, double level);

/* --- files ------------------------------------------------------------------------------------ */

enum { PARTS_MAX = 5 }; /* components A to E */

/* A temporary folder with the protocol; what is said on stderr goes to a file in it. */
void files_open(void);
void files_close(void);

/* "observed.csv" or the like, in the folder; a new text in one of several places in turn. */
const char *file_path(const char *name);

/* A series, in ns, as `name` of the folder: "data/A.csv". */
void file_series(const char *name, const uint64_t *values, size_t count);

/* Components A, B, ..., each in a file of data/. */
void file_parts(uint64_t *const *values, size_t parts, size_t count);

/* The same as one table, "joint.csv". */
void file_rows(uint64_t *const *values, size_t parts, size_t count);

/* --- questions -------------------------------------------------------------------------------- */

enum { OBJECTIVES_MAX = 12 };

/* Bounds: one (A), sum3 (A + B + C), max5, kth2 (the second of A, B, C), paths (max(A + B, A + C)).
 */
struct ask {
  const char *bound, *confidence, *percentiles;
  bool joint, observed; /* joint.csv instead of data/; observed.csv */
  char slos[OBJECTIVES_MAX][48];
  size_t slo_count;
};

struct asked {
  struct percentiles_request request;
  char protocol[128], source[128], observed[128]; /* the request points into these */
  struct percentiles run;                         /* judged */
};

/* What cannot be asked ends the program. */
void asked_init(struct asked *asked, const struct ask *ask);
void asked_clear(struct asked *asked);

/* Of `percentiles`, the index-th. */
const struct percentile *asked_at(const struct asked *asked, size_t index);

/* `compare a.csv b.csv` at 99 %: its exit code. */
enum status ask_compare(void);

/* --- truth ------------------------------------------------------------------------------------ */

typedef uint64_t draw_function(const void *context, struct random *random);

/* The quantiles at the shares, of so many independent draws, to one part in 10^5. */
void truth_find(uint64_t *quantiles, const double *shares, size_t count, draw_function *draw,
                const void *context, size_t draws);

#endif
