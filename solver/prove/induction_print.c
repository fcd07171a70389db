/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A counterexample to induction in the user's names. */
#include "solver/judge/step.h"
#include "solver/prove/explanation.h"

#include <inttypes.h>
#include <string.h>

int64_t explanation_size(struct induction_search *x, const struct type *type) {
  int64_t size = 1;
  if (type->kind == TYPE_NODE)
    smt_is_numeral(x->session.encoder.smt, encode_role_size(&x->session.encoder, type->role),
                   &size);
  return size;
}

int64_t explanation_value(struct induction_search *x, smt_term term, const struct type *type) {
  int64_t value = 0;
  if (type->kind == TYPE_BOOL)
    return smt_value_bool(x->session.encoder.smt, term);
  smt_value_int(x->session.encoder.smt, term, &value);
  return value;
}

smt_term explanation_literal(struct induction_search *x, const struct type *type, int64_t value) {
  return type->kind == TYPE_BOOL ? smt_bool(x->session.encoder.smt, value != 0)
                                 : smt_int(x->session.encoder.smt, value);
}

size_t explanation_fields(const struct message *message, struct type *types) {
  for (size_t i = 0; i < message->field_count; i++)
    types[i] = message->fields[i].type;
  return message->field_count;
}

bool explanation_is_charged(const struct component *component) {
  return component->kind == COMPONENT_STEP && !component->repeated &&
         component->index_count <= INDEX_COUNT_MAX;
}

static int64_t last_value(struct induction_search *x, const struct type *type) {
  return type->kind == TYPE_INT    ? SCOPE_MOST
         : type->kind == TYPE_BOOL ? 1
         : type->kind == TYPE_ENUM ? (int64_t)type->enumeration->count - 1
                                   : explanation_size(x, type) - 1;
}

void explanation_identities(struct induction_search *x, const struct type *types, size_t count,
                            identity_visit visit, void *context) {
  int64_t values[INDEX_COUNT_MAX] = {0};
  smt_term terms[INDEX_COUNT_MAX] = {NULL};
  for (size_t i = 0; i < count; i++)
    values[i] = types[i].kind == TYPE_INT ? SCOPE_LEAST + 1 : 0;
  for (;;) {
    for (size_t i = 0; i < count; i++)
      terms[i] = explanation_literal(x, &types[i], values[i]);
    visit(x, values, terms, context);
    size_t i = 0;
    for (; i < count && values[i] == last_value(x, &types[i]); i++)
      values[i] = types[i].kind == TYPE_INT ? SCOPE_LEAST + 1 : 0;
    if (i == count)
      return;
    values[i]++;
  }
}

static void append_time(struct induction_search *x, smt_term time) {
  struct rational value;
  rational_init(&value);
  if (smt_value_real(x->session.encoder.smt, time, &value))
    rational_print_short(x->text, &value);
  else
    text_append(x->text, "?");
  rational_clear(&value);
}

static void append_state_value(struct induction_search *x, const struct symbolic *at,
                               const struct state *state, smt_term node) {
  struct encoder *e = &x->session.encoder;
  const struct type *type = &state->type;
  struct type key = {.kind = TYPE_NODE, .role = type->role};
  if (type->kind == TYPE_SET) {
    int64_t members = 0;
    for (int64_t i = 0; i < explanation_size(x, &key) && i < 63; i++)
      if (smt_value_bool(e->smt, symbolic_member(e, at, state, node, smt_int(e->smt, i))))
        members |= INT64_C(1) << i;
    interpreter_print_value(x->text, type, members);
  } else if (type->kind == TYPE_MAP) {
    for (int64_t i = 0; i < explanation_size(x, &key); i++) {
      text_format(x->text, "%s%" PRId64 ": ", i == 0 ? "[" : ", ", i);
      smt_term element = symbolic_get(e, at, state, node, smt_int(e->smt, i));
      interpreter_print_value(x->text, type->element, explanation_value(x, element, type->element));
    }
    text_append(x->text, "]");
  } else if (type->kind == TYPE_TIME) {
    append_time(x, symbolic_read(e, at, state, node));
  } else {
    interpreter_print_value(x->text, type,
                            explanation_value(x, symbolic_read(e, at, state, node), type));
  }
}

/* Notes a time of the first state shown; `name` is emptied. */
static void note_time(struct induction_search *x, const struct symbolic *at, smt_term term,
                      struct text *name) {
  if (at == x->session.before)
    vector_push(&x->times, (struct named_time){term, text_take(name)});
  text_clear(name);
}

