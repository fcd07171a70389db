/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Searches over executions without times. Control depends on clocks through guards alone, and a
 * guard that compares times counts as possible, so every execution is among those found and times
 * are chosen afterwards, by a solver or by solver/search/hunt.h.
 *
 * explore_reach is a breadth-first search over control states, in which steps of actions that
 * cannot matter to the event (solver/search/relevance.h) come later. explore_paths enumerates
 * executions up to the order of independent steps: two steps commute when they are of different
 * nodes, neither receives what the other sends, and neither's action reads more than its own node.
 * Each class is visited once, in its lexicographic normal form (Anisimov and Knuth, "Inhomogeneous
 * sorting", 1979): a step is appended unless it commutes back past a step that comes after it in
 * step_compare.
 *
 * Idle steps are taken together with the next step of their node that is not idle
 * (solver/search/letter.h): else a loop that every node runs for ever would drown everything.
 * explore_reach takes fewer than a lap of them at a time, as a whole lap changes nothing but times.
 *
 * In the eager model steps are ordered by their start and a pending message makes other nodes wait,
 * so that leaving out or exchanging steps is not for free: explore_paths then neither commutes nor
 * shortens executions, and idle steps are steps like all others.
 */
#ifndef SOLVER_SEARCH_EXPLORE_H
#define SOLVER_SEARCH_EXPLORE_H

#include "solver/judge/step.h"

/* 0: no limit. work_max counts steps considered, which is what a search costs on any machine;
 * seconds_max is processor time and for safety only. depth_max is the number of steps;
 * explore_paths on a model with idle steps counts only the others, 2 for each whole lap of idle
 * ones, and goes from few to many. On an endless protocol it needs depth_max or seconds_max. */
struct explore_limits {
  size_t states_max, depth_max, work_max;
  double seconds_max;
};

enum explore_end {
  EXPLORE_FOUND,     /* the event was found; or the caller stopped the search */
  EXPLORE_EXHAUSTED, /* everything was searched */
  EXPLORE_LIMITED,   /* a limit, or an integer beyond 64 bits, cut the search short */
};

/* An execution. Owns its vectors. */
struct path {
  step_vector steps;
  VECTOR(int64_t) binding; /* values of the bound's variables, in their order; or empty */
};

void path_init(struct path *path);
void path_clear(struct path *path);
void path_copy(struct path *path, const struct path *from); /* into an initialised path */

struct explored {
  enum explore_end end;
  struct path path;       /* explore_reach, FOUND: an execution to the event, a shortest but for
                                   idle steps and those that cannot matter */
  enum step_result fault; /* SENT_TWICE or CHARGED_TWICE, the first found; STEP_TAKEN: none */
  struct path fault_path; /* up to and including the step at fault */
  size_t states;          /* control states, or executions, visited */
  size_t work;            /* steps considered */
  size_t paths;           /* explore_paths: reported */
};

void explored_init(struct explored *explored);
void explored_clear(struct explored *explored);

/* Searches for the event of the bound, or (bound NULL) for faults only. `explored` is initialised
 * by the caller and used once. A fault ends its branch, not the search. */
void explore_reach(struct explored *explored, struct interpreter *interpreter,
                   const struct bound *bound, const struct explore_limits *limits);

/* Reports every execution to the bound's event that has no step to spare: no last step (one that no
 * other depends on) can be left out so that the event has still happened, for a target `when` with
 * the same clock. Executions beyond these have the same event time and at least the same bound. A
 * target `when` is followed beyond the first time, as the event is due in every state where it
 * holds. With bound variables an execution is reported for each of their values that it is for. */
void explore_paths(struct explored *explored, struct interpreter *interpreter,
                   const struct bound *bound, const struct explore_limits *limits,
                   bool (*report)(const struct path *path, void *context), void *context);

#endif
