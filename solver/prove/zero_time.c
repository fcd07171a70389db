/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which costs of a step can be nothing (zero_time.h).
 *
 * Of a component of which no assumption speaks, each value > 0 is allowed where 0 is. Of others the
 * comparisons that mention it tell: a strict one still holds a little above 0, as times are
 * continuous in each other; one with <= does where it is not met with equality, or where the
 * component makes its larger side larger.
 */
#include "solver/prove/zero_time.h"

static bool is_component(const struct term *t, const void *context) {
  return (t->kind == TERM_BARE || t->kind == TERM_OCCURRENCE) && t->component == context;
}

static bool mentions(const struct term *t, const struct component *component) {
  return term_has_part(t, is_component, component);
}

/* Whether the time is at least what it was when its parts get larger. */
static bool is_growing(const struct term *t) {
  switch (t->kind) {
  case TERM_BARE:
  case TERM_OCCURRENCE:
  case TERM_TIME:
    return true;
  case TERM_ADD:
  case TERM_MAX:
  case TERM_MIN:
    for (size_t i = 0; i < t->count; i++)
      if (!is_growing(t->args[i]))
        return false;
    return true;
  case TERM_MUL:
    return t->args[0]->kind == TERM_INT && t->args[0]->integer >= 0 && is_growing(t->args[1]);
  default:
    return false;
  }
}

enum hold { HOLD_NEVER, HOLD_AT_EQUALITY, HOLD_ALWAYS };

/* When the formula keeps the component from being a little more than 0. */
static enum hold holds_down(const struct term *t, const struct component *component) {
  bool times = t->count == 2 && t->args[0]->type.kind == TYPE_TIME;
  if (!mentions(t, component) || (times && (t->kind == TERM_LT || t->kind == TERM_GT)))
    return HOLD_NEVER;
  if (!times || (t->kind != TERM_LE && t->kind != TERM_GE))
    return HOLD_ALWAYS;
  const struct term *small = t->args[t->kind == TERM_GE], *large = t->args[t->kind == TERM_LE];
  return !mentions(small, component) && is_growing(large) ? HOLD_NEVER : HOLD_AT_EQUALITY;
}

static bool may_be_held(const struct term *t, const struct component *component) {
  if (t->kind == TERM_AND)
    return may_be_held(t->args[0], component) || may_be_held(t->args[1], component);
  return holds_down(t, component) != HOLD_NEVER;
}

static smt_term is_held(struct session *s, const struct term *t,
                        const struct component *component) {
  struct encoder *e = &s->encoder;
  if (t->kind == TERM_AND)
    return smt_or2(s->smt, is_held(s, t->args[0], component), is_held(s, t->args[1], component));
  enum hold hold = holds_down(t, component);
  if (hold != HOLD_AT_EQUALITY)
    return smt_bool(s->smt, hold == HOLD_ALWAYS);
  return smt_equal(s->smt, encode(e, t->args[0], NULL), encode(e, t->args[1], NULL));
}

bool zero_component_is_possible(const struct model *model, const struct component *component) {
  bool found = false;
  for (size_t i = 0; i < model->assumptions.count && !found; i++)
    found = may_be_held(model->assumptions.items[i]->formula, component);
  return found;
}

smt_term zero_component(struct session *s, const struct component *component) {
  const struct model *model = s->proof->properties.model;
  struct smt *smt = s->smt;
  smt_term held = smt_bool(smt, false);
  for (size_t i = 0; i < model->assumptions.count; i++)
    if (may_be_held(model->assumptions.items[i]->formula, component))
      held = smt_or2(smt, held, is_held(s, model->assumptions.items[i]->formula, component));
  smt_term bare = encode_bare(&s->encoder, component);
  return smt_and2(smt, smt_equal(smt, bare, smt_real_zero(smt)), held);
}

static const struct term *condition_of(const struct action *action, size_t cost) {
  return action->conditions == NULL ? NULL : action->conditions[cost];
}

static const struct variable *batch_of(const struct action *action, size_t cost) {
  return action->batches == NULL ? NULL : action->batches[cost];
}

bool zero_time_is_possible(const struct model *model, const struct action *action) {
  for (size_t i = 0; i < action->cost_count; i++)
    if (condition_of(action, i) == NULL && batch_of(action, i) == NULL &&
        !zero_component_is_possible(model, action->costs[i]->component))
      return false;
  return true;
}

static smt_term nothing(struct encoder *e, void *context, smt_term *pattern) {
  (void)context;
  (void)pattern;
  return smt_bool(e->smt, false);
}

static smt_term is_empty(struct session *s, const struct variable *batch,
                         const struct symbolic *at) {
  struct quantified q = {
      .forall = true, .variables = &batch, .count = 1, .state = at, .body = nothing};
  return encode_quantified(&s->encoder, &q);
}

smt_term zero_time(struct session *s, const struct action *action, const struct symbolic *at) {
  struct smt *smt = s->smt;
  smt_term all = smt_bool(smt, true);
  for (size_t i = 0; i < action->cost_count; i++) {
    const struct term *when = condition_of(action, i);
    const struct variable *batch = batch_of(action, i);
    smt_term none = zero_component(s, action->costs[i]->component);
    if (when != NULL)
      none = smt_or2(smt, none, smt_not(smt, encode(&s->encoder, when, at)));
    if (batch != NULL)
      none = smt_or2(smt, none, is_empty(s, batch, at));
    all = smt_and2(smt, all, none);
  }
  return all;
}
