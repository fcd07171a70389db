/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The goals of an action about the progress of time, and which of them make the argument
 * (progress.h).
 */
#include "solver/prove/progress.h"

#include <string.h>

#include "base/invariant.h"
#include "solver/encode/urgency.h"
#include "solver/prove/zero_time.h"

bool progress_concerns(const struct model *model, const struct action *action) {
  return urgency_forces_timer(model, action) && zero_time_is_possible(model, action);
}

/* --- the value of a rank ---------------------------------------------------------------------- */

static smt_term as_integer(struct session *s, const struct term *t, const struct symbolic *at) {
  return t == NULL ? smt_int(s->smt, 0) : encode(&s->encoder, t, at);
}

static smt_term count_bits(struct session *s, const struct progress_rank *rank,
                           const struct symbolic *at) {
  smt_term sum = smt_int(s->smt, 0), one = smt_int(s->smt, 1), none = smt_int(s->smt, 0);
  for (size_t i = 0; i < rank->bit_count; i++) {
    smt_term bit = symbolic_read(&s->encoder, at, rank->bits[i], s->transition.node);
    sum = smt_add(s->smt, sum,
                  smt_if(s->smt, bit, rank->unset ? none : one, rank->unset ? one : none));
  }
  return sum;
}

static smt_term value_of(struct session *s, const struct progress_rank *rank,
                         const struct symbolic *at) {
  if (rank->bit_count != 0)
    return count_bits(s, rank, at);
  struct encoder *e = &s->encoder;
  smt_term saved = encoder_let(e, rank->node, s->transition.node);
  smt_term value = smt_sub(s->smt, as_integer(s, rank->more, at), as_integer(s, rank->less, at));
  encoder_let(e, rank->node, saved);
  return value;
}

static smt_term takes_no_time(struct session *s) {
  return zero_time(s, s->action, s->before);
}

/* Whether the action of the flag is due at the acting node by the moment of the step, and would
 * take no time. What it chooses may matter for that: then it is said to take none. */
static smt_term is_due(struct session *s, const struct action *action, const struct symbolic *at) {
  struct encoder *e = &s->encoder;
  smt_term saved = encoder_let(e, action->node, s->transition.node);
  smt_term due = urgency_timer_due(e, action, at, s->transition.start);
  if (action->choice_count == 0)
    due = smt_and2(s->smt, due, zero_time(s, action, at));
  encoder_let(e, action->node, saved);
  return due;
}

/* --- goals ------------------------------------------------------------------------------------ */

static void add_goal(struct session *s, const struct progress_rank *rank, bool falls,
                     smt_term goal) {
  struct obligation o = {.kind = OBLIGATION_PROGRESS, .rank = rank, .falls = falls};
  session_add_goal(s, o, goal, NULL, 0);
}

static void add_flag_goal(struct session *s, const struct progress_rank *rank) {
  struct smt *smt = s->smt;
  session_begin_goals(s);
  smt_term idle = takes_no_time(s), due = is_due(s, rank->flag, s->after),
           not_due = smt_not(smt, due);
  if (rank->flag != s->action)
    not_due = smt_or2(smt, not_due, is_due(s, rank->flag, s->before));
  add_goal(s, rank, rank->flag == s->action, smt_implies(smt, idle, not_due));
}

/* The later a timer is, the less it has passed; an action that waits for it finds it passed. */
static void add_timer_goals(struct session *s, const struct progress_rank *rank) {
  struct encoder *e = &s->encoder;
  bool own = rank->timer == s->action;
  for (int falls = 0; falls <= (own ? 1 : 0); falls++) {
    session_begin_goals(s);
    smt_term saved = encoder_let(e, rank->timer->node, s->transition.node);
    smt_term before = encode(e, rank->timer->timer, s->before);
    smt_term after = encode(e, rank->timer->timer, s->after);
    encoder_let(e, rank->timer->node, saved);
    smt_term goal = (falls ? smt_lt : smt_le)(s->smt, before, after);
    add_goal(s, rank, falls, smt_implies(s->smt, takes_no_time(s), goal));
  }
}

static void add_value_goals(struct session *s, const struct progress_rank *rank) {
  struct smt *smt = s->smt;
  for (int falls = 0; falls <= 1; falls++) {
    session_begin_goals(s);
    smt_term before = value_of(s, rank, s->before), after = value_of(s, rank, s->after);
    smt_term goal = smt_le(smt, after, before);
    if (falls)
      goal = smt_and2(smt, smt_lt(smt, after, before), smt_le(smt, smt_int(smt, 0), before));
    add_goal(s, rank, falls, smt_implies(smt, takes_no_time(s), goal));
  }
}

/* The messages with pacers that the block sends: the last of them. */
static const struct message *paced_in(const struct block *block) {
  const struct message *found = NULL;
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *s = block->statements[i];
    const struct message *inner = NULL;
    if (s->kind == STATEMENT_SEND && s->message->pacer != NULL && !s->message->pacer->holds)
      found = s->message;
    if (s->kind == STATEMENT_IF)
      inner = paced_in(&s->then_block);
    if (s->kind == STATEMENT_IF && inner == NULL)
      inner = paced_in(&s->else_block);
    found = inner != NULL ? inner : found;
  }
  return found;
}

/* What is sent unasked, at any time or never, may be limited freely; a node in a loop goes on. */
static void add_pace_goal(struct session *s) {
  const struct action *action = s->action;
  bool has_to = action->message != NULL || action->timer != NULL || action->schedule != NULL;
  if (s->transition.may_send == NULL || !has_to)
    return;
  struct obligation o = {.kind = OBLIGATION_PACE,
                         .message = paced_in(&action->body),
                         .outside = true,
                         .span = action->span};
  session_begin_goals(s);
  session_add_goal(s, o, s->transition.may_send, NULL, 0);
}

