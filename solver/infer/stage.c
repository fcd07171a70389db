/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/stage.h"

#include <string.h>

#include "solver/infer/edge.h"
#include "solver/infer/time.h"

/* The set that an action adds a node to in any case, or NULL. */
static const struct state *counted_by(const struct action *action) {
  for (size_t i = 0; i < action->body.count; i++) {
    const struct statement *s = action->body.statements[i];
    if (s->kind == STATEMENT_ASSIGN && s->key == NULL && s->value->kind == TERM_UNION &&
        s->value->args[0]->kind == TERM_STATE && s->value->args[0]->state == s->state &&
        s->value->args[1]->kind == TERM_SET && s->value->args[1]->count == 1)
      return s->state;
  }
  return NULL;
}

static bool is_busy(const struct model *model, const struct role *role) {
  bool receives = false, counted = true;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *a = model->actions.items[i];
    if (a->role != role || a->loses)
      continue;
    receives = receives || a->message != NULL;
    counted = counted && a->timeout == NULL && a->timer == NULL && a->schedule == NULL &&
              a->choice_count == 0 && a->batches == NULL &&
              (a->cost_count == 0 || counted_by(a) != NULL);
  }
  return receives && counted && role->count == NULL && model->queueing == NULL &&
         model->timing != TIMING_EAGER;
}

static const struct role *busy_role(const struct model *model) {
  for (size_t i = 0; i < model->roles.count; i++)
    if (is_busy(model, model->roles.items[i]))
      return model->roles.items[i];
  return NULL;
}

static const struct term *set_term(struct term_maker *m, const struct state *set) {
  const struct term *node = maker_role_node(m, set->role, NULL);
  struct term *t = maker_term(m, TERM_STATE, TYPE_SET, &node, 1);
  t->type = set->type;
  t->state = set;
  return t;
}

static const struct term *size_of(struct term_maker *m, const struct state *set) {
  const struct term *t = set_term(m, set);
  return maker_term(m, TERM_CARDINALITY, TYPE_INT, &t, 1);
}

/* By their number, which is what counts elsewhere too: sets are equal by each of their members. */
static const struct term *is_empty(struct term_maker *m, const struct state *set) {
  return maker_pair(m, TERM_LT, TYPE_BOOL, size_of(m, set), maker_integer(m, 1));
}

static const struct term *has_members(struct term_maker *m, const struct state *set) {
  return maker_pair(m, TERM_GE, TYPE_BOOL, size_of(m, set), maker_integer(m, 1));
}

/* --- candidates ------------------------------------------------------------------------------ */

static void at_most(relations *list, struct term_maker *m, const struct model *model,
                    const struct state *set, const struct term *most) {
  relation_add(list, m, model, maker_at_most(m, size_of(m, set), most),
               (struct relation){.set = set, .most = most});
}

static void about_set(relations *list, struct term_maker *m, const struct model *model,
                      const struct action *action) {
  const struct state *set = counted_by(action);
  for (size_t i = 0; i < model->params.count; i++) {
    struct term *param = maker_term(m, TERM_PARAM, TYPE_INT, NULL, 0);
    param->param = model->params.items[i];
    at_most(list, m, model, set, param);
  }
  at_most(list, m, model, set, set->type.role->count);
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *begin = model->actions.items[i];
    const struct state *other = begin->role == action->role ? counted_by(begin) : NULL;
    if (begin->message == NULL || other == NULL || other == set)
      continue;
    relation_add(list, m, model, maker_implies(m, is_empty(m, other), is_empty(m, set)),
                 (struct relation){.set = set, .after = other});
  }
}

bool stage_relations(relations *list, struct term_maker *m, const struct model *model) {
  const struct role *role = busy_role(model);
  for (size_t i = 0; role != NULL && i < model->actions.count; i++) {
    const struct action *a = model->actions.items[i];
    if (a->role == role && counted_by(a) != NULL && counted_by(a)->type.role->count != NULL)
      about_set(list, m, model, a);
  }
  return role != NULL;
}

/* --- stages ---------------------------------------------------------------------------------- */

static bool is_after(const relations *held, const struct state *set, const struct state *other) {
  if (set == other)
    return true;
  for (size_t i = 0; i < held->count; i++)
    if (held->data[i].set == set && held->data[i].after == other)
      return true;
  return false;
}

static const struct term *most_of(const relations *held, const struct state *set) {
  for (size_t i = 0; i < held->count; i++)
    if (held->data[i].set == set && held->data[i].most != NULL)
      return held->data[i].most;
  return NULL;
}

/* How many kinds of messages must have been taken before the set has members. */
static size_t rank(const struct stages *s, const relations *held, const struct state *set) {
  size_t count = 0;
  for (size_t i = 0; i < s->actions.count; i++)
    count +=
        s->actions.data[i].action->message != NULL && is_after(held, set, s->actions.data[i].set);
  return count;
}

static void order_stages(struct stages *s, const relations *held) {
  for (size_t place = 1; place <= s->actions.count; place++)
    for (size_t i = 0; i < s->actions.count; i++)
      if (s->actions.data[i].action->message != NULL &&
          rank(s, held, s->actions.data[i].set) == place)
        vector_push(&s->begins, &s->actions.data[i]);
  for (size_t i = 0; i < s->actions.count; i++) {
    struct stage_action *a = &s->actions.data[i];
    a->stage = SIZE_MAX;
    for (size_t k = 0; k < s->begins.count; k++)
      if (is_after(held, a->set, s->begins.data[k]->set))
        a->stage = k;
  }
}

