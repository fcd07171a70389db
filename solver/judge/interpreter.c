/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/judge/interpreter.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "solver/judge/evaluate.h"
#include "lang/term_time.h"
#include "solver/judge/valuation.h"

static bool reads_others(const struct term *term, const struct variable *self) {
  switch (term->kind) {
  case TERM_SENT:
  case TERM_PENDING:
  case TERM_RECEIVED:
  case TERM_LOST:
  case TERM_RECEIVER:
  case TERM_CHARGED:
    return true;
  case TERM_STATE:
    if (term->args[0]->kind != TERM_VARIABLE || term->args[0]->variable != self)
      return term->args[0]->kind != TERM_NODE || term->args[0]->type.role != self->type.role;
    break;
  default:
    break;
  }
  for (size_t i = 0; i < term->variable_count; i++) {
    const struct variable *v = term->variables[i];
    if (v->domain == DOMAIN_SET && reads_others(v->set, self))
      return true;
    if (v->domain == DOMAIN_RANGE && (reads_others(v->low, self) || reads_others(v->high, self)))
      return true;
  }
  for (size_t i = 0; i < term->count; i++)
    if (reads_others(term->args[i], self))
      return true;
  return false;
}

static bool any_reads_others(const struct term **terms, size_t count, const struct variable *self) {
  for (size_t i = 0; i < count; i++)
    if (terms[i] != NULL && reads_others(terms[i], self))
      return true;
  return false;
}

static bool statement_reads_others(const struct statement *s, const struct variable *self);

static bool block_reads_others(const struct block *block, const struct variable *self) {
  for (size_t i = 0; i < block->count; i++)
    if (statement_reads_others(block->statements[i], self))
      return true;
  return false;
}

static bool statement_reads_others(const struct statement *s, const struct variable *self) {
  const struct term *parts[] = {s->key, s->value, s->condition, s->to};
  if (any_reads_others(parts, sizeof parts / sizeof *parts, self) ||
      any_reads_others(s->args, s->arg_count, self))
    return true;
  for (size_t i = 0; i < s->variable_count; i++) {
    const struct variable *v = s->variables[i];
    const struct term *limits[] = {v->domain == DOMAIN_SET ? v->set : NULL,
                                   v->domain == DOMAIN_RANGE ? v->low : NULL,
                                   v->domain == DOMAIN_RANGE ? v->high : NULL};
    if (any_reads_others(limits, sizeof limits / sizeof *limits, self))
      return true;
  }
  return block_reads_others(&s->then_block, self) || block_reads_others(&s->else_block, self);
}

static bool domain_reads_others(const struct variable *v, const struct variable *self) {
  const struct term *limits[] = {v->domain == DOMAIN_SET ? v->set : NULL,
                                 v->domain == DOMAIN_RANGE ? v->low : NULL,
                                 v->domain == DOMAIN_RANGE ? v->high : NULL};
  return any_reads_others(limits, sizeof limits / sizeof *limits, self);
}

static bool action_reads_others(const struct action *action) {
  for (size_t i = 0; i < action->choice_count; i++)
    if (domain_reads_others(action->choices[i], action->node))
      return true;
  for (size_t i = 0; action->batches != NULL && i < action->cost_count; i++)
    if (action->batches[i] != NULL && domain_reads_others(action->batches[i], action->node))
      return true;
  return any_reads_others(action->guards, action->guard_count, action->node) ||
         any_reads_others(action->costs, action->cost_count, action->node) ||
         (action->conditions != NULL &&
          any_reads_others(action->conditions, action->cost_count, action->node)) ||
         (action->timer != NULL && reads_others(action->timer, action->node)) ||
         block_reads_others(&action->body, action->node);
}

static bool guards_mention_times(const struct action *action) {
  for (size_t i = 0; i < action->guard_count; i++)
    if (term_mentions_time(action->guards[i]))
      return true;
  return false;
}

static bool is_idle(const struct action *action) {
  for (size_t i = 0; i < action->cost_count; i++)
    if (!action->costs[i]->component->repeated)
      return false;
  return action->message == NULL && (action->idle || action->body.count == 0);
}

