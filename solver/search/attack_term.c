/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Times of terms as solver terms along a known execution (attack_walk.h).
 */
#include <string.h>

#include "solver/judge/valuation.h"
#include "solver/search/attack_walk.h"

smt_term attack_occurrence(struct attack *a, const struct occurrence *o) {
  const struct model *model = a->interpreter->model;
  const struct message *message = NULL;
  for (size_t i = 0; o->message != NULL && i < model->messages.count; i++)
    if (strcmp(model->messages.items[i]->name, o->message) == 0)
      message = model->messages.items[i];
  smt_term indices[INDEX_COUNT_MAX];
  for (size_t i = 0; i < o->index_count; i++) {
    bool is_bool = message != NULL && message->fields[i].type.kind == TYPE_BOOL;
    indices[i] = is_bool ? smt_bool(a->smt, o->indices[i] != 0) : smt_int(a->smt, o->indices[i]);
  }
  smt_term term =
      encode_occurrence(&a->encoder, values_component(model, o), message, indices, o->index_count);
  vector_push(&a->chosen, (struct chosen){.occurrence = o, .term = term});
  return term;
}

static smt_term lost(struct attack *a) {
  a->lost = true;
  return smt_real_zero(a->smt);
}

/* An assignment is read in the state that the statements before it have made, not in the world. */
static smt_term scaled(struct attack *a, const struct interpretation *e, const struct term *term) {
  if (evaluate_is_open(e, term->args[0]))
    return lost(a);
  bool recorded = a->powers != NULL && term->args[0]->kind == TERM_POWER;
  smt_term factor = smt_int(a->smt, recorded ? *a->powers++ : evaluate_scalar(e, term->args[0]));
  return smt_mul(a->smt, factor, attack_time(a, e, term->args[1]));
}

static smt_term combined(struct attack *a, const struct interpretation *e,
                         const struct term *term) {
  smt_term result = attack_time(a, e, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    smt_term right = attack_time(a, e, term->args[i]);
    if (term->kind == TERM_ADD)
      result = smt_add(a->smt, result, right);
    else if (term->kind == TERM_SUB)
      result = smt_sub(a->smt, result, right);
    else if (term->kind == TERM_MAX)
      result = encode_max(&a->encoder, result, right);
    else
      result = encode_min(&a->encoder, result, right);
  }
  return result;
}

static size_t node_of(struct attack *a, const struct interpretation *e, const struct term *term) {
  return interpreter_node(a->interpreter, term->args[0]->type.role,
                          evaluate_scalar(e, term->args[0]));
}

static smt_term delivery(struct attack *a, const struct interpretation *e,
                         const struct term *term) {
  int64_t fields[INDEX_COUNT_MAX];
  for (size_t i = 0; i < term->count; i++)
    fields[i] = evaluate_scalar(e, term->args[i]);
  const struct occurrence *delay = interpreter_delay(a->interpreter, term->message, fields);
  for (size_t i = 0; i < a->arrivals.count; i++)
    if (a->arrivals.data[i].delay == delay)
      return term->kind == TERM_PACED    ? a->arrivals.data[i].paced
             : term->kind == TERM_HANDED ? a->arrivals.data[i].end
                                         : a->arrivals.data[i].delivered;
  return smt_real_zero(a->smt);
}

