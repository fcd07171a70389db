/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/sample.h"

#include "base/seconds.h"
#include "base/text.h"
#include "solver/judge/valuation.h"
#include "solver/search/draw.h"
#include "solver/search/scope.h"

enum { TRIES = 8, INTEGERS_MOST = 100 };

struct sampling {
  struct interpreter *interpreter;
  bool *taken; /* by action id, or NULL */
  size_t variable_count, steps;
  double end;
  bool (*visit)(const struct interpretation *state, void *context);
  void *context;
  bool over;
};

static bool take_any(struct sampling *s, struct draw *draw, struct world *world) {
  step_vector steps = {0};
  step_list(&steps, world);
  bool taken = false;
  for (size_t tries = 0; tries < TRIES && !taken && steps.count != 0; tries++) {
    const struct step *step = &steps.data[draw_number(draw, steps.count)];
    if (!draw_prepare(draw, world, step))
      continue;
    struct valuation valuation = draw_valuation(draw);
    taken = step_take(world, step, &valuation, NULL) == STEP_TAKEN;
    if (taken && s->taken != NULL)
      s->taken[step->action->id] = true;
  }
  vector_clear(&steps);
  return taken;
}

/* Quantifiers over integers go through all from the least to the largest of the state. */
static bool is_wide(const struct interpretation *state) {
  int64_t low, high;
  world_integers(state->world, &low, &high);
  return low < -INTEGERS_MOST || high > INTEGERS_MOST;
}

static void look(struct sampling *s, const struct interpretation *state) {
  bool wanted = s->over || is_wide(state) || s->visit(state, s->context);
  s->over = s->over || !wanted || seconds_worked() >= s->end;
}

static void run_once(struct sampling *s, uint64_t seed) {
  struct draw draw;
  draw_init(&draw, s->interpreter, seed);
  int64_t *bindings = mem_alloc(s->variable_count, sizeof *bindings);
  if (draw_begin(&draw)) {
    struct valuation valuation = draw_valuation(&draw);
    struct world *world = world_new(s->interpreter, &valuation);
    struct interpretation state = {.interpreter = s->interpreter,
                                   .world = world,
                                   .valuation = &valuation,
                                   .bindings = bindings};
    look(s, &state);
    for (size_t i = 0; i < s->steps && !s->over && take_any(s, &draw, world); i++)
      look(s, &state);
    world_free(world);
  }
  mem_free(bindings);
  draw_clear(&draw);
}

void sample_states(bool *taken, const struct model *model, size_t variable_count,
                   const struct sample_effort *effort,
                   bool (*visit)(const struct interpretation *state, void *context),
                   void *context) {
  struct sampling sampling = {.taken = taken,
                              .variable_count = variable_count,
                              .steps = effort->steps,
                              .end = seconds_worked() + effort->seconds_max,
                              .visit = visit,
                              .context = context};
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_TWO_FIRST, effort->scopes);
  for (size_t i = 0; i < scopes.items.count; i++) {
    struct text message;
    text_init(&message);
    sampling.interpreter = interpreter_new(model, scopes.items.data[i], &message);
    for (uint64_t run = 0; sampling.interpreter != NULL && run < effort->runs && !sampling.over;
         run++)
      run_once(&sampling, 100 * i + run);
    interpreter_free(sampling.interpreter);
    text_clear(&message);
  }
  scopes_clear(&scopes);
}