static bool fits(const struct model *model, struct text *message) {
  for (size_t i = 0; i < model->messages.count; i++)
    if (model->messages.items[i]->field_count > INDEX_COUNT_MAX) {
      text_format(message, "message %s has more than %d fields, too many to execute",
                  model->messages.items[i]->name, INDEX_COUNT_MAX);
      return false;
    }
  for (size_t i = 0; i < model->components.count; i++)
    if (model->components.items[i]->index_count > INDEX_COUNT_MAX) {
      text_format(message, "component %s has more than %d indices, too many to execute",
                  model->components.items[i]->name, INDEX_COUNT_MAX);
      return false;
    }
  return true;
}

static bool assumptions_over_params_hold(struct interpreter *in, struct text *message) {
  struct interpretation e = {.interpreter = in, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->assumptions.count; i++) {
    const struct assumption *a = in->model->assumptions.items[i];
    if (!term_mentions_time(a->formula) && !evaluate_holds(&e, a->formula)) {
      text_format(message, "the parameters break the assumption %s", a->text);
      return false;
    }
  }
  if (in->overflow)
    text_append(message, "the parameters are too large to execute");
  return !in->overflow;
}

static bool size_roles(struct interpreter *in, struct text *message) {
  struct interpretation e = {.interpreter = in, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->roles.count; i++) {
    const struct role *role = in->model->roles.items[i];
    int64_t size = role->count == NULL ? 1 : evaluate_scalar(&e, role->count);
    if (size < 1 || size > FAMILY_SIZE_MAX || in->overflow) {
      text_format(message, "%s has %" PRId64 " nodes; only 1 to %d can be executed", role->name,
                  size, FAMILY_SIZE_MAX);
      return false;
    }
    in->role_sizes[i] = size;
    in->node_offsets[i] = in->node_count;
    in->node_count += (size_t)size;
  }
  return true;
}

static void lay_out_states(struct interpreter *in) {
  for (size_t i = 0; i < in->model->states.count; i++) {
    const struct state *state = in->model->states.items[i];
    bool map = state->type.kind == TYPE_MAP;
    in->cell_widths[i] = map ? (size_t)in->role_sizes[state->type.role->id] : 1;
    size_t count = in->cell_widths[i] * (size_t)in->role_sizes[state->role->id];
    bool timed = state->type.kind == TYPE_TIME;
    in->cell_offsets[i] = in->cell_count;
    in->time_offsets[i] = in->time_count;
    in->cell_count += timed ? 0 : count;
    in->time_count += timed ? count : 0;
  }
}

struct interpreter *interpreter_new(const struct model *model, const int64_t *params,
                                    struct text *message) {
  if (!fits(model, message))
    return NULL;
  struct interpreter *in = mem_alloc(1, sizeof *in);
  in->model = model;
  expression_table_init(&in->table);
  in->params = mem_alloc(model->params.count, sizeof *in->params);
  in->role_sizes = mem_alloc(model->roles.count, sizeof *in->role_sizes);
  in->node_offsets = mem_alloc(model->roles.count, sizeof *in->node_offsets);
  in->cell_offsets = mem_alloc(model->states.count, sizeof *in->cell_offsets);
  in->cell_widths = mem_alloc(model->states.count, sizeof *in->cell_widths);
  in->time_offsets = mem_alloc(model->states.count, sizeof *in->time_offsets);
  in->reads_others = mem_alloc(model->actions.count, sizeof *in->reads_others);
  in->idles = mem_alloc(model->actions.count, sizeof *in->idles);
  in->times_guards = mem_alloc(model->actions.count, sizeof *in->times_guards);
  in->scratch = mem_alloc(model->variable_count, sizeof *in->scratch);
  if (model->params.count != 0)
    memcpy(in->params, params, model->params.count * sizeof *params);
  if (!assumptions_over_params_hold(in, message) || !size_roles(in, message)) {
    interpreter_free(in);
    return NULL;
  }
  lay_out_states(in);
  for (size_t i = 0; i < model->actions.count; i++) {
    in->reads_others[i] = action_reads_others(model->actions.items[i]);
    in->times_guards[i] = guards_mention_times(model->actions.items[i]);
    in->idles[i] = !in->reads_others[i] && is_idle(model->actions.items[i]);
  }
  return in;
}

