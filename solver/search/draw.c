/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/draw.h"

#include <string.h>

#include "solver/judge/evaluate.h"
#include "solver/judge/valuation.h"

enum { TRIES_MAX = 2000 };

enum mood { MOOD_ALIKE, MOOD_BITS, MOOD_SPARSE, MOOD_SMALL, MOOD_ANY, MOOD_PROMPT, MOOD_COUNT };

static uint64_t next(struct draw *draw) {
  return random_bits(&draw->random);
}

size_t draw_number(struct draw *draw, size_t count) {
  return (size_t)(next(draw) % count);
}

static void add_fraction(struct draw *draw, int64_t n, int64_t d) {
  struct rational made;
  rational_init(&made);
  rational_set_fraction(&made, n, d);
  vector_push(&draw->palette, made);
}

static void add_constant(struct draw *draw, const struct rational *value, int64_t n, int64_t d) {
  add_fraction(draw, n, d);
  struct rational *made = &draw->palette.data[draw->palette.count - 1];
  rational_mul(made, made, value);
}

static void add_constants(struct draw *draw, const struct term *term) {
  if (term->kind == TERM_TIME && rational_sign(&term->value) > 0) {
    add_constant(draw, &term->value, 1, 1);
    add_constant(draw, &term->value, 1, 2);
    add_constant(draw, &term->value, 2, 1);
  }
  for (size_t i = 0; i < term->count; i++)
    add_constants(draw, term->args[i]);
}

static void add_conjuncts(struct draw *draw, const struct term *term) {
  if (term->kind != TERM_AND) {
    vector_push(&draw->conjuncts, term);
    return;
  }
  for (size_t i = 0; i < term->count; i++)
    add_conjuncts(draw, term->args[i]);
}

static void mark_constrained(struct draw *draw, const struct term *term) {
  if (term->component != NULL)
    draw->constrained[term->component->id] = true;
  for (size_t i = 0; i < term->count; i++)
    mark_constrained(draw, term->args[i]);
}

void draw_init(struct draw *draw, struct interpreter *in, uint64_t seed) {
  static const int64_t numbers[][2] = {{0, 1}, {1, 1},  {1, 1},   {2, 1},       {3, 1}, {5, 1},
                                       {7, 1}, {10, 1}, {100, 1}, {1000000, 1}, {1, 2}, {1, 3}};
  memset(draw, 0, sizeof *draw);
  draw->interpreter = in;
  draw->random = (struct random){seed};
  values_init(&draw->values, in->model);
  draw->constrained = mem_alloc(in->model->components.count, sizeof *draw->constrained);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    add_fraction(draw, numbers[i][0], numbers[i][1]);
  for (size_t i = 0; i < in->model->assumptions.count; i++) {
    add_constants(draw, in->model->assumptions.items[i]->formula);
    mark_constrained(draw, in->model->assumptions.items[i]->formula);
    add_conjuncts(draw, in->model->assumptions.items[i]->formula);
  }
  for (size_t i = 0; i < in->model->components.count; i++)
    draw->constrained[i] |= in->model->components.items[i]->kind == COMPONENT_CONSTANT;
  for (size_t i = 0; i < in->model->schedules.count; i++)
    if (in->model->schedules.items[i]->timeout != NULL)
      draw->constrained[in->model->schedules.items[i]->timeout->id] = true;
  for (size_t i = 0; i < in->model->actions.count; i++)
    for (size_t g = 0; g < in->model->actions.items[i]->guard_count; g++)
      add_constants(draw, in->model->actions.items[i]->guards[g]);
  for (size_t i = 0; i < in->model->bounds.count; i++)
    if (in->model->bounds.items[i]->expression != NULL)
      add_constants(draw, in->model->bounds.items[i]->expression);
}

void draw_clear(struct draw *draw) {
  for (size_t i = 0; i < draw->palette.count; i++)
    rational_clear(&draw->palette.data[i]);
  vector_clear(&draw->palette);
  vector_clear(&draw->conjuncts);
  mem_free(draw->constrained);
  values_clear(&draw->values);
}

/* A component without an index is its only occurrence, so that gets the value as well. */
static void fix(struct draw *draw, const struct component *component) {
  const struct rational *value = &draw->palette.data[draw_number(draw, draw->palette.count)];
  values_fix_bare(&draw->values, component, value);
  if (component->kind == COMPONENT_STEP && component->index_count == 0 && !component->repeated)
    values_set(&draw->values, interpreter_cost(draw->interpreter, component, NULL), value);
}

