/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Waits and clock readings of a random step, near where comparisons turn (draw.h).
 */
#include "solver/judge/valuation.h"
#include "solver/search/draw.h"
#include "solver/judge/evaluate.h"

/* --- waits ------------------------------------------------------------------------------------ */

static bool is_waiting_limited(const struct interpreter *in) {
  return in->model->queueing != NULL && in->model->timing != TIMING_ADVANCED;
}

static bool draw_wait(struct draw *draw, const struct world *world, const struct step *step) {
  const struct world_message *m = step_message(world, step);
  if (m == NULL || step->action->loses || !is_waiting_limited(draw->interpreter))
    return true;
  const struct component *queueing = draw->interpreter->model->queueing;
  const struct occurrence *o = interpreter_wait(draw->interpreter, m->message, m->fields);
  struct rational wait, more;
  rational_init(&wait);
  rational_init(&more);
  rational_sub(&wait, world_clock(world, step->action->role, step->node), &m->delivered);
  if (rational_sign(&wait) < 0)
    rational_set_integer(&wait, 0);
  bool known = values_is_set(&draw->values, o);
  bool fits = true;
  if (known)
    fits = rational_compare(&wait, values_term(&draw->values, o)) <= 0;
  else if (draw->constrained[queueing->id])
    fits = rational_compare(&wait, values_bare(&draw->values, queueing)) <= 0;
  else if (draw_number(draw, 8) == 0) {
    draw_time(&more, draw);
    rational_add(&wait, &wait, &more);
  }
  if (fits && !known)
    values_set(&draw->values, o, &wait);
  rational_clear(&wait);
  rational_clear(&more);
  return fits;
}

/* --- clock reads ------------------------------------------------------------------------------ */

typedef VECTOR(struct rational) offsets;

static void add_offset(offsets *list, const struct rational *offset) {
  struct rational made;
  rational_init(&made);
  rational_set(&made, offset);
  vector_push(list, made);
}

/* args[0] - args[1] of a comparison, read at `at`. */
static void difference(struct rational *result, struct interpretation *e,
                       const struct term *comparison, const struct rational *at) {
  struct rational right;
  rational_init(&right);
  e->read = at;
  evaluate_time(result, e, comparison->args[0]);
  evaluate_time(&right, e, comparison->args[1]);
  rational_sub(result, result, &right);
  e->read = NULL;
  rational_clear(&right);
}

/* Where the comparison turns, as an offset from the start, were it linear between start and end. */
static void add_turn(offsets *list, struct interpretation *e, const struct term *comparison,
                     const struct rational *start, const struct rational *end) {
  struct rational low, high, slope, length;
  rational_init(&low);
  rational_init(&high);
  rational_init(&slope);
  rational_init(&length);
  difference(&low, e, comparison, start);
  difference(&high, e, comparison, end);
  rational_sub(&slope, &low, &high);
  rational_sub(&length, end, start);
  if (rational_sign(&slope) != 0 && rational_sign(&low) * rational_sign(&high) <= 0) {
    rational_mul(&low, &low, &length);
    rational_div(&low, &low, &slope);
    add_offset(list, &low);
  }
  rational_clear(&low);
  rational_clear(&high);
  rational_clear(&slope);
  rational_clear(&length);
}

struct turns {
  offsets *list;
  const struct term *term;
  const struct rational *start, *end;
};

static bool add_turns(const struct interpretation *e, void *context) {
  const struct turns *turns = context;
  const struct term *term = turns->term;
  struct interpretation here = *e;
  bool compares = term->kind >= TERM_EQ && term->kind <= TERM_GE;
  if (compares && term->args[0]->type.kind == TYPE_TIME) {
    add_turn(turns->list, &here, term, turns->start, turns->end);
    return true;
  }
  for (size_t i = 0; i < term->count; i++) {
    struct turns inner = *turns;
    inner.term = term->args[i];
    if (evaluate_is_open(e, inner.term))
      evaluate_each(e, term->variables, term->variable_count, add_turns, &inner);
  }
  return true;
}

/* The middles between each and both ends. */
static void add_middles(offsets *list, const struct rational *length) {
  struct rational half, middle;
  rational_init(&half);
  rational_init(&middle);
  rational_set_fraction(&half, 1, 2);
  size_t count = list->count;
  for (size_t i = 0; i < count; i++) {
    rational_mul(&middle, &list->data[i], &half);
    add_offset(list, &middle);
    rational_add(&middle, &list->data[i], length);
    rational_mul(&middle, &middle, &half);
    add_offset(list, &middle);
  }
  rational_clear(&half);
  rational_clear(&middle);
}

static void list_offsets(offsets *list, struct draw *draw, struct world *world,
                         const struct step *step) {
  struct valuation valuation = draw_valuation(draw);
  struct rational start, end;
  rational_init(&start);
  rational_init(&end);
  step_window(&start, &end, world, step, &valuation);
  struct interpretation e = {.interpreter = draw->interpreter,
                             .world = world,
                             .valuation = &valuation,
                             .bindings = draw->interpreter->scratch};
  for (size_t i = 0; i < step->action->guard_count; i++) {
    struct turns turns = {list, step->action->guards[i], &start, &end};
    if (evaluate_is_open(&e, turns.term))
      add_turns(&e, &turns);
  }
  rational_sub(&end, &end, &start);
  rational_set_integer(&start, 0);
  add_offset(list, &start);
  add_middles(list, &end);
  add_offset(list, &end);
  rational_clear(&start);
  rational_clear(&end);
}

static void draw_read(struct draw *draw, struct world *world, const struct step *step) {
  if (step->action->read == NULL)
    return;
  const struct occurrence *o = interpreter_read(draw->interpreter, world->step_count);
  offsets list = {0};
  list_offsets(&list, draw, world, step);
  values_set(&draw->values, o, &list.data[draw_number(draw, list.count)]);
  for (size_t i = 0; i < list.count; i++)
    rational_clear(&list.data[i]);
  vector_clear(&list);
}

bool draw_prepare(struct draw *draw, struct world *world, const struct step *step) {
  if (!draw_wait(draw, world, step))
    return false;
  draw_read(draw, world, step);
  return true;
}