/* Prints a time of the state at hand; the name is emptied. */
static void append_named(struct induction_search *x, const struct symbolic *at, smt_term term,
                         struct text *name) {
  append_time(x, term);
  note_time(x, at, term, name);
}

static void name_node(struct text *name, const char *function, const struct role *role,
                      int64_t node) {
  text_init(name);
  text_format(name, "%s(", function);
  interpreter_print_node(name, role, node);
  text_append(name, ")");
}

static void append_node(struct induction_search *x, const struct symbolic *at,
                        const struct role *role, int64_t node) {
  const struct model *model = x->proof->properties.model;
  struct encoder *e = &x->session.encoder;
  smt_term value = smt_int(e->smt, node);
  struct text name;
  text_append(x->text, "      ");
  interpreter_print_node(x->text, role, node);
  text_append(x->text, ": clock ");
  name_node(&name, "time", role, node);
  append_named(x, at, symbolic_clock(e, at, role, value), &name);
  if (model->timing == TIMING_ADVANCED) {
    text_append(x->text, ", arrival ");
    name_node(&name, "arrival", role, node);
    append_named(x, at, symbolic_arrival(e, at, role, value), &name);
  }
  for (size_t i = 0; i < model->states.count; i++) {
    const struct state *state = model->states.items[i];
    if (state->role != role)
      continue;
    text_format(x->text, ", %s = ", state->name);
    append_state_value(x, at, state, value);
  }
  text_append(x->text, "\n");
}

/* M(0, true, done): nodes by their numbers, as everywhere. */
static void append_identity(struct text *text, const char *name, const struct type *types,
                            size_t count, const int64_t *values, const char *around) {
  text_append(text, name);
  for (size_t i = 0; i < count; i++) {
    text_format(text, "%s", i == 0 ? "" : ", ");
    if (i == 0)
      text_append_bytes(text, around, 1);
    if (types[i].kind == TYPE_BOOL || types[i].kind == TYPE_ENUM)
      interpreter_print_value(text, &types[i], values[i]);
    else
      text_format(text, "%" PRId64, values[i]);
  }
  if (count != 0)
    text_append_bytes(text, around + 1, 1);
}

static void name_message(struct text *text, const struct message *message, const int64_t *values) {
  struct type types[INDEX_COUNT_MAX];
  size_t count = explanation_fields(message, types);
  append_identity(text, message->name, types, count, values, "()");
}

struct shown {
  const struct symbolic *at;
  const struct message *message; /* or */
  const struct component *component;
  size_t charges; /* printed */
};

/* Who receives it, where the name does not say. */
static void append_receiver(struct induction_search *x, const struct shown *s,
                            const smt_term *fields) {
  const struct message *m = s->message;
  if (m->receiver_field >= 0 || m->receiver->count == NULL)
    return;
  struct type type = {.kind = TYPE_NODE, .role = m->receiver};
  smt_term receiver = symbolic_receiver(&x->session.encoder, s->at, m, fields);
  text_append(x->text, " to ");
  interpreter_print_node(x->text, m->receiver, explanation_value(x, receiver, &type));
}

static void append_message(struct induction_search *x, const int64_t *values,
                           const smt_term *fields, void *context) {
  const struct shown *s = context;
  struct encoder *e = &x->session.encoder;
  const struct message *m = s->message;
  if (!smt_value_bool(e->smt, symbolic_sent(e, s->at, m, fields)))
    return;
  text_append(x->text, "      ");
  name_message(x->text, m, values);
  append_receiver(x, s, fields);
  bool gone = smt_value_bool(e->smt, symbolic_gone(e, s->at, m, fields));
  bool lost = m->loss != NULL && smt_value_bool(e->smt, symbolic_lost(e, s->at, m, fields));
  text_format(x->text, ": %s", lost ? "lost" : gone ? "received" : "pending");
  if (m->fifo) {
    struct type number = {.kind = TYPE_INT};
    text_format(x->text, ", sent as number %" PRId64,
                explanation_value(x, symbolic_order(e, s->at, m, fields), &number));
  }
  text_append(x->text, ", delivery at ");
  struct text name;
  text_init(&name);
  text_append(&name, "time(");
  name_message(&name, m, values);
  text_append(&name, ")");
  append_named(x, s->at, symbolic_delivery(e, s->at, m, fields), &name);
  if (m->pacer != NULL && m->pacer->holds) {
    text_append(x->text, ", handed over at ");
    text_init(&name);
    text_append(&name, "handed(");
    name_message(&name, m, values);
    text_append(&name, ")");
    append_named(x, s->at, symbolic_handed(e, s->at, m, fields), &name);
  }
  if (m->pacer != NULL) {
    text_append(x->text, ", let go at ");
    text_init(&name);
    text_append(&name, "paced(");
    name_message(&name, m, values);
    text_append(&name, ")");
    append_named(x, s->at, symbolic_paced(e, s->at, m, fields), &name);
  }
  text_append(x->text, "\n");
}