bool stages_init(struct stages *s, const struct model *model, const relations *held) {
  memset(s, 0, sizeof *s);
  s->role = busy_role(model);
  for (size_t i = 0; s->role != NULL && i < model->actions.count; i++) {
    const struct action *a = model->actions.items[i];
    if (a->role != s->role || counted_by(a) == NULL)
      continue;
    struct stage_action made = {.action = a, .set = counted_by(a)};
    made.most = most_of(held, made.set);
    vector_push(&s->actions, made);
  }
  if (s->role != NULL)
    order_stages(s, held);
  return s->role != NULL;
}

bool stages_want(const struct stages *s, const struct relation *r) {
  for (size_t i = 0; i < s->actions.count && r->set != NULL; i++) {
    const struct stage_action *a = &s->actions.data[i];
    if (a->set != r->set)
      continue;
    if (r->most != NULL)
      return a->most == r->most;
    size_t stage = a->stage != SIZE_MAX && s->begins.data[a->stage] == a ? a->stage - 1 : a->stage;
    return stage != SIZE_MAX && s->begins.data[stage]->set == r->after;
  }
  return true;
}

void stages_clear(struct stages *s) {
  vector_clear(&s->actions);
  vector_clear(&s->begins);
}

/* --- times ----------------------------------------------------------------------------------- */

static const struct term *times(struct term_maker *m, const struct term *count,
                                const struct term *cost) {
  return cost == NULL ? NULL : maker_pair(m, TERM_MUL, TYPE_TIME, count, cost);
}

/* The work of a stage: done so far, or (`all`) at most. */
static const struct term *work_of(struct flow *flow, size_t stage, bool all, const char **reason) {
  const struct term *sum = NULL;
  for (size_t i = 0; i < flow->stages->actions.count; i++) {
    const struct stage_action *a = &flow->stages->actions.data[i];
    if (a->stage != stage)
      continue;
    if (all && a->most == NULL) {
      *reason = flow_text(flow, "nothing bounds how often %s happens", a->action->name);
      return NULL;
    }
    const struct term *count = all ? a->most : size_of(flow->m, a->set);
    sum = time_plus(flow->m, sum, times(flow->m, count, flow_costs(flow, a->action)));
  }
  return sum;
}

/* When the last message of the kind is delivered. */
static const struct term *latest_of(struct flow *flow, const struct unknown *u) {
  struct term_maker *m = flow->m;
  const struct term *t = u->time;
  if (t != NULL && u->condition_count != 0)
    t = time_tidy(m, term_replace(m, t, u->conditions, u->condition_count));
  for (size_t i = 0; t != NULL && i < u->formal_count; i++) {
    const struct term *formal = u->formals[i];
    if (term_contains(t, formal))
      t = formal->type.kind == TYPE_NODE ? time_max_over(m, formal->variable, t)
                                         : time_without_index(m, t, formal);
  }
  return t;
}

static const struct term *stage_time(struct flow *flow, size_t stage, bool all,
                                     const char **reason) {
  struct unknown *u = flow_message(flow, flow->stages->begins.data[stage]->action->message, false);
  alternative_vector ignored = {0};
  flow_solve(flow, u, &ignored);
  vector_clear(&ignored);
  if (u->status != UNKNOWN_DONE) {
    *reason = u->reason != NULL
                  ? u->reason
                  : flow_text(flow, "what %s waits for waits for it", u->message->name);
    return NULL;
  }
  return time_plus(flow->m, latest_of(flow, u), work_of(flow, stage, all, reason));
}

const struct term *stage_end(struct flow *flow, const struct action *action, const char **reason) {
  for (size_t i = 0; i < flow->stages->actions.count; i++) {
    const struct stage_action *a = &flow->stages->actions.data[i];
    if (a->action == action && a->stage != SIZE_MAX)
      return stage_time(flow, a->stage, true, reason);
  }
  *reason = flow_text(flow, "no message tells when %s happens", action->name);
  return NULL;
}

const struct stage_action *stage_of_set(const struct stages *s, const struct term *formula) {
  if (formula->kind == TERM_STATE)
    for (size_t i = 0; i < s->actions.count; i++)
      if (s->actions.data[i].set == formula->state)
        return &s->actions.data[i];
  for (size_t i = 0; i < formula->count; i++) {
    const struct stage_action *found = stage_of_set(s, formula->args[i]);
    if (found != NULL)
      return found;
  }
  return NULL;
}

const struct term *stage_invariant(struct flow *flow, size_t stage) {
  struct term_maker *m = flow->m;
  const struct stages *s = flow->stages;
  const char *reason = NULL;
  const struct term *time = stage_time(flow, stage, false, &reason);
  if (reason != NULL)
    return NULL;
  const struct term *when = NULL;
  if (stage != 0)
    when = has_members(m, s->begins.data[stage]->set);
  if (stage + 1 < s->begins.count)
    when = maker_and(m, when, is_empty(m, s->begins.data[stage + 1]->set));
  const struct term *clock = maker_clock(m, maker_role_node(m, s->role, NULL));
  return maker_implies(m, when, maker_at_most(m, clock, time_written(m, time)));
}
