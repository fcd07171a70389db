/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The phases of a protocol along one timed execution: shown its states one after the other, it says
 * which phase each belongs to and when that phase began. A state in which a phase ends is the last
 * of that phase and the first of the next.
 */
#ifndef SOLVER_JUDGE_PROGRESS_H
#define SOLVER_JUDGE_PROGRESS_H

#include "solver/judge/world.h"

struct progress {
  const struct model *model;
  size_t at; /* the phase under way; the number of phases after the last one's end */
  bool begins;
  struct rational began; /* of that phase */
};

/* One phase in one state. */
struct stage {
  const struct phase *phase;
  const struct rational *began;
  bool begins, ends;                   /* in this state */
  const struct rational *time, *limit; /* of ENDS: when, and began plus the phase's expression */
};

void progress_init(struct progress *progress, const struct model *model);
void progress_clear(struct progress *progress);

/* To be called for every state, from the first on: visits each phase that the state belongs to, in
 * order; none without phases or after the last. `bindings` by variable id are written. */
void progress_visit(struct progress *progress, const struct world *world,
                    const struct valuation *valuation, int64_t *bindings,
                    void (*visit)(const struct stage *stage, void *context), void *context);

#endif