smt_term attack_time(struct attack *a, const struct interpretation *e, const struct term *term) {
  switch (term->kind) {
  case TERM_TIME:
    return smt_real(a->smt, &term->value);
  case TERM_TIME_NODE:
    return a->clocks[node_of(a, e, term)];
  case TERM_ARRIVAL:
    return a->waited_for[node_of(a, e, term)];
  case TERM_NOW:
    return a->now;
  case TERM_TIME_MESSAGE:
  case TERM_PACED:
  case TERM_HANDED:
    return delivery(a, e, term);
  case TERM_BARE:
    return encode_bare(&a->encoder, term->component);
  case TERM_VARIABLE:
    return a->read == NULL ? lost(a) : a->read;
  case TERM_STATE:
    return a->times[a->interpreter->time_offsets[term->state->id] +
                    (size_t)evaluate_scalar(e, term->args[0])];
  case TERM_ADD:
  case TERM_SUB:
  case TERM_MAX:
  case TERM_MIN:
    return combined(a, e, term);
  case TERM_MUL:
    return scaled(a, e, term);
  case TERM_NEG:
    return smt_sub(a->smt, smt_real_zero(a->smt), attack_time(a, e, term->args[0]));
  case TERM_ITE:
    return smt_if(a->smt, attack_residual(a, e, term->args[0]), attack_time(a, e, term->args[1]),
                  attack_time(a, e, term->args[2]));
  default:
    return lost(a);
  }
}

struct expansion {
  struct attack *attack;
  const struct term *body;
  bool forall;
  smt_term result;
};

static bool visit(const struct interpretation *e, void *context) {
  struct expansion *q = context;
  smt_term here = attack_residual(q->attack, e, q->body);
  struct smt *smt = q->attack->smt;
  q->result = q->forall ? smt_and2(smt, q->result, here) : smt_or2(smt, q->result, here);
  return true;
}

static smt_term quantified(struct attack *a, const struct interpretation *e,
                           const struct term *term) {
  bool forall = term->kind == TERM_FORALL;
  struct expansion q = {a, term->args[0], forall, smt_bool(a->smt, forall)};
  evaluate_each(e, term->variables, term->variable_count, visit, &q);
  return q.result;
}

static smt_term comparison(struct attack *a, const struct interpretation *e,
                           const struct term *term) {
  struct smt *smt = a->smt;
  bool times = term->args[0]->type.kind == TYPE_TIME,
       truths = term->args[0]->type.kind == TYPE_BOOL;
  if (!times && !truths) {
    lost(a);
    return smt_bool(smt, false);
  }
  smt_term x = times ? attack_time(a, e, term->args[0]) : attack_residual(a, e, term->args[0]);
  smt_term y = times ? attack_time(a, e, term->args[1]) : attack_residual(a, e, term->args[1]);
  switch (term->kind) {
  case TERM_EQ:
  case TERM_IFF:
    return smt_equal(smt, x, y);
  case TERM_NE:
    return smt_not(smt, smt_equal(smt, x, y));
  case TERM_LT:
    return smt_lt(smt, x, y);
  case TERM_LE:
    return smt_le(smt, x, y);
  case TERM_GT:
    return smt_lt(smt, y, x);
  default:
    return smt_le(smt, y, x);
  }
}

smt_term attack_residual(struct attack *a, const struct interpretation *e,
                         const struct term *term) {
  struct smt *smt = a->smt;
  enum truth known = evaluate_truth(e, term);
  if (known != TRUTH_OPEN)
    return smt_bool(smt, known == TRUTH_TRUE);
  switch (term->kind) {
  case TERM_NOT:
    return smt_not(smt, attack_residual(a, e, term->args[0]));
  case TERM_AND:
    return smt_and2(smt, attack_residual(a, e, term->args[0]),
                    attack_residual(a, e, term->args[1]));
  case TERM_OR:
    return smt_or2(smt, attack_residual(a, e, term->args[0]), attack_residual(a, e, term->args[1]));
  case TERM_IMPLIES:
    return smt_implies(smt, attack_residual(a, e, term->args[0]),
                       attack_residual(a, e, term->args[1]));
  case TERM_ITE:
    return smt_if(smt, attack_residual(a, e, term->args[0]), attack_residual(a, e, term->args[1]),
                  attack_residual(a, e, term->args[2]));
  case TERM_FORALL:
  case TERM_EXISTS:
    return quantified(a, e, term);
  default:
    return comparison(a, e, term);
  }
}