static void append_charge(struct induction_search *x, const int64_t *values,
                          const smt_term *indices, void *context) {
  struct shown *s = context;
  struct encoder *e = &x->session.encoder;
  const struct component *c = s->component;
  if (!smt_value_bool(e->smt, symbolic_charged(e, s->at, c, indices)))
    return;
  text_append(x->text, s->charges++ == 0 ? "      charged: " : ", ");
  append_identity(x->text, c->name, c->index, c->index_count, values, "[]");
}

static void append_charges(struct induction_search *x, const struct symbolic *at) {
  const struct model *model = x->proof->properties.model;
  struct shown shown = {.at = at};
  for (size_t i = 0; i < model->components.count; i++) {
    shown.component = model->components.items[i];
    if (explanation_is_charged(shown.component))
      explanation_identities(x, shown.component->index, shown.component->index_count, append_charge,
                             &shown);
  }
  if (shown.charges != 0)
    text_append(x->text, "\n");
}

static void append_now(struct induction_search *x, const struct symbolic *at) {
  struct text name;
  text_init(&name);
  text_append(&name, "now");
  text_append(x->text, "      now ");
  append_named(x, at, symbolic_now(&x->session.encoder, at), &name);
  text_append(x->text, "\n");
}

static void append_world(struct induction_search *x, const struct symbolic *at) {
  const struct model *model = x->proof->properties.model;
  struct type types[INDEX_COUNT_MAX];
  if (model->timing == TIMING_EAGER)
    append_now(x, at);
  for (size_t r = 0; r < model->roles.count; r++) {
    const struct role *role = model->roles.items[r];
    struct type type = {.kind = TYPE_NODE, .role = role};
    for (int64_t i = 0; !role->external && i < explanation_size(x, &type); i++)
      append_node(x, at, role, i);
  }
  for (size_t m = 0; m < model->messages.count; m++) {
    struct shown shown = {.at = at, .message = model->messages.items[m]};
    if (shown.message->field_count <= INDEX_COUNT_MAX)
      explanation_identities(x, types, explanation_fields(shown.message, types), append_message,
                             &shown);
  }
  append_charges(x, at);
}

/* One occurrence that the step charges, and how long it takes. */
static void append_cost(struct induction_search *x, const struct term *cost, size_t *shown) {
  struct encoder *e = &x->session.encoder;
  int64_t values[INDEX_COUNT_MAX];
  smt_term indices[INDEX_COUNT_MAX];
  for (size_t k = 0; k < cost->count; k++) {
    indices[k] = encode(e, cost->args[k], x->session.transition.before);
    values[k] = explanation_value(x, indices[k], &cost->component->index[k]);
  }
  text_append(x->text, (*shown)++ == 0 ? "      it takes " : ", ");
  append_identity(x->text, cost->component->name, cost->component->index, cost->count, values,
                  "[]");
  text_append(x->text, " = ");
  append_time(x, encode_occurrence(e, cost->component, NULL, indices, cost->count));
}

static void append_batch(struct induction_search *x, const struct variable *batch,
                         const struct term *cost, size_t *shown) {
  struct encoder *e = &x->session.encoder;
  const struct symbolic *before = x->session.transition.before;
  int64_t low, high;
  encode_scope_range(e, batch, before, &low, &high);
  for (int64_t i = low; i <= high; i++) {
    smt_term value = smt_int(e->smt, i), saved = encoder_let(e, batch, value);
    if (smt_value_bool(e->smt, encode_in_domain(e, batch, value, before)))
      append_cost(x, cost, shown);
    encoder_let(e, batch, saved);
  }
}

