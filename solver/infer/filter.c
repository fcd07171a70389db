/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/filter.h"

#include "solver/infer/sample.h"

enum { RUNS = 24 };
static const double seconds_max = 0.5;

struct sieve {
  bool *held;
  const struct term *const *formulas;
  size_t count;
};

static bool sift(const struct interpretation *state, void *context) {
  struct sieve *s = context;
  for (size_t i = 0; i < s->count; i++)
    if (s->held[i])
      s->held[i] = evaluate_holds(state, s->formulas[i]);
  return true;
}

void infer_filter(bool *held, const struct model *model, const struct term *const *formulas,
                  size_t count, size_t variable_count) {
  struct sieve sieve = {.held = held, .formulas = formulas, .count = count};
  sample_states(model, variable_count, RUNS, seconds_max, sift, &sieve);
}
