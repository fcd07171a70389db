/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/filter.h"

#include "base/seconds.h"
#include "base/text.h"
#include "solver/judge/valuation.h"
#include "solver/search/draw.h"
#include "solver/judge/evaluate.h"
#include "solver/search/scope.h"

enum { SCOPES = 4, RUNS = 24, STEPS = 30, TRIES = 8 };
static const double seconds_max = 0.5;

struct sieve {
  bool *held;
  const struct term *const *formulas;
  size_t count, variable_count;
  struct interpreter *interpreter;
  double end;
};

static void sift(struct sieve *s, const struct interpretation *evaluation) {
  for (size_t i = 0; i < s->count; i++)
    if (s->held[i])
      s->held[i] = evaluate_holds(evaluation, s->formulas[i]);
}

static bool take_any(struct draw *draw, struct world *world) {
  step_vector steps = {0};
  step_list(&steps, world);
  bool taken = false;
  for (size_t tries = 0; tries < TRIES && !taken && steps.count != 0; tries++) {
    const struct step *step = &steps.data[draw_number(draw, steps.count)];
    if (!draw_prepare(draw, world, step))
      continue;
    struct valuation valuation = draw_valuation(draw);
    taken = step_take(world, step, &valuation, NULL) == STEP_TAKEN;
  }
  vector_clear(&steps);
  return taken;
}

static void run_once(struct sieve *s, uint64_t seed) {
  struct draw draw;
  draw_init(&draw, s->interpreter, seed);
  int64_t *bindings = mem_alloc(s->variable_count, sizeof *bindings);
  if (draw_begin(&draw)) {
    struct valuation valuation = draw_valuation(&draw);
    struct world *world = world_new(s->interpreter, &valuation);
    struct interpretation evaluation = {.interpreter = s->interpreter,
                                        .world = world,
                                        .valuation = &valuation,
                                        .bindings = bindings};
    sift(s, &evaluation);
    for (size_t i = 0; i < STEPS && seconds_worked() < s->end && take_any(&draw, world); i++)
      sift(s, &evaluation);
    world_free(world);
  }
  mem_free(bindings);
  draw_clear(&draw);
}

void infer_filter(bool *held, const struct model *model, const struct term *const *formulas,
                  size_t count, size_t variable_count) {
  struct sieve sieve = {.held = held,
                        .formulas = formulas,
                        .count = count,
                        .variable_count = variable_count,
                        .end = seconds_worked() + seconds_max};
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_TWO_FIRST, SCOPES);
  for (size_t i = 0; i < scopes.items.count; i++) {
    struct text message;
    text_init(&message);
    sieve.interpreter = interpreter_new(model, scopes.items.data[i], &message);
    for (uint64_t run = 0; sieve.interpreter != NULL && run < RUNS; run++)
      if (seconds_worked() < sieve.end)
        run_once(&sieve, 100 * i + run);
    interpreter_free(sieve.interpreter);
    text_clear(&message);
  }
  scopes_clear(&scopes);
}
