/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The exact value of a term of time in a concrete world (evaluate.h).
 */
#include <stdlib.h>

#include "solver/judge/evaluate.h"
#include "solver/judge/valuation.h"

struct term_fold {
  const struct term *term;
  struct rational *result;
  bool empty;
};

static bool fold_value(const struct interpretation *e, void *context) {
  struct term_fold *fold = context;
  struct rational value;
  rational_init(&value);
  evaluate_time(&value, e, fold->term->args[0]);
  if (fold->term->kind == TERM_SUM_OVER)
    rational_add(fold->result, fold->result, &value);
  else if (fold->empty)
    rational_set(fold->result, &value);
  else if (fold->term->kind == TERM_MAX_OVER)
    rational_max(fold->result, fold->result, &value);
  else
    rational_min(fold->result, fold->result, &value);
  fold->empty = false;
  rational_clear(&value);
  return true;
}

static void time_over(struct rational *result, const struct interpretation *e,
                      const struct term *term) {
  struct term_fold fold = {term, result, true};
  rational_set_integer(result, 0);
  evaluate_each(e, term->variables, term->variable_count, fold_value, &fold);
}

struct ranked {
  const struct term *body;
  VECTOR(struct rational) values;
};

static bool add_ranked(const struct interpretation *e, void *context) {
  struct ranked *ranked = context;
  struct rational value;
  rational_init(&value);
  evaluate_time(&value, e, ranked->body);
  vector_push(&ranked->values, value);
  return true;
}

static int compare_values(const void *a, const void *b) {
  return rational_compare(a, b);
}

/* A rank beyond the number of members has no specified value: the largest is taken. */
static void time_of_rank(struct rational *result, const struct interpretation *e,
                         const struct term *term) {
  struct ranked ranked = {.body = term->args[0]};
  int64_t rank = evaluate_scalar(e, term->args[1]);
  evaluate_each(e, term->variables, term->variable_count, add_ranked, &ranked);
  rational_set_integer(result, 0);
  int64_t count = (int64_t)ranked.values.count;
  if (rank >= 1 && count != 0) {
    qsort(ranked.values.data, ranked.values.count, sizeof *ranked.values.data, compare_values);
    rational_set(result, &ranked.values.data[(rank < count ? rank : count) - 1]);
  }
  for (size_t i = 0; i < ranked.values.count; i++)
    rational_clear(&ranked.values.data[i]);
  vector_clear(&ranked.values);
}

static void time_combined(struct rational *result, const struct interpretation *e,
                          const struct term *term) {
  struct rational right;
  rational_init(&right);
  if (term->kind == TERM_MUL)
    rational_set_integer(result, evaluate_scalar(e, term->args[0]));
  else
    evaluate_time(result, e, term->args[0]);
  for (size_t i = 1; i < term->count; i++) {
    evaluate_time(&right, e, term->args[i]);
    if (term->kind == TERM_ADD)
      rational_add(result, result, &right);
    else if (term->kind == TERM_SUB)
      rational_sub(result, result, &right);
    else if (term->kind == TERM_MUL)
      rational_mul(result, result, &right);
    else if (term->kind == TERM_MAX)
      rational_max(result, result, &right);
    else
      rational_min(result, result, &right);
  }
  rational_clear(&right);
}

static void time_negated(struct rational *result, const struct interpretation *e,
                         const struct term *term) {
  struct rational minus_one;
  rational_init(&minus_one);
  rational_set_integer(&minus_one, -1);
  evaluate_time(result, e, term->args[0]);
  rational_mul(result, result, &minus_one);
  rational_clear(&minus_one);
}

