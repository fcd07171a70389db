/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/alike.h"

#include "base/memory.h"
#include "base/vector.h"

/* By how much an index at a place grows for each step of the variable. */
struct index_place {
  const struct component *component;
  const struct message *message;
  size_t position;
  int64_t pace;
};

/* A variable of a range whose ends grow. */
struct running {
  const struct variable *variable;
  int64_t pace;
};

struct alike {
  const struct variable *variable;
  bool differs;
  VECTOR(struct running) running;
  VECTOR(struct index_place) places;
};

static int64_t pace_of(struct alike *a, const struct term *term);

static int64_t differ(struct alike *a) {
  a->differs = true;
  return 0;
}

static int64_t pace_of_variable(const struct alike *a, const struct variable *variable) {
  if (variable == a->variable)
    return 1;
  for (size_t i = a->running.count; i > 0; i--)
    if (a->running.data[i - 1].variable == variable)
      return a->running.data[i - 1].pace;
  return 0;
}

/* The one pace of all arguments from `first` on. */
static int64_t common(struct alike *a, const struct term *term, size_t first) {
  int64_t pace = pace_of(a, term->args[first]);
  for (size_t i = first + 1; i < term->count; i++)
    if (pace_of(a, term->args[i]) != pace)
      return differ(a);
  return pace;
}

static void expect_none(struct alike *a, const struct term *term) {
  if (pace_of(a, term) != 0)
    a->differs = true;
}

static int64_t summed(struct alike *a, const struct term *term, bool subtract) {
  int64_t sum = pace_of(a, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    int64_t pace = pace_of(a, term->args[i]);
    if (subtract ? __builtin_sub_overflow(sum, pace, &sum)
                 : __builtin_add_overflow(sum, pace, &sum))
      return differ(a);
  }
  return sum;
}

/* NUMBER times something grows NUMBER times as fast; any other product only if neither grows. */
static int64_t multiplied(struct alike *a, const struct term *term) {
  int64_t left = pace_of(a, term->args[0]), right = pace_of(a, term->args[1]), product;
  if (left == 0 && right == 0)
    return 0;
  size_t number = term->args[0]->kind == TERM_INT ? 0 : 1;
  if (term->args[number]->kind != TERM_INT ||
      __builtin_mul_overflow(term->args[number]->integer, left + right, &product))
    return differ(a);
  return product;
}

static void place(struct alike *a, const struct term *term, size_t position) {
  int64_t pace = pace_of(a, term->args[position]);
  for (size_t i = 0; i < a->places.count; i++) {
    const struct index_place *p = &a->places.data[i];
    if (p->component == term->component && p->message == term->message && p->position == position) {
      a->differs |= p->pace != pace;
      return;
    }
  }
  vector_push(&a->places, ((struct index_place){term->component, term->message, position, pace}));
}

static void enter(struct alike *a, const struct variable *v) {
  int64_t pace = 0;
  if (v->domain == DOMAIN_RANGE) {
    pace = pace_of(a, v->low);
    if (pace_of(a, v->high) != pace)
      a->differs = true;
  } else if (v->set != NULL) {
    expect_none(a, v->set);
  }
  vector_push(&a->running, ((struct running){v, pace}));
}

/* A quantifier, a maximum, a sum or a rank over something: none of them grows by itself, but a
 * formula or a time says the same only if what is in it does. */
static int64_t bound_over(struct alike *a, const struct term *term) {
  size_t before = a->running.count;
  for (size_t i = 0; i < term->variable_count; i++)
    enter(a, term->variables[i]);
  for (size_t i = 0; i < term->count; i++)
    expect_none(a, term->args[i]);
  a->running.count = before;
  return 0;
}

static int64_t pace_of(struct alike *a, const struct term *term) {
  switch (term->kind) {
  case TERM_VARIABLE:
    return pace_of_variable(a, term->variable);
  case TERM_OCCURRENCE:
  case TERM_DELAY:
    for (size_t i = 0; i < term->count; i++)
      place(a, term, i);
    return 0;
  case TERM_ADD:
    return summed(a, term, false);
  case TERM_SUB:
    return summed(a, term, true);
  case TERM_NEG:
    return -pace_of(a, term->args[0]);
  case TERM_MUL:
    return multiplied(a, term);
  case TERM_MAX:
  case TERM_MIN:
    return common(a, term, 0);
  case TERM_EQ:
  case TERM_NE:
  case TERM_LT:
  case TERM_LE:
  case TERM_GT:
  case TERM_GE:
    common(a, term, 0);
    return 0;
  case TERM_ITE:
    expect_none(a, term->args[0]);
    return common(a, term, 1);
  default:
    return bound_over(a, term);
  }
}

/* A number that names a request: any integer. */
static bool is_any(const struct variable *variable) {
  return variable->type.kind == TYPE_INT && variable->domain != DOMAIN_RANGE;
}

static bool is_alike(const struct term *expression, const struct variable *variable) {
  struct alike a = {.variable = variable};
  expect_none(&a, expression);
  vector_clear(&a.running);
  vector_clear(&a.places);
  return !a.differs;
}

static bool shifts(const struct term *expression, const struct variable *variable,
                   const struct index_place *place) {
  struct alike a = {.variable = variable};
  bool found = false;
  expect_none(&a, expression);
  for (size_t i = 0; i < a.places.count; i++) {
    const struct index_place *p = &a.places.data[i];
    found |= p->component == place->component && p->message == place->message &&
             p->position == place->position && p->pace != 0;
  }
  vector_clear(&a.running);
  vector_clear(&a.places);
  return found;
}

bool bound_shifts(const struct bound *bound, const struct component *component,
                  const struct message *message, size_t position) {
  struct index_place place = {component, message, position, 0};
  for (size_t i = 0; bound->expression != NULL && i < bound->variable_count; i++)
    if (is_any(bound->variables[i]) && shifts(bound->expression, bound->variables[i], &place))
      return true;
  return false;
}

const struct variable *bound_unlike(const struct bound *bound) {
  for (size_t i = 0; bound->expression != NULL && i < bound->variable_count; i++)
    if (is_any(bound->variables[i]) && !is_alike(bound->expression, bound->variables[i]))
      return bound->variables[i];
  return NULL;
}