/* What the step costs, and how late it may be. */
static void append_costs(struct induction_search *x, const int64_t *received) {
  struct encoder *e = &x->session.encoder;
  const struct transition *t = &x->session.transition;
  const struct action *action = x->obligation->action;
  const struct component *queueing = x->proof->properties.model->queueing;
  size_t shown = 0;
  for (size_t i = 0; i < action->cost_count; i++) {
    const struct term *cost = action->costs[i], *when = NULL;
    if (action->conditions != NULL)
      when = action->conditions[i];
    if (!explanation_is_charged(cost->component) ||
        (when != NULL && !smt_value_bool(e->smt, encode(e, when, t->before))))
      continue;
    if (action->batches != NULL && action->batches[i] != NULL)
      append_batch(x, action->batches[i], cost, &shown);
    else
      append_cost(x, cost, &shown);
  }
  if (queueing != NULL && action->message != NULL &&
      action->message->field_count <= INDEX_COUNT_MAX) {
    text_format(x->text, "%s may be late by %s(", shown++ == 0 ? "      it" : ", and",
                queueing->name);
    name_message(x->text, action->message, received);
    text_append(x->text, ") = ");
    append_time(x, encode_occurrence(e, queueing, action->message, t->fields,
                                     action->message->field_count));
  }
  if (shown != 0)
    text_append(x->text, "\n");
}

static void append_step(struct induction_search *x) {
  const struct action *action = x->obligation->action;
  int64_t node = 0, values[INDEX_COUNT_MAX] = {0};
  smt_value_int(x->session.encoder.smt, x->session.transition.node, &node);
  text_append(x->text, "    then ");
  interpreter_print_node(x->text, action->role, node);
  const char *dot = strchr(action->name, '.');
  if (action->loses)
    text_append(x->text, " loses");
  else
    text_format(x->text, " does %s", dot == NULL ? action->name : dot + 1);
  if (action->choice_count != 0) {
    struct step step = {.action = action};
    for (size_t i = 0; i < action->choice_count; i++)
      step.choices[i] =
          explanation_value(x, x->session.transition.choices[i], &action->choices[i]->type);
    step_print_choices(x->text, &step);
  }
  if (action->message != NULL && action->message->field_count <= INDEX_COUNT_MAX) {
    for (size_t i = 0; i < action->message->field_count; i++)
      values[i] =
          explanation_value(x, x->session.transition.fields[i], &action->message->fields[i].type);
    text_append(x->text, action->loses ? " " : " on ");
    name_message(x->text, action->message, values);
  }
  text_append(x->text, "\n");
  if (!action->loses)
    append_costs(x, values);
}

static void append_parameters(struct induction_search *x) {
  const struct model *model = x->proof->properties.model;
  const char *before = "    with ", *after = "";
  for (size_t i = 0; i < model->params.count; i++) {
    const struct type type = {.kind = TYPE_INT};
    const struct term mention = {.kind = TERM_PARAM, .type = type, .param = model->params.items[i]};
    smt_term value = encode(&x->session.encoder, &mention, NULL);
    text_format(x->text, "%s%s=%" PRId64, before, mention.param->name,
                explanation_value(x, value, &type));
    before = ", ", after = "\n";
  }
  for (size_t i = 0; i < model->components.count; i++) {
    const struct component *c = model->components.items[i];
    if (c->kind != COMPONENT_CONSTANT)
      continue;
    text_format(x->text, "%s%s=", before, c->name);
    append_time(x, encode_bare(&x->session.encoder, c));
    text_append(x->text, " ns");
    before = ", ", after = "\n";
  }
  text_append(x->text, after);
}

void explanation_print(struct induction_search *x) {
  const struct session *s = &x->session;
  text_append(x->text, "    to be shown: ");
  obligation_print(x->text, x->obligation);
  text_append(x->text, "\n");
  append_parameters(x);
  if (s->before == NULL) {
    text_append(x->text, "    the first state:\n");
  } else if (s->phase != NULL) {
    text_format(x->text, "    a state of phase %s that has every invariant, the phase begun at ",
                s->phase->name);
    append_time(x, s->encoder.began);
    text_append(x->text, ":\n");
  } else {
    text_append(x->text, "    a state that has every invariant:\n");
  }
  append_world(x, s->before == NULL ? s->after : s->before);
  if (s->action == NULL)
    return;
  append_step(x);
  text_append(x->text, "    and the state is:\n");
  append_world(x, s->after);
}
