/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Goals over parameters alone: every quorum fits into its role, every rank into its set
 * (session.h). Nothing is known of a k-th smallest beyond the set
 * (solver/encode/order_statistic.c). An action that waits for more answers than there are nodes
 * never happens, so a bound behind it would hold of nothing.
 */
#include "lang/instantiate.h"
#include "solver/prove/session.h"

/* --- quorums in actions -------------------------------------------------------------------------
 */

/* That a set of that size exists: `quorum`, or one more, is at most the size of the role. */
static void add_quorum(struct session *s, const struct term *set, const struct term *quorum,
                       bool strict) {
  struct encoder *e = &s->encoder;
  if (set->kind != TERM_CARDINALITY || !term_is_of_parameters(quorum))
    return;
  const struct role *role = set->args[0]->type.role;
  session_begin_goals(s);
  smt_term least = encode(e, quorum, NULL);
  if (strict)
    least = smt_add(s->smt, least, smt_int(s->smt, 1));
  session_add_goal(s,
                   (struct obligation){.kind = OBLIGATION_QUORUM,
                                       .role = role,
                                       .term = quorum,
                                       .plus_one = strict,
                                       .span = quorum->span},
                   smt_le(s->smt, least, encode_role_size(e, role)), NULL, 0);
}

static void from_condition(struct session *s, const struct term *t) {
  if (t->kind == TERM_GE || t->kind == TERM_GT || t->kind == TERM_EQ)
    add_quorum(s, t->args[0], t->args[1], t->kind == TERM_GT);
  if (t->kind == TERM_LE || t->kind == TERM_LT || t->kind == TERM_EQ)
    add_quorum(s, t->args[1], t->args[0], t->kind == TERM_LT);
  for (size_t i = 0; i < t->count; i++)
    from_condition(s, t->args[i]);
}

static void from_block(struct session *s, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *statement = block->statements[i];
    if (statement->kind != STATEMENT_IF)
      continue;
    from_condition(s, statement->condition);
    from_block(s, &statement->then_block);
    from_block(s, &statement->else_block);
  }
}

/* --- ranks in actions ---------------------------------------------------------------------------
 */

static void ranks_of_term(struct session *s, const struct term *t);

static void ranks_of_variables(struct session *s, const struct variable *const *variables,
                               size_t count) {
  for (size_t i = 0; i < count; i++) {
    ranks_of_term(s, variables[i]->set);
    ranks_of_term(s, variables[i]->low);
    ranks_of_term(s, variables[i]->high);
  }
}

static void ranks_of_terms(struct session *s, const struct term *const *terms, size_t count) {
  for (size_t i = 0; i < count; i++)
    ranks_of_term(s, terms[i]);
}

/* Of integers: an action has no others, and their ranks are over parameters. NULL has none. */
static void ranks_of_term(struct session *s, const struct term *t) {
  if (t == NULL)
    return;
  if (t->kind == TERM_KTH_OVER) {
    const struct role *role = t->variables[0]->type.role;
    const struct term *rank = t->args[1];
    session_begin_goals(s);
    smt_term place = encode(&s->encoder, rank, NULL), size = encode_role_size(&s->encoder, role);
    struct obligation o = {.kind = OBLIGATION_RANK, .role = role, .term = rank, .span = rank->span};
    smt_term first = smt_le(s->smt, smt_int(s->smt, 1), place);
    session_add_goal(s, o, smt_and2(s->smt, first, smt_le(s->smt, place, size)), NULL, 0);
  }
  ranks_of_terms(s, t->args, t->count);
  ranks_of_variables(s, t->variables, t->variable_count);
}

static void ranks_of_block(struct session *s, const struct block *block) {
  for (size_t i = 0; i < block->count; i++) {
    const struct statement *x = block->statements[i];
    const struct term *single[] = {x->key, x->value, x->condition, x->to};
    ranks_of_terms(s, single, sizeof single / sizeof *single);
    ranks_of_terms(s, x->args, x->arg_count);
    ranks_of_variables(s, x->variables, x->variable_count);
    ranks_of_block(s, &x->then_block);
    ranks_of_block(s, &x->else_block);
  }
}

