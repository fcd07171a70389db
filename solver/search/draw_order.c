/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which step a random execution takes next: what makes progress weighs more than idle steps
 * (draw.h).
 */
#include "solver/judge/valuation.h"
#include "solver/search/draw.h"

enum { WEIGHT_IDLE = 1, WEIGHT_LOOP = 6, WEIGHT_ACTIVE = 12, WEIGHT_PREFERRED = 240 };

/* Idle steps are always possible, so they are not to crowd out what makes progress; within a loop
 * they do, at its start they wait for messages in vain. */
static size_t weight(const struct draw *draw, const struct step *step) {
  const struct action *action = step->action;
  if (!draw->interpreter->idles[action->id])
    return draw->preferred != NULL && draw->preferred[action->id] ? WEIGHT_PREFERRED
                                                                  : WEIGHT_ACTIVE;
  return action->schedule != NULL && action->timeout == NULL ? WEIGHT_LOOP : WEIGHT_IDLE;
}

static size_t pick_by_weight(struct draw *draw, const step_vector *steps, size_t from) {
  size_t total = 0;
  for (size_t i = from; i < steps->count; i++)
    total += weight(draw, &steps->data[i]);
  size_t at = draw_number(draw, total);
  for (size_t i = from; i < steps->count; i++) {
    size_t here = weight(draw, &steps->data[i]);
    if (at < here)
      return i;
    at -= here;
  }
  bug("weights do not add up");
}

/* In the eager model whatever starts later than another makes that one impossible. */
static size_t pick_earliest(struct draw *draw, struct world *world, const step_vector *steps) {
  struct valuation valuation = draw_valuation(draw);
  struct rational best, start, end;
  rational_init(&best);
  rational_init(&start);
  rational_init(&end);
  size_t earliest = 0;
  for (size_t i = 0; i < steps->count; i++) {
    step_window(&start, &end, world, &steps->data[i], &valuation);
    if (i == 0 || rational_compare(&start, &best) < 0) {
      earliest = i;
      rational_set(&best, &start);
    }
  }
  rational_clear(&best);
  rational_clear(&start);
  rational_clear(&end);
  return earliest;
}

static void swap(step_vector *steps, size_t i, size_t j) {
  struct step step = steps->data[i];
  steps->data[i] = steps->data[j];
  steps->data[j] = step;
}

void draw_order(struct draw *draw, struct world *world, step_vector *steps) {
  size_t first = 0;
  bool eager = draw->interpreter->model->timing == TIMING_EAGER;
  if (eager && steps->count != 0 && draw_number(draw, 4) != 0)
    swap(steps, first++, pick_earliest(draw, world, steps));
  for (size_t i = first; i + 1 < steps->count; i++)
    swap(steps, i, pick_by_weight(draw, steps, i));
}
