/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Where the times of an action may stand: control depends on clocks through guards alone, and on
 * nothing that the action could not read off its own clock (model.h). */
#include "lang/checker.h"

static void report(struct checker *checker, const struct term *term, const char *message,
                   const char *hint) {
  struct diagnostic *d = REPORT(checker, E0438, term->span, "%s", message);
  diagnostic_hint(d, "%s", hint);
}

void check_time_value(struct checker *checker, const struct term *term) {
  switch (term->kind) {
  case TERM_VARIABLE:
  case TERM_STATE:
  case TERM_TIME:
  case TERM_BARE:
    return;
  case TERM_MUL:
    if (term->args[0]->kind != TERM_INT && term->args[0]->kind != TERM_POWER) {
      report(checker, term->args[0], "here a time is multiplied by a number or a power only",
             "write the number, or add the time up");
      return;
    }
    check_time_value(checker, term->args[1]);
    return;
  case TERM_ADD:
  case TERM_SUB:
  case TERM_MAX:
  case TERM_MIN:
    for (size_t i = 0; i < term->count; i++)
      check_time_value(checker, term->args[i]);
    return;
  default:
    if (term->type.kind != TYPE_ERROR)
      report(checker, term, "this time cannot be computed here",
             "an action adds and subtracts clock reads, its states of type time, durations and "
             "parameters of type time, and takes max and min of them");
  }
}

static void check_domains(struct checker *checker, const struct variable *const *variables,
                          size_t count) {
  for (size_t i = 0; i < count; i++) {
    const struct variable *v = variables[i];
    if (v->set != NULL)
      check_no_time(checker, v->set);
    if (v->low != NULL)
      check_no_time(checker, v->low);
    if (v->high != NULL)
      check_no_time(checker, v->high);
  }
}

void check_no_time(struct checker *checker, const struct term *term) {
  bool compares = term->count == 2 && term->args[0]->type.kind == TYPE_TIME;
  if (term->type.kind == TYPE_TIME || compares) {
    report(checker, term, "what this action does would depend on a time here",
           "times stand in comparisons of guards, in timers and in values of states of type time");
    return;
  }
  check_domains(checker, term->variables, term->variable_count);
  for (size_t i = 0; i < term->count; i++)
    check_no_time(checker, term->args[i]);
}

void check_guard_times(struct checker *checker, const struct term *term) {
  switch (term->kind) {
  case TERM_EQ:
  case TERM_NE:
  case TERM_LT:
  case TERM_LE:
  case TERM_GT:
  case TERM_GE:
    if (term->args[0]->type.kind != TYPE_TIME) {
      check_no_time(checker, term);
      return;
    }
    check_time_value(checker, term->args[0]);
    check_time_value(checker, term->args[1]);
    return;
  case TERM_NOT:
  case TERM_AND:
  case TERM_OR:
  case TERM_IMPLIES:
  case TERM_IFF:
  case TERM_FORALL:
  case TERM_EXISTS:
    check_domains(checker, term->variables, term->variable_count);
    for (size_t i = 0; i < term->count; i++)
      check_guard_times(checker, term->args[i]);
    return;
  default:
    check_no_time(checker, term);
  }
}

static void check_statement(struct checker *checker, const struct statement *s) {
  if (s->key != NULL)
    check_no_time(checker, s->key);
  if (s->value != NULL && s->state->type.kind == TYPE_TIME)
    check_time_value(checker, s->value);
  else if (s->value != NULL)
    check_no_time(checker, s->value);
  if (s->condition != NULL)
    check_no_time(checker, s->condition);
  check_block_times(checker, &s->then_block);
  check_block_times(checker, &s->else_block);
  for (size_t i = 0; i < s->arg_count; i++)
    check_no_time(checker, s->args[i]);
  if (s->to != NULL)
    check_no_time(checker, s->to);
  check_domains(checker, s->variables, s->variable_count);
}

void check_block_times(struct checker *checker, const struct block *block) {
  for (size_t i = 0; i < block->count; i++)
    check_statement(checker, block->statements[i]);
}