static void from_action(struct session *s, const struct action *action) {
  for (size_t i = 0; i < action->guard_count && !action->idle; i++)
    from_condition(s, action->guards[i]);
  from_block(s, &action->body);
  if (action->idle)
    return;
  ranks_of_variables(s, action->choices, action->choice_count);
  ranks_of_term(s, action->timer);
  ranks_of_terms(s, action->guards, action->guard_count);
  ranks_of_terms(s, action->costs, action->cost_count);
  for (size_t i = 0; i < action->cost_count; i++) {
    if (action->conditions != NULL)
      ranks_of_term(s, action->conditions[i]);
    if (action->batches != NULL && action->batches[i] != NULL)
      ranks_of_variables(s, action->batches + i, 1);
  }
  ranks_of_block(s, &action->body);
}

/* --- ranks in bounds ----------------------------------------------------------------------------
 */

struct ranks {
  struct session *s;
  struct obligation obligation; /* whose expression it is */
  smt_term inside;              /* the binders around are in their domains */
};

static smt_term member_count(struct encoder *e, const struct variable *v) {
  if (v->domain != DOMAIN_SET)
    return encode_role_size(e, v->type.role);
  struct term *size = arena_alloc(&e->arena, 1, sizeof *size);
  size->kind = TERM_CARDINALITY;
  size->type.kind = TYPE_INT;
  size->count = 1;
  size->args = arena_copy(&e->arena, &v->set, 1, sizeof v->set);
  return encode(e, size, NULL);
}

static void from_expression(struct ranks *r, const struct term *t) {
  struct encoder *e = &r->s->encoder;
  struct smt *smt = r->s->smt;
  smt_term outside = r->inside;
  if (t->kind == TERM_KTH_OVER) {
    smt_term rank = encode(e, t->args[1], NULL), size = member_count(e, t->variables[0]);
    struct obligation o = r->obligation;
    o.kind = OBLIGATION_RANK;
    o.role = t->variables[0]->type.role;
    o.term = t->args[1];
    o.span = t->args[1]->span;
    smt_term fits = smt_and2(smt, smt_le(smt, smt_int(smt, 1), rank), smt_le(smt, rank, size));
    session_add_goal(r->s, o, fits, &r->inside, 1);
  }
  for (size_t i = 0; i < t->variable_count; i++) {
    smt_term value = encode_fresh(e, t->variables[i]);
    r->inside = smt_and2(smt, r->inside, encode_in_domain(e, t->variables[i], value, NULL));
  }
  for (size_t i = 0; i < t->count; i++) {
    smt_term before = r->inside;
    if (t->kind == TERM_ITE && i != 0) { /* a rank only counts where its branch is chosen */
      smt_term chosen = encode(e, t->args[0], NULL);
      r->inside = smt_and2(smt, before, i == 1 ? chosen : smt_not(smt, chosen));
    }
    from_expression(r, t->args[i]);
    r->inside = before;
  }
  r->inside = outside;
}

static void from_bound(struct session *s, const struct bound *bound, const struct phase *phase) {
  if (bound->expression == NULL)
    return;
  session_begin_goals(s);
  struct ranks ranks = {.s = s, .inside = smt_bool(s->smt, true)};
  ranks.obligation = (struct obligation){.phase = phase, .bound = phase == NULL ? bound : NULL};
  for (size_t i = 0; i < bound->variable_count; i++) {
    smt_term value = encode_fresh(&s->encoder, bound->variables[i]);
    smt_term inside = encode_in_domain(&s->encoder, bound->variables[i], value, NULL);
    ranks.inside = smt_and2(s->smt, ranks.inside, inside);
  }
  from_expression(&ranks, bound->expression);
}

void session_add_quorum_goals(struct session *s) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->model->actions.count; i++)
    from_action(s, p->model->actions.items[i]);
  for (size_t i = 0; i < p->items.count; i++)
    if (p->items.data[i].bound != NULL)
      from_bound(s, p->items.data[i].bound, NULL);
  for (size_t i = 0; i < p->phase_count; i++)
    from_bound(s, &p->model->phases.items[i]->end, p->model->phases.items[i]);
}