static void time_of_occurrence(struct rational *result, const struct interpretation *e,
                               const struct term *term) {
  int64_t indices[INDEX_COUNT_MAX];
  for (size_t i = 0; i < term->count; i++)
    indices[i] = evaluate_scalar(e, term->args[i]);
  const struct occurrence *o;
  if (term->kind == TERM_OCCURRENCE)
    o = interpreter_cost(e->interpreter, term->component, indices);
  else if (term->component == e->interpreter->model->queueing)
    o = interpreter_wait(e->interpreter, term->message, indices);
  else
    o = interpreter_delay(e->interpreter, term->message, indices);
  rational_set(result, e->valuation->term(o, e->valuation->context));
}

static void time_known(struct rational *result, const struct rational *value, const char *what) {
  if (value == NULL)
    bug("no value for %s", what);
  rational_set(result, value);
}

static void time_of_bare(struct rational *result, const struct interpretation *e,
                         const struct term *term) {
  time_known(result, e->valuation->bare(term->component, e->valuation->context),
             term->component->name);
}

static void time_of_message(struct rational *result, const struct interpretation *e,
                            const struct term *term) {
  int64_t fields[INDEX_COUNT_MAX];
  for (size_t i = 0; i < term->count; i++)
    fields[i] = evaluate_scalar(e, term->args[i]);
  const struct world_message *m = world_message(e->world, term->message, fields);
  if (m == NULL)
    rational_set_integer(result, 0);
  else
    rational_set(result, term->kind == TERM_PACED    ? &m->paced
                         : term->kind == TERM_HANDED ? &m->sent_at
                                                     : &m->delivered);
}

/* What the world keeps as a time of its own, and what the evaluation is told. */
static void time_of_state(struct rational *result, const struct interpretation *e,
                          const struct term *term) {
  switch (term->kind) {
  case TERM_TIME_NODE:
    rational_set(
        result, world_clock(e->world, term->args[0]->type.role, evaluate_scalar(e, term->args[0])));
    return;
  case TERM_ARRIVAL:
    rational_set(result, world_arrival(e->world, term->args[0]->type.role,
                                       evaluate_scalar(e, term->args[0])));
    return;
  case TERM_NOW:
    rational_set(result, &e->world->now);
    return;
  case TERM_BEGAN:
    time_known(result, e->began, "the start of a phase");
    return;
  case TERM_VARIABLE:
    time_known(result, e->read, term->variable->name);
    return;
  case TERM_STATE:
    rational_set(result, world_time(e->world, term->state, evaluate_scalar(e, term->args[0])));
    return;
  default:
    bug("a term of kind %d is no time of a state", (int)term->kind);
  }
}

void evaluate_time(struct rational *result, const struct interpretation *e,
                   const struct term *term) {
  switch (term->kind) {
  case TERM_TIME:
    rational_set(result, &term->value);
    return;
  case TERM_TIME_NODE:
  case TERM_ARRIVAL:
  case TERM_NOW:
  case TERM_BEGAN:
  case TERM_VARIABLE:
  case TERM_STATE:
    time_of_state(result, e, term);
    return;
  case TERM_TIME_MESSAGE:
  case TERM_PACED:
  case TERM_HANDED:
    time_of_message(result, e, term);
    return;
  case TERM_OCCURRENCE:
  case TERM_DELAY:
    time_of_occurrence(result, e, term);
    return;
  case TERM_BARE:
    time_of_bare(result, e, term);
    return;
  case TERM_ITE:
    evaluate_time(result, e, term->args[evaluate_holds(e, term->args[0]) ? 1 : 2]);
    return;
  case TERM_ADD:
  case TERM_SUB:
  case TERM_MUL:
  case TERM_MAX:
  case TERM_MIN:
    time_combined(result, e, term);
    return;
  case TERM_NEG:
    time_negated(result, e, term);
    return;
  case TERM_MAX_OVER:
  case TERM_MIN_OVER:
  case TERM_SUM_OVER:
    time_over(result, e, term);
    return;
  case TERM_KTH_OVER:
    time_of_rank(result, e, term);
    return;
  default:
    bug("a term of kind %d is no time", (int)term->kind);
  }
}
