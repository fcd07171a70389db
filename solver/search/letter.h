/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Idle steps (interpreter->idles) change nothing but the slot of a node's loop and its clock, and
 * nothing but the node's own later steps can tell when they happen. So a search need not ask when:
 * a letter is one step that is not idle, with the idle steps that its node takes right before it.
 */
#ifndef SOLVER_SEARCH_LETTER_H
#define SOLVER_SEARCH_LETTER_H

#include "solver/judge/step.h"

struct letter {
  size_t first, count; /* its steps in the list: idle ones, then the one that is not */
  size_t laps;         /* how often the idle steps came back to where they began */
};

struct letters {
  step_vector steps;
  VECTOR(struct letter) items;
  bool cut; /* more laps than allowed could be taken */
};

/* Fills `letters` (zero initialised) for an untimed world, fewest idle steps first. `laps_max` laps
 * per letter at most; with `lazy` false idle steps are letters of their own. Idle steps alone are
 * letters also for nodes of the role `also_idle` (or NULL). */
void letters_list(struct letters *letters, struct world *world, size_t laps_max, bool lazy,
                  const struct role *also_idle);
void letters_clear(struct letters *letters);

#endif
