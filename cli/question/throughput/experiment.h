/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The experiment of `whatif throughput`: which windows are measured, in which order, and until
 * when.
 *
 * What is to be known are *cells*: the application as it is, the same with rounds in which nobody
 * pauses, and one for each change. Each repetition measures every cell that is not yet known well
 * enough, once, in random order, so that whatever drifts meanwhile is nobody's effect; more of the
 * first two are put in between. All windows that are good count, none is left out afterwards.
 */
#ifndef CLI_QUESTION_THROUGHPUT_EXPERIMENT_H
#define CLI_QUESTION_THROUGHPUT_EXPERIMENT_H

#include <stdio.h>

#include "base/vector.h"
#include "cli/command/options.h"
#include "measure/throughput/experiment/window.h"

enum cell_kind { CELL_BASE, CELL_ROUNDS, CELL_CHANGE };

typedef VECTOR(struct window) window_list;

/* What is said of a cell, from all its windows. Throughputs in requests/s; the ends of intervals
 * hold with 95 % confidence each way taken together. */
struct throughput_estimate {
  bool given;        /* something can be said */
  char refused[200]; /* why not */
  double measured;   /* in the paused run */
  double value, raw; /* predicted; raw: before the curve was made monotone */
  double low, high;
  double gain, gain_low, gain_high; /* against rounds without pauses: 0.05 is 5 % more */
};

struct cell {
  enum cell_kind kind;
  struct change change; /* the label alone for what is none */
  uint32_t target;      /* whose curve it is on; PLAN_SERVICES: of no curve */
  uint32_t level_ppm;
  struct change_pauses pauses;
  bool possible;
  char why_not[PLAN_MESSAGE];
  window_list good;
  uint32_t refused; /* windows */
  char last_reason[WINDOW_REASON];
  struct throughput_estimate estimate;
};

struct experiment {
  const struct options *options;
  struct experiment_plan *plan;
  struct profile profile;
  bool profiled;
  struct window first;       /* the window of the profile */
  VECTOR(struct cell) cells; /* CELL_BASE, CELL_ROUNDS, then the changes */
  uint64_t budget_ns;
  uint64_t random;
  size_t refused;   /* windows, of all cells */
  double noise;     /* relative standard deviation of a window's throughput, */
  uint64_t freedom; /* and its degrees of freedom */
  FILE *journal;    /* or NULL */
  const char *journal_name;
  const char *ended_by; /* what ended it before all was known: "the budget of time", ...; or NULL */
};

/* Makes the cells: of the plan, or of the options that name changes. A line on stderr, and
 * STATUS_USAGE, for an option that is none. */
enum status experiment_init(struct experiment *experiment, struct experiment_plan *plan,
                            const struct options *options);
void experiment_clear(struct experiment *experiment);

/* Measures what is missing. What was measured is there whatever comes back: STATUS_OK,
 * STATUS_INTERRUPTED, STATUS_UNAVAILABLE (a service that does not run), STATUS_INTERNAL, after a
 * line on stderr. */
enum status experiment_run(struct experiment *experiment);

/* The profile is known: what the cells ask of the services. */
void experiment_profiled(struct experiment *experiment);

/* Whether the cell needs no further windows: possible, and known well enough or measured often. */
bool cell_is_done(const struct cell *cell, const struct experiment_plan *plan);

#endif
