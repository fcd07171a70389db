/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The experiment of `whatif throughput`: which windows are measured, in which order, and until
 * when.
 *
 * What is to be known are *cells*: the application as it is, the same with rounds in which nobody
 * pauses, one for each change, and for some of these the same with rounds of other sizes (sizes.h). Each repetition measures every cell that is not yet known well
 * enough, once, in random order, so that whatever drifts meanwhile is nobody's effect; more of the
 * first two are put in between. All windows that are good count, none is left out afterwards.
 */
#ifndef MEASURE_THROUGHPUT_EXPERIMENT_EXPERIMENT_H
#define MEASURE_THROUGHPUT_EXPERIMENT_EXPERIMENT_H

#include <signal.h>
#include <stdio.h>

#include "base/vector.h"
#include "base/asker.h"
#include "base/random.h"
#include "measure/throughput/experiment/window.h"

/* CELL_CHECK: a change again, with rounds of another size. */
enum cell_kind { CELL_BASE, CELL_ROUNDS, CELL_CHANGE, CELL_CHECK };

/* Of the cells of an experiment: the first two, and where the changes begin. */
enum { BASE_CELL, ROUNDS_CELL, FIRST_CHANGE };

typedef VECTOR(struct window) window_list;

enum throughput_answer {
  ANSWER_CANNOT_TELL, /* beyond what holds whatever happens (measure/throughput/experiment/doubt.h) */
  ANSWER_BETWEEN, /* something contradicts the prediction; what it leaves are two ends, far apart */
  ANSWER_PREDICTED, /* nothing does; or what it leaves are two ends near each other */
};

/* What is said of a cell, from all its windows. Throughputs in requests/s; the ends of intervals
 * hold with 95 % confidence each way taken together. */
struct throughput_estimate {
  enum throughput_answer answer;
  bool given;   /* there is a value: predicted, or measured */
  bool bounded; /* low and high are there: without a value those that the answer leaves */
  bool by_ends; /* predicted from two ends, which hold though something contradicts the pauses */
  char refused[400]; /* why it is not predicted, or what contradicts it; and what would decide it */
  double measured;   /* in the paused run; 0: it was not */
  double value, raw; /* predicted; raw: before the curve was made monotone */
  double low, high;
  double base;       /* by the same law (law.h), as it is; 0: the value is that of pauses */
  double chance;     /* half of the interval by chance alone, as a share of the value */
  bool gain_given;   /* there is something that it is more than */
  bool gain_bounded; /* its ends are there */
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
  bool wanted;  /* of a check: it is to be measured */
  bool second;  /* a check with rounds that are divided twice */
  bool starved; /* of a change: smaller rounds give more, so that no more are measured of its own */
  uint64_t batch; /* requests of the leader in a round; 0: not known yet */
  bool few;       /* so few, as there are few users */
  bool held;      /* answers are held in it (slowing.h) */
  window_list good;
  uint32_t refused; /* windows */
  char last_reason[WINDOW_REASON];
  struct throughput_estimate estimate;
};

/* Who hears how an experiment goes; each function may be NULL. */
struct experiment_listener {
  void *context;
  /* What is measured now, how many windows there were, and are at least; how long it may take. */
  void (*progress)(void *context, const char *what, size_t done, size_t of, uint64_t left_ns);
  void (*silence)(void *context); /* something else is said, or it is over */
};

struct experiment;

struct experiment_request {
  const struct asker *asker;
  const char *path;                                                /* of the plan */
  uint64_t seed;                                                   /* of the order of windows */
  const char *const *scale_out, *const *workers, *const *together; /* changes, as they are typed */
  size_t scale_out_count, workers_count, together_count;           /* none: those of the plan */
  const char *budget;           /* a time, or NULL: that of the plan */
  const char *journal, *resume; /* of the journal: a new file, or one to go on with; or NULL */
  bool uncoordinated;           /* every service pauses by itself */
  struct experiment_listener listener;
  /* Each window as soon as it is measured; or NULL. */
  void (*measured)(const struct experiment *experiment, const struct cell *cell,
                   const struct window *window);
  const volatile sig_atomic_t *interrupted; /* not 0: the experiment ends */
};

struct experiment {
  const struct experiment_request *request;
  struct experiment_plan *plan; /* owned; NULL: it could not be read */
  struct profile profile;
  bool profiled;
  struct window first;       /* the window of the profile, */
  struct window alone;       /* with one user; empty: there was none */
  struct window whole;       /* and all without a change as one; empty: what was resumed */
  uint32_t learned;          /* how many those are */
  VECTOR(struct cell) cells; /* CELL_BASE, CELL_ROUNDS, then the changes, then their checks */
  size_t checks; /* where they begin: of change c, experiment_check, experiment_second */
  size_t uses;   /* windows that profile.use is the mean of */
  uint64_t budget_ns;
  struct random random; /* of the order of windows */
  size_t refused;       /* windows, of all cells */
  double noise;         /* relative standard deviation of a window's throughput, */
  uint64_t freedom;     /* and its degrees of freedom */
  FILE *journal;        /* or NULL */
  const char *journal_name;
  const char *ended_by; /* what ended it before all was known: "the budget of time", ...; or NULL */
};

/* The question of `whatif throughput`: reads the plan, makes the cells, measures what is missing.
 * The answer is initialised in any case; what was measured is there whatever comes back. STATUS_OK,
 * STATUS_INTERRUPTED, STATUS_USAGE, STATUS_DATA, STATUS_NO_INPUT, STATUS_UNAVAILABLE (a service
 * that does not run), STATUS_INTERNAL: after the asker was told. `request` must outlive it. */
enum status experiment_ask(struct experiment *experiment, const struct experiment_request *request);

/* Makes the cells: of the plan, or of the changes that are asked for. STATUS_USAGE for what is no
 * change. */
enum status experiment_init(struct experiment *experiment,
                            const struct experiment_request *request);
void experiment_clear(struct experiment *experiment);

/* The check of a change, and that with rounds divided twice; NULL: there is none. */
struct cell *experiment_check(const struct experiment *experiment, size_t change);
struct cell *experiment_second(const struct experiment *experiment, size_t change);

/* Good windows of all cells. */
size_t experiment_measured(const struct experiment *experiment);

/* Measures what is missing. What was measured is there whatever comes back: STATUS_OK,
 * STATUS_INTERRUPTED, STATUS_UNAVAILABLE (a service that does not run), STATUS_INTERNAL, after the
 * asker was told. */
enum status experiment_run(struct experiment *experiment);

/* The profile is known: what the cells ask of the services. */
void experiment_profiled(struct experiment *experiment);

/* What one more window without a change says of the services: the profile is of all of them as one,
 * as the time of a call that one window shows is that of a machine which is faster or slower in the
 * next. Cells ask for pauses by it from then on. What was measured before an experiment is resumed
 * stays as it is, but for processors, of which profile.use is the mean. */
void experiment_learn(struct experiment *experiment, const struct window *window);

/* Whether the cell needs no further windows: possible, and known well enough or measured often. */
bool cell_is_done(const struct cell *cell, const struct experiment_plan *plan);

#endif
