/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times of unknowns that depend on themselves: a cycle that counts up by one becomes a sum
 * (flow.h).
 */
#include "solver/infer/flow.h"
#include "solver/infer/time.h"

const struct term *flow_placeholder(struct flow *flow, const struct unknown *unknown) {
  struct term *t =
      maker_term(flow->m, TERM_PLACEHOLDER, TYPE_TIME, unknown->formals, unknown->formal_count);
  t->integer = (int64_t)unknown->number;
  return t;
}

bool flow_has_placeholder(const struct term *time, const struct unknown *unknown) {
  if (time == NULL)
    return false;
  if (time->kind == TERM_PLACEHOLDER)
    return unknown == NULL || time->integer == (int64_t)unknown->number;
  for (size_t i = 0; i < time->count; i++)
    if (flow_has_placeholder(time->args[i], unknown))
      return true;
  return false;
}

static const struct term *without_variable(struct flow *flow, const struct term *t,
                                           const struct variable *v) {
  struct term *any = maker_term(flow->m, TERM_FIRST, TYPE_NODE, NULL, 0);
  any->type = v->type;
  struct replacement with = {maker_mention(flow->m, v), any};
  return term_replace(flow->m, t, &with, 1);
}

const struct term *flow_forget(struct flow *flow, const struct term *time,
                               const struct variable *v) {
  if (time->kind == TERM_PLACEHOLDER)
    return without_variable(flow, time, v);
  if (time->kind != TERM_ADD)
    return time;
  return maker_pair(flow->m, TERM_ADD, TYPE_TIME, flow_forget(flow, time->args[0], v),
                    flow_forget(flow, time->args[1], v));
}

/* The addend that is the placeholder, or NULL when it stands elsewhere. */
static const struct term *placeholder_in(const struct term *time, const struct unknown *unknown) {
  if (time == NULL)
    return NULL;
  if (time->kind == TERM_PLACEHOLDER && time->integer == (int64_t)unknown->number)
    return time;
  if (time->kind != TERM_ADD)
    return NULL;
  const struct term *found = placeholder_in(time->args[0], unknown);
  return found != NULL ? found : placeholder_in(time->args[1], unknown);
}

struct loop {
  const struct term *counter; /* the formal that a round increases by one; NULL: none yet */
  const struct term *added;   /* by a round */
  bool broken;
};

static void add_round(struct flow *flow, struct loop *loop, const struct unknown *u,
                      const struct term *time) {
  const struct term *before = placeholder_in(time, u);
  if (before == NULL) {
    loop->broken = true;
    return;
  }
  const struct term *added = time_without(flow->m, time, before);
  for (size_t i = 0; i < u->formal_count; i++) {
    int64_t step = 0;
    if (u->formals[i]->type.kind != TYPE_INT ||
        !integer_difference(flow->m, before->args[i], u->formals[i], &step) || step != -1)
      continue;
    if (loop->counter != NULL && !term_equal(loop->counter, u->formals[i]))
      loop->broken = true;
    loop->counter = u->formals[i];
  }
  const struct term *both[] = {loop->added, added};
  loop->added = loop->added == NULL ? added : time_max(flow->m, both, 2);
}

static const struct term *start_of(const struct alternative *base, const struct term *counter) {
  for (size_t i = 0; i < base->condition_count; i++)
    if (term_equal(base->conditions[i].from, counter))
      return base->conditions[i].to;
  return NULL;
}

static bool close_base(struct flow *flow, struct alternative *base, const struct loop *loop) {
  struct term_maker *m = flow->m;
  const struct term *start = start_of(base, loop->counter);
  if (start == NULL)
    return false;
  const struct term *first =
      base->time == NULL
          ? NULL
          : time_tidy(m, term_replace(m, base->time, base->conditions, base->condition_count));
  const struct variable *k = maker_range(m, "k", NULL, NULL);
  struct replacement running = {loop->counter, maker_mention(m, k)};
  const struct term *round = time_tidy(m, term_replace(m, loop->added, &running, 1));
  const struct term *rounds = time_sum(m, k, integer_plus(m, start, 1), loop->counter, round);
  *base = (struct alternative){.time = time_plus(m, first, rounds), .via = base->via};
  return true;
}

bool flow_close_loop(struct flow *flow, struct unknown *u, alternative_vector *alternatives) {
  struct loop loop = {0};
  alternative_vector rest = {0};
  for (size_t i = 0; i < alternatives->count; i++) {
    const struct alternative *a = &alternatives->data[i];
    if (flow_has_placeholder(a->time, u)) {
      add_round(flow, &loop, u, a->time);
      u->loop = a->via;
    } else {
      vector_push(&rest, *a);
    }
  }
  bool has_loop = rest.count != alternatives->count, good = !loop.broken;
  if (has_loop && loop.added != NULL && loop.counter == NULL)
    good = false;
  for (size_t i = 0; i < rest.count && good && loop.counter != NULL && loop.added != NULL; i++)
    good = close_base(flow, &rest.data[i], &loop);
  vector_clear(alternatives);
  *alternatives = rest;
  if (!good)
    u->reason = flow_text(
        flow, "unbounded: each lap through %s adds time, and nothing counts the laps", u->loop);
  return good;
}

/* Whether the other alternative is at least as late where this one is possible. */
static bool is_covered(struct flow *flow, const struct alternative *a,
                       const struct alternative *by) {
  if (a->time == NULL)
    return true;
  if (by->time == NULL)
    return false;
  struct term_maker *m = flow->m;
  const struct term *mine =
      time_tidy(m, term_replace(m, a->time, a->conditions, a->condition_count));
  const struct term *its =
      time_tidy(m, term_replace(m, by->time, a->conditions, a->condition_count));
  return time_covers(m, its, mine);
}

const struct term *flow_combine(struct flow *flow, const alternative_vector *alternatives) {
  VECTOR(const struct term *) times = {0};
  VECTOR(bool) dropped = {0};
  for (size_t i = 0; i < alternatives->count; i++)
    vector_push(&dropped, false);
  for (size_t i = 0; i < alternatives->count; i++)
    for (size_t j = 0; j < alternatives->count && !dropped.data[i]; j++)
      dropped.data[i] = i != j && !dropped.data[j] &&
                        is_covered(flow, &alternatives->data[i], &alternatives->data[j]);
  for (size_t i = 0; i < alternatives->count; i++)
    if (!dropped.data[i] && alternatives->data[i].time != NULL)
      vector_push(&times, alternatives->data[i].time);
  const struct term *result = times.count == 0   ? NULL
                              : times.count == 1 ? times.data[0]
                                                 : time_max(flow->m, times.data, times.count);
  vector_clear(&times);
  vector_clear(&dropped);
  return result;
}