void session_add_progress_goals(struct session *s) {
  const struct proof *proof = s->proof;
  if (s->place.only == NULL || s->place.only->kind == OBLIGATION_PACE)
    add_pace_goal(s);
  if (!progress_concerns(proof->properties.model, s->action) ||
      (s->place.only != NULL && s->place.only->kind != OBLIGATION_PROGRESS))
    return;
  for (size_t i = 0; i < proof->ranks.count; i++) {
    const struct progress_rank *rank = &proof->ranks.data[i];
    if (rank->role != s->action->role)
      continue;
    if (rank->flag != NULL)
      add_flag_goal(s, rank);
    else if (rank->timer != NULL)
      add_timer_goals(s, rank);
    else
      add_value_goals(s, rank);
  }
}

/* --- which of them make the argument ---------------------------------------------------------- */

/* One role; `left` and `used` by action id and by rank. */
struct argument {
  struct proof *proof;
  const struct role *role;
  bool *left;
};

static struct obligation *result_of(const struct argument *x, const struct action *action,
                                    const struct progress_rank *rank, bool falls) {
  struct session *s = &x->proof->sessions[1 + action->id];
  for (size_t i = 0; i < s->results.count; i++) {
    struct obligation *o = &s->results.data[i];
    if (o->kind == OBLIGATION_PROGRESS && o->rank == rank && o->falls == falls)
      return o;
  }
  return NULL;
}

static bool holds(const struct argument *x, const struct action *action,
                  const struct progress_rank *rank, bool falls) {
  const struct obligation *o = result_of(x, action, rank, falls);
  return o != NULL && o->proved;
}

/* Whether all that are left keep the rank, or fall in it, and some fall. */
static bool is_ranked(const struct argument *x, const struct progress_rank *rank) {
  const struct model *model = x->proof->properties.model;
  bool some = false;
  for (size_t i = 0; i < model->actions.count; i++) {
    bool falls = x->left[i] && holds(x, model->actions.items[i], rank, true);
    if (x->left[i] && !falls && !holds(x, model->actions.items[i], rank, false))
      return false;
    some = some || falls;
  }
  return some;
}

static void leave_out(const struct argument *x, const struct progress_rank *rank) {
  const struct model *model = x->proof->properties.model;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    if (!x->left[i])
      continue;
    bool falls = holds(x, action, rank, true);
    vector_push(&x->proof->obligations, *result_of(x, action, rank, falls));
    x->left[i] = !falls;
  }
}

static bool step(const struct argument *x) {
  for (size_t i = 0; i < x->proof->ranks.count; i++) {
    const struct progress_rank *rank = &x->proof->ranks.data[i];
    if (rank->role == x->role && is_ranked(x, rank)) {
      leave_out(x, rank);
      return true;
    }
  }
  return false;
}

/* The outcome of the queries of the role's actions: none is open any more, or one tells why. */
static void close_queries(const struct argument *x, bool success, struct obligation *failed) {
  const struct model *model = x->proof->properties.model;
  for (size_t i = 0; i < model->actions.count; i++) {
    struct session *s = &x->proof->sessions[1 + i];
    for (size_t k = 0; s->action != NULL && s->action->role == x->role && k < s->results.count;
         k++) {
      struct obligation *o = &s->results.data[k];
      if (!obligation_is_optional(o))
        continue;
      o->open = o->open && !success;
      failed->open = failed->open || (o->open && x->left[i]);
      failed->seconds += x->left[i] && !o->proved ? o->seconds : 0;
      failed->asked = failed->asked || o->asked;
    }
  }
}

static void add_failure(const struct argument *x, struct obligation *failed) {
  const struct model *model = x->proof->properties.model;
  const struct action **circle =
      arena_alloc(&x->proof->arena, model->actions.count, sizeof *circle);
  for (size_t i = 0; i < model->actions.count; i++)
    if (x->left[i])
      circle[failed->circle_count++] = model->actions.items[i];
  failed->circle = circle;
  failed->action = circle[0];
  failed->span = circle[0]->span;
  failed->reason = "";
  vector_push(&x->proof->obligations, *failed);
}

static void resolve_role(struct proof *proof, const struct role *role, bool *left) {
  const struct model *model = proof->properties.model;
  struct argument x = {proof, role, left};
  size_t first = proof->obligations.count, count = 0;
  for (size_t i = 0; i < model->actions.count; i++) {
    const struct action *action = model->actions.items[i];
    left[i] = action->role == role && progress_concerns(model, action);
  }
  while (step(&x))
    ;
  for (size_t i = 0; i < model->actions.count; i++)
    count += left[i];
  struct obligation failed = {.kind = OBLIGATION_PROGRESS};
  close_queries(&x, count == 0, &failed);
  if (count == 0)
    return;
  proof->obligations.count = first; /* what was shown of the others does not matter */
  add_failure(&x, &failed);
}

void progress_resolve(struct proof *proof) {
  const struct model *model = proof->properties.model;
  bool *left = arena_alloc(&proof->arena, model->actions.count, sizeof *left);
  for (size_t i = 0; proof->ranks.count != 0 && i < model->roles.count; i++)
    resolve_role(proof, model->roles.items[i], left);
}

bool progress_is_used(const struct proof *proof, const struct obligation *o) {
  if (!obligation_is_optional(o))
    return true;
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *used = &proof->obligations.data[i];
    if (used->kind == OBLIGATION_PROGRESS && used->rank == o->rank && used->falls == o->falls &&
        used->action == o->action)
      return true;
  }
  return false;
}