static void fix_mentioned(struct draw *draw, const struct term *term) {
  if (term->component != NULL && draw_number(draw, 2) == 0)
    fix(draw, term->component);
  for (size_t i = 0; i < term->count; i++)
    fix_mentioned(draw, term->args[i]);
}

/* Draws some of what the first broken conjunct mentions again; false when none is broken. */
static bool repair(struct draw *draw) {
  struct valuation valuation = values_valuation(&draw->values);
  struct interpretation e = {.interpreter = draw->interpreter,
                             .valuation = &valuation,
                             .bindings = draw->interpreter->scratch};
  size_t first = draw->conjuncts.count == 0 ? 0 : draw_number(draw, draw->conjuncts.count);
  for (size_t i = 0; i < draw->conjuncts.count; i++) {
    const struct term *term = draw->conjuncts.data[(first + i) % draw->conjuncts.count];
    if (!evaluate_holds(&e, term)) {
      fix_mentioned(draw, term);
      return true;
    }
  }
  return false;
}

static bool fix_constrained(struct draw *draw) {
  const struct model *model = draw->interpreter->model;
  values_reset(&draw->values);
  for (size_t i = 0; i < model->components.count; i++)
    if (draw->constrained[i])
      fix(draw, model->components.items[i]);
  for (int attempt = 0; attempt < TRIES_MAX; attempt++)
    if (!repair(draw))
      return true;
  return false;
}

bool draw_begin(struct draw *draw) {
  draw->mood = (int)draw_number(draw, MOOD_COUNT);
  if (draw->preferred != NULL && draw_number(draw, 2) == 0)
    draw->mood = MOOD_PROMPT;
  draw->favourite = 1 + draw_number(draw, draw->palette.count - 1); /* the first is 0 */
  return fix_constrained(draw);
}

void draw_time(struct rational *value, struct draw *draw) {
  size_t any = draw_number(draw, draw->palette.count);
  switch ((enum mood)draw->mood) {
  case MOOD_ALIKE:
    rational_set(value, &draw->palette.data[draw->favourite]);
    return;
  case MOOD_BITS:
    rational_set_integer(value, (int64_t)draw_number(draw, 2));
    return;
  case MOOD_SPARSE:
    rational_set(value, &draw->palette.data[draw_number(draw, 4) == 0 ? draw->favourite : 0]);
    return;
  case MOOD_SMALL:
    rational_set_integer(value, (int64_t)draw_number(draw, 20));
    return;
  case MOOD_ANY:
  case MOOD_PROMPT:
  case MOOD_COUNT:
    break;
  }
  rational_set(value, &draw->palette.data[any]);
}

/* Of a component with a fixed bare name: often that, else nothing or a part of it. */
static void pick_below(struct rational *value, struct draw *draw, const struct rational *bare) {
  rational_set_fraction(value, (int64_t)draw_number(draw, 5), 4);
  if (draw->mood == MOOD_ALIKE || draw_number(draw, 2) == 0)
    rational_set_integer(value, 1);
  rational_mul(value, value, bare);
  rational_min(value, value, bare);
}

/* In a prompt execution only loops take time: messages find nodes that have not run ahead. */
static bool is_at_once(const struct draw *draw, const struct component *component) {
  bool loops = component->repeated || component->kind == COMPONENT_TIMEOUT;
  return draw->mood == MOOD_PROMPT && !loops && component->kind != COMPONENT_QUEUEING;
}

static const struct rational *drawn_term(const struct occurrence *occurrence, void *context) {
  struct draw *draw = context;
  if (values_is_set(&draw->values, occurrence))
    return values_term(&draw->values, occurrence);
  const struct component *component = values_component(draw->interpreter->model, occurrence);
  struct rational value;
  rational_init(&value);
  if (component == NULL || is_at_once(draw, component))
    rational_set_integer(&value, 0); /* a read nobody prepared: at the start */
  else if (draw->constrained[component->id])
    pick_below(&value, draw, values_bare(&draw->values, component));
  else
    draw_time(&value, draw);
  values_set(&draw->values, occurrence, &value);
  rational_clear(&value);
  return values_term(&draw->values, occurrence);
}

static const struct rational *drawn_bare(const struct component *component, void *context) {
  return values_bare(&((struct draw *)context)->values, component);
}

struct valuation draw_valuation(struct draw *draw) {
  return (struct valuation){drawn_term, drawn_bare, draw};
}