void interpreter_free(struct interpreter *in) {
  if (in == NULL)
    return;
  expression_table_clear(&in->table);
  mem_free(in->params);
  mem_free(in->role_sizes);
  mem_free(in->node_offsets);
  mem_free(in->cell_offsets);
  mem_free(in->cell_widths);
  mem_free(in->time_offsets);
  mem_free(in->reads_others);
  mem_free(in->idles);
  mem_free(in->times_guards);
  mem_free(in->scratch);
  mem_free(in);
}

size_t interpreter_node(const struct interpreter *in, const struct role *role, int64_t node) {
  return in->node_offsets[role->id] + (size_t)node;
}

const struct occurrence *interpreter_cost(struct interpreter *in, const struct component *component,
                                          const int64_t *indices) {
  return expression_occurrence(&in->table, component->name, NULL, indices, component->index_count);
}

const struct occurrence *interpreter_delay(struct interpreter *in, const struct message *message,
                                           const int64_t *fields) {
  return expression_occurrence(&in->table, message->delay->name, message->name, fields,
                               message->field_count);
}

const struct occurrence *interpreter_wait(struct interpreter *in, const struct message *message,
                                          const int64_t *fields) {
  if (in->model->queueing == NULL)
    return NULL;
  return expression_occurrence(&in->table, in->model->queueing->name, message->name, fields,
                               message->field_count);
}

const struct occurrence *interpreter_execution(struct interpreter *in,
                                               const struct component *component, size_t step,
                                               size_t choice) {
  int64_t indices[] = {(int64_t)step, (int64_t)choice};
  return expression_occurrence(&in->table, component->name, NULL, indices, 2);
}

const struct occurrence *interpreter_read(struct interpreter *in, size_t step) {
  int64_t index = (int64_t)step;
  return expression_occurrence(&in->table, VALUES_CLOCK_READ, NULL, &index, 1);
}

bool interpreter_assumptions_hold(struct interpreter *in, const struct valuation *valuation,
                                  const struct assumption **broken) {
  struct interpretation e = {.interpreter = in, .valuation = valuation, .bindings = in->scratch};
  for (size_t i = 0; i < in->model->assumptions.count; i++)
    if (!evaluate_holds(&e, in->model->assumptions.items[i]->formula)) {
      *broken = in->model->assumptions.items[i];
      return false;
    }
  return true;
}

void interpreter_print_node(struct text *text, const struct role *role, int64_t node) {
  text_append(text, role->name);
  if (role->count != NULL)
    text_format(text, "[%" PRId64 "]", node);
}

static void print_set(struct text *text, const struct role *role, uint64_t members) {
  const char *separator = "";
  text_append(text, "{");
  for (int64_t i = 0; i < FAMILY_SIZE_MAX; i++)
    if (members >> i & 1) {
      text_append(text, separator);
      interpreter_print_node(text, role, i);
      separator = ", ";
    }
  text_append(text, "}");
}

void interpreter_print_value(struct text *text, const struct type *type, int64_t value) {
  switch (type->kind) {
  case TYPE_BOOL:
    text_append(text, value ? "true" : "false");
    return;
  case TYPE_ENUM: /* of a state that need not be reachable: any number */
    if (value >= 0 && (uint64_t)value < type->enumeration->count)
      text_append(text, type->enumeration->values[value]);
    else
      text_format(text, "%" PRId64, value);
    return;
  case TYPE_NODE:
    interpreter_print_node(text, type->role, value);
    return;
  case TYPE_SET:
    print_set(text, type->role, (uint64_t)value);
    return;
  case TYPE_MAP:
    interpreter_print_value(text, type->element, value);
    return;
  case TYPE_INT:
  case TYPE_TIME:
  case TYPE_ERROR:
    text_format(text, "%" PRId64, value);
    return;
  }
}

void interpreter_print_message(struct text *text, const struct message *message,
                               const int64_t *fields) {
  text_append(text, message->name);
  for (size_t i = 0; i < message->field_count; i++)
    text_format(text, "%s%" PRId64, i == 0 ? "(" : ", ", fields[i]);
  if (message->field_count != 0)
    text_append(text, ")");
}
