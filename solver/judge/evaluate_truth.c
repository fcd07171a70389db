/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a formula holds when times, or a clock reading, are not known: true, false or open
 * (evaluate.h).
 */
#include "solver/judge/evaluate.h"
#include "lang/term_time.h"

bool evaluate_mentions_read(const struct term *term) {
  if (term->kind == TERM_VARIABLE && term->type.kind == TYPE_TIME)
    return true;
  for (size_t i = 0; i < term->count; i++)
    if (evaluate_mentions_read(term->args[i]))
      return true;
  return false;
}

bool evaluate_is_open(const struct interpretation *e, const struct term *term) {
  if (!term_mentions_time(term))
    return false;
  bool known = e->valuation != NULL && (e->world == NULL || e->world->timed);
  return !known || (e->read == NULL && evaluate_mentions_read(term));
}

static enum truth negated(enum truth a) {
  return a == TRUTH_OPEN ? TRUTH_OPEN : a == TRUTH_TRUE ? TRUTH_FALSE : TRUTH_TRUE;
}

static enum truth conjunction(enum truth a, enum truth b) {
  if (a == TRUTH_FALSE || b == TRUTH_FALSE)
    return TRUTH_FALSE;
  return a == TRUTH_OPEN || b == TRUTH_OPEN ? TRUTH_OPEN : TRUTH_TRUE;
}

static enum truth disjunction(enum truth a, enum truth b) {
  return negated(conjunction(negated(a), negated(b)));
}

static enum truth same(enum truth a, enum truth b) {
  if (a == TRUTH_OPEN || b == TRUTH_OPEN)
    return TRUTH_OPEN;
  return a == b ? TRUTH_TRUE : TRUTH_FALSE;
}

struct truth_fold {
  const struct term *body;
  bool forall;
  enum truth result;
};

static bool visit(const struct interpretation *e, void *context) {
  struct truth_fold *q = context;
  enum truth here = evaluate_truth(e, q->body);
  q->result = q->forall ? conjunction(q->result, here) : disjunction(q->result, here);
  return q->result != (q->forall ? TRUTH_FALSE : TRUTH_TRUE);
}

static enum truth quantified(const struct interpretation *e, const struct term *term) {
  bool forall = term->kind == TERM_FORALL;
  struct truth_fold q = {term->args[0], forall, forall ? TRUTH_TRUE : TRUTH_FALSE};
  evaluate_each(e, term->variables, term->variable_count, visit, &q);
  return q.result;
}

static enum truth of_args(const struct interpretation *e, const struct term *term) {
  enum truth a = evaluate_truth(e, term->args[0]), b = evaluate_truth(e, term->args[1]);
  switch (term->kind) {
  case TERM_AND:
    return conjunction(a, b);
  case TERM_OR:
    return disjunction(a, b);
  case TERM_IMPLIES:
    return disjunction(negated(a), b);
  case TERM_NE:
    return negated(same(a, b));
  default:
    return same(a, b);
  }
}

enum truth evaluate_truth(const struct interpretation *e, const struct term *term) {
  if (!evaluate_is_open(e, term))
    return evaluate_holds(e, term) ? TRUTH_TRUE : TRUTH_FALSE;
  switch (term->kind) {
  case TERM_NOT:
    return negated(evaluate_truth(e, term->args[0]));
  case TERM_AND:
  case TERM_OR:
  case TERM_IMPLIES:
  case TERM_IFF:
    return of_args(e, term);
  case TERM_EQ:
  case TERM_NE:
    return term->args[0]->type.kind == TYPE_BOOL ? of_args(e, term) : TRUTH_OPEN;
  case TERM_ITE:
    if (evaluate_is_open(e, term->args[0]))
      return same(evaluate_truth(e, term->args[1]), evaluate_truth(e, term->args[2])) == TRUTH_TRUE
                 ? evaluate_truth(e, term->args[1])
                 : TRUTH_OPEN;
    return evaluate_truth(e, term->args[evaluate_holds(e, term->args[0]) ? 1 : 2]);
  case TERM_FORALL:
  case TERM_EXISTS:
    return quantified(e, term);
  default:
    return TRUTH_OPEN;
  }
}
