/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/sift.h"

struct sieve {
  bool *held;
  const struct term *const *formulas;
  size_t count;
};

static bool look(const struct interpretation *state, void *context) {
  struct sieve *s = context;
  for (size_t i = 0; i < s->count; i++)
    if (s->held[i])
      s->held[i] = evaluate_holds(state, s->formulas[i]);
  return true;
}

void sift(bool *held, bool *taken, const struct model *model, const struct term *const *formulas,
          size_t count, size_t variable_count, const struct sample_effort *effort) {
  struct sieve sieve = {.held = held, .formulas = formulas, .count = count};
  sample_states(taken, model, variable_count, effort, look, &sieve);
}
