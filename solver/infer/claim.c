/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the derived time of an unknown says of a bound, and the invariant that it is a guess of
 * (flow.h).
 */
#include "solver/infer/ahead.h"
#include "solver/infer/edge.h"
#include "solver/infer/time.h"

/* --- what it says ---------------------------------------------------------------------------- */

/* The INT formals by what the target formula says about their states. */
static void match_target(struct flow *flow, struct match *match, const struct unknown *u,
                         const struct bound *bound) {
  replacements with = {0};
  for (size_t i = 1; i < u->formal_count; i++)
    vector_push(&with,
                (struct replacement){flow_state(flow, u->states[i], bound->node), u->formals[i]});
  match_equal(match, u->formals[0], bound->node);
  match_formula(match, term_replace(flow->m, bound->formula, with.data, with.count));
  vector_clear(&with);
}

static const char *unbounded(struct flow *flow, const struct bound *bound) {
  const char *loop = NULL;
  for (size_t i = 0; i < flow->unknowns.count && loop == NULL; i++)
    loop = flow->unknowns.data[i]->loop;
  const struct unknown *u = flow_bound(flow, bound);
  const char *counter = u->formal_count > 1 ? u->states[1]->name : "a counter";
  return flow_text(flow,
                   "unbounded: each lap through %s adds time; say how many (for example "
                   "`and %s == n`)",
                   loop == NULL ? "its actions" : loop, counter);
}

static bool speaks_of_delivery(const struct term *t) {
  if (t->kind == TERM_TIME_MESSAGE || t->kind == TERM_PACED)
    return true;
  for (size_t i = 0; i < t->count; i++)
    if (speaks_of_delivery(t->args[i]))
      return true;
  return false;
}

/* Of a bound from a message, `time` without that message's delivery. NULL and a reason when it goes
 * back to something else, too. */
static const struct term *since_sent(struct flow *flow, const struct bound *bound,
                                     const struct term *time, const char **reason) {
  struct term_maker *m = flow->m;
  if (bound->from->pacer != NULL && bound->from->pacer->holds) {
    *reason = flow_text(flow,
                        "its pacer holds %s, and how long does not follow from one step alone: "
                        "write the bound yourself",
                        bound->from->name);
    return NULL;
  }
  const struct term *delivered =
      maker_message(m, TERM_TIME_MESSAGE, bound->from, NULL, bound->from_args);
  const struct term *delay =
      maker_message(m, TERM_DELAY, bound->from, bound->from->delay, bound->from_args);
  const struct term *behind = ahead_since_sent(flow, bound, time);
  if (behind != NULL)
    return behind;
  const struct term *rest = time_without(m, time, delivered);
  if (rest != NULL && bound->from->pacer != NULL && term_equal(rest, time)) {
    const struct term *paced = maker_message(m, TERM_PACED, bound->from, NULL, bound->from_args);
    rest = time_without(m, time, paced);
    delay = bound->from->pacer->tolerance; /* it is kept no longer than that */
  }
  if (rest != NULL && (term_equal(rest, time) || speaks_of_delivery(rest))) {
    *reason =
        ahead_is_known(flow, bound->from)
            ? flow_text(
                  flow,
                  "work may be ahead of %s, and nothing says how far apart these are sent: give "
                  "their sender costs by number, or say `arrivals %s every T burst B`",
                  bound->from->name, bound->from->name)
            : flow_text(flow,
                        "what is asked for need not come of that %s alone: nothing says which one "
                        "it goes back to",
                        bound->from->name);
    return NULL;
  }
  return time_plus(m, delay, rest);
}

const struct term *flow_bound_time(struct flow *flow, const struct unknown *u,
                                   const struct bound *bound, const char **reason) {
  struct term_maker *m = flow->m;
  struct match match;
  const struct term **formals = arena_alloc(m->arena, bound->variable_count, sizeof(struct term *));
  for (size_t i = 0; i < bound->variable_count; i++)
    formals[i] = maker_mention(m, bound->variables[i]);
  match_init(&match, m, formals, bound->variable_count);
  if (bound->target == TARGET_WHEN)
    match_target(flow, &match, u, bound);
  else
    for (size_t i = 0; i < u->formal_count; i++)
      match_equal(&match, u->formals[i], bound->args[i]);
  const struct term *time =
      u->time == NULL ? maker_zero(m) : time_tidy(m, match_apply(&match, u->time));
  if (u->schedule != NULL)
    time = time_plus(m, time, round_whole(flow, u->schedule));
  if (u->schedule != NULL && u->wrap != SIZE_MAX)
    time = time_plus(m, time, round_whole(flow, u->schedule));
  if (bound->from != NULL)
    time = since_sent(flow, bound, time, reason);
  if (time != NULL && match_open(&match, time) != NULL) {
    *reason = unbounded(flow, bound);
    time = NULL;
  }
  match_clear(&match);
  return time;
}

/* That what the time counts from was received; NULL: from time 0. */
static const struct term *all_received(struct flow *flow, const struct term *time) {
  if (time == NULL || time->kind == TERM_MAX_OVER || time->kind == TERM_SUM_OVER)
    return NULL;
  if (time->kind == TERM_TIME_MESSAGE || time->kind == TERM_PACED)
    return maker_message(flow->m, TERM_RECEIVED, time->message, NULL, time->args);
  const struct term *all = NULL;
  for (size_t i = 0; i < time->count && time->kind == TERM_ADD; i++)
    all = maker_and(flow->m, all, all_received(flow, time->args[i]));
  return all;
}

const struct term *flow_invariant(struct flow *flow, const struct unknown *u) {
  struct term_maker *m = flow->m;
  const struct term *time = round_written(flow, u->time);
  if (u->message != NULL) {
    const struct term *event = maker_message(m, TERM_SENT, u->message, NULL, u->formals);
    const struct term *when = maker_message(m, TERM_TIME_MESSAGE, u->message, NULL, u->formals);
    return maker_implies(m, event,
                         maker_and(m, all_received(flow, u->time), maker_at_most(m, when, time)));
  }
  if (u->schedule != NULL)
    time = maker_pair(m, TERM_ADD, TYPE_TIME, time, round_so_far(flow, u->schedule, u->node));
  if (u->schedule != NULL && u->wrap != SIZE_MAX)
    time = maker_pair(m, TERM_ADD, TYPE_TIME, time,
                      round_wrapped(flow, u->schedule, u->node, u->wrap));
  replacements with = {0};
  for (size_t i = 1; i < u->formal_count && u->tick == NULL; i++)
    vector_push(&with,
                (struct replacement){u->formals[i], flow_state(flow, u->states[i], u->node)});
  time = term_replace(m, time, with.data, with.count);
  vector_clear(&with);
  const struct term *what =
      u->value != NULL ? flow_state(flow, u->value, u->node) : maker_clock(m, u->node);
  if (u->due != NULL && u->time == NULL)
    time = u->due;
  else if (u->due != NULL)
    time = maker_term(m, TERM_MAX, TYPE_TIME, (const struct term *[]){time, u->due}, 2);
  return maker_implies(m, u->guard,
                       maker_and(m, all_received(flow, u->time), maker_at_most(m, what, time)));
}
