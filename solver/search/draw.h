/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Random values for the occurrences of one execution at a time, in a mood per execution (all alike,
 * only 0 and 1, a few large among zeros, only loops take time, anything). Values come from a
 * palette of small and large numbers and the time constants of the model. Components that an
 * assumption mentions, time parameters and timeouts of schedules get their bare name first, drawn
 * until the assumptions hold; their occurrences stay below it. Everything is a function of the
 * seed.
 */
#ifndef SOLVER_SEARCH_DRAW_H
#define SOLVER_SEARCH_DRAW_H

#include "base/random.h"
#include "solver/judge/step.h"
#include "solver/judge/valuation.h"

struct draw {
  struct interpreter *interpreter;
  struct values values; /* what was drawn for the present execution */
  VECTOR(struct rational) palette;
  VECTOR(const struct term *) conjuncts; /* of the assumptions */
  bool *constrained; /* by component id: an assumption mentions it, or it is a constant */
  struct random random;
  int mood;
  size_t favourite;      /* in the palette, of moods that have one */
  const bool *preferred; /* by action id: what draw_order prefers further; NULL: nothing. With it,
                          * half of the executions are prompt */
};

void draw_init(struct draw *draw, struct interpreter *interpreter, uint64_t seed);
void draw_clear(struct draw *draw);

/* Forgets all values, for a new execution; false when no bare names were found that satisfy the
 * assumptions. */
bool draw_begin(struct draw *draw);

/* A number in 0 .. count - 1. */
size_t draw_number(struct draw *draw, size_t count);

/* A time in the mood of the present execution. */
void draw_time(struct rational *value, struct draw *draw);

/* Draws what the step needs before it is taken: makes the message that it receives, if any, have
 * waited as long as needed, sometimes longer (false when its wait may not be that long), and picks
 * when it reads its clock: at the start, at the end, exactly where a comparison of its guards
 * turns, or around that. `step` is enabled as far as control goes; the step may still be refused.
 */
bool draw_prepare(struct draw *draw, struct world *world, const struct step *step);

/* Puts the enabled steps into the order in which to try them: any, but rather what makes progress
 * than idle steps, and that rather by a preferred action; in the eager model mostly what starts
 * first. */
void draw_order(struct draw *draw, struct world *world, step_vector *steps);

/* Draws each occurrence when it is first asked for. Valid as long as `draw`. */
struct valuation draw_valuation(struct draw *draw);

#endif
