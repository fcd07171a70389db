/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/induction.h"

#include <inttypes.h>
#include <string.h>

#include "solver/judge/interpreter.h"
#include "solver/search/scope.h"
#include "solver/prove/session.h"

enum { SCOPE_LIMIT_MS = 2000, SCOPES_TRIED = 6 };

/* A time of the state before, under the user's name. */
struct named_time {
  smt_term term;
  char *name;
};

struct explanation {
  const struct proof *proof;
  const struct obligation *obligation;
  struct session session;
  struct text *text, *hint;
  VECTOR(struct named_time) times;
};

static int64_t size_of(struct explanation *x, const struct type *type) {
  int64_t size = 1;
  if (type->kind == TYPE_NODE)
    smt_is_numeral(x->session.encoder.smt, encode_role_size(&x->session.encoder, type->role),
                   &size);
  return size;
}

static int64_t value_of(struct explanation *x, smt_term term, const struct type *type) {
  int64_t value = 0;
  if (type->kind == TYPE_BOOL)
    return smt_value_bool(x->session.encoder.smt, term);
  smt_value_int(x->session.encoder.smt, term, &value);
  return value;
}

static smt_term literal(struct explanation *x, const struct type *type, int64_t value) {
  return type->kind == TYPE_BOOL ? smt_bool(x->session.encoder.smt, value != 0)
                                 : smt_int(x->session.encoder.smt, value);
}

static void append_time(struct explanation *x, smt_term time) {
  struct rational value;
  rational_init(&value);
  if (smt_value_real(x->session.encoder.smt, time, &value))
    rational_print_short(x->text, &value);
  else
    text_append(x->text, "?");
  rational_clear(&value);
}

static void append_state_value(struct explanation *x, const struct symbolic *at,
                               const struct state *state, smt_term node) {
  struct encoder *e = &x->session.encoder;
  const struct type *type = &state->type;
  struct type key = {.kind = TYPE_NODE, .role = type->role};
  if (type->kind == TYPE_SET) {
    int64_t members = 0;
    for (int64_t i = 0; i < size_of(x, &key) && i < 63; i++)
      if (smt_value_bool(e->smt, symbolic_member(e, at, state, node, smt_int(e->smt, i))))
        members |= INT64_C(1) << i;
    interpreter_print_value(x->text, type, members);
  } else if (type->kind == TYPE_MAP) {
    for (int64_t i = 0; i < size_of(x, &key); i++) {
      text_format(x->text, "%s%" PRId64 ": ", i == 0 ? "[" : ", ", i);
      smt_term element = symbolic_get(e, at, state, node, smt_int(e->smt, i));
      interpreter_print_value(x->text, type->element, value_of(x, element, type->element));
    }
    text_append(x->text, "]");
  } else {
    interpreter_print_value(x->text, type, value_of(x, symbolic_read(e, at, state, node), type));
  }
}

/* Notes a time of the first state shown; `name` is emptied. */
static void note_time(struct explanation *x, const struct symbolic *at, smt_term term,
                      struct text *name) {
  if (at == x->session.before)
    vector_push(&x->times, (struct named_time){term, text_take(name)});
  text_clear(name);
}

static void append_node(struct explanation *x, const struct symbolic *at, const struct role *role,
                        int64_t node) {
  const struct model *model = x->proof->properties.model;
  smt_term value = smt_int(x->session.encoder.smt, node);
  text_append(x->text, "      ");
  interpreter_print_node(x->text, role, node);
  text_append(x->text, ": clock ");
  smt_term clock = symbolic_clock(&x->session.encoder, at, role, value);
  append_time(x, clock);
  struct text name;
  text_init(&name);
  text_append(&name, "time(");
  interpreter_print_node(&name, role, node);
  text_append(&name, ")");
  note_time(x, at, clock, &name);
  for (size_t i = 0; i < model->states.count; i++) {
    const struct state *state = model->states.items[i];
    if (state->role != role)
      continue;
    text_format(x->text, ", %s = ", state->name);
    append_state_value(x, at, state, value);
  }
  text_append(x->text, "\n");
}

static void append_message(struct explanation *x, const struct symbolic *at,
                           const struct message *message, const int64_t *values) {
  struct encoder *e = &x->session.encoder;
  smt_term fields[INDEX_COUNT_MAX];
  for (size_t i = 0; i < message->field_count; i++)
    fields[i] = literal(x, &message->fields[i].type, values[i]);
  if (!smt_value_bool(e->smt, symbolic_sent(e, at, message, fields)))
    return;
  text_append(x->text, "      ");
  interpreter_print_message(x->text, message, values);
  bool received = smt_value_bool(e->smt, symbolic_received(e, at, message, fields));
  text_format(x->text, ": %s, delivery at ", received ? "received" : "pending");
  smt_term delivery = symbolic_delivery(e, at, message, fields);
  append_time(x, delivery);
  text_append(x->text, "\n");
  struct text name;
  text_init(&name);
  text_append(&name, "time(");
  interpreter_print_message(&name, message, values);
  text_append(&name, ")");
  note_time(x, at, delivery, &name);
}

static void field_range(struct explanation *x, const struct type *type, int64_t *low,
                        int64_t *high) {
  *low = type->kind == TYPE_INT ? -1 : 0;
  *high = type->kind == TYPE_INT    ? SCOPE_INTEGERS
          : type->kind == TYPE_BOOL ? 1
          : type->kind == TYPE_ENUM ? (int64_t)type->enumeration->count - 1
                                    : size_of(x, type) - 1;
}

static void append_messages(struct explanation *x, const struct symbolic *at,
                            const struct message *message) {
  int64_t values[INDEX_COUNT_MAX] = {0}, low, high;
  if (message->field_count > INDEX_COUNT_MAX)
    return;
  for (size_t i = 0; i < message->field_count; i++) {
    field_range(x, &message->fields[i].type, &low, &high);
    values[i] = low;
  }
  for (;;) {
    append_message(x, at, message, values);
    size_t i = 0;
    for (; i < message->field_count; i++) {
      field_range(x, &message->fields[i].type, &low, &high);
      if (values[i]++ < high)
        break;
      values[i] = low;
    }
    if (i == message->field_count)
      return;
  }
}

static void append_world(struct explanation *x, const struct symbolic *at) {
  const struct model *model = x->proof->properties.model;
  for (size_t r = 0; r < model->roles.count; r++) {
    const struct role *role = model->roles.items[r];
    struct type type = {.kind = TYPE_NODE, .role = role};
    for (int64_t i = 0; !role->external && i < size_of(x, &type); i++)
      append_node(x, at, role, i);
  }
  for (size_t m = 0; m < model->messages.count; m++)
    append_messages(x, at, model->messages.items[m]);
}

static void append_step(struct explanation *x) {
  const struct action *action = x->obligation->action;
  int64_t node = 0, values[INDEX_COUNT_MAX] = {0};
  smt_value_int(x->session.encoder.smt, x->session.transition.node, &node);
  text_append(x->text, "    then ");
  interpreter_print_node(x->text, action->role, node);
  const char *dot = strchr(action->name, '.');
  text_format(x->text, " does %s", dot == NULL ? action->name : dot + 1);
  if (action->message != NULL && action->message->field_count <= INDEX_COUNT_MAX) {
    for (size_t i = 0; i < action->message->field_count; i++)
      values[i] = value_of(x, x->session.transition.fields[i], &action->message->fields[i].type);
    text_append(x->text, " on ");
    interpreter_print_message(x->text, action->message, values);
  }
  text_append(x->text, "\n");
}

/* How the first phase starts is an obligation of the first state, not of a state of the phase. */
static const struct phase *phase_of(const struct obligation *o) {
  bool first = o->phase != NULL && o->phase->id == 0 && o->kind == OBLIGATION_ENTER;
  return o->kind == OBLIGATION_START || first ? NULL : o->phase;
}

/* The others are about parameters and times alone. */
static bool has_states(const struct obligation *o) {
  return o->property != NULL || o->kind == OBLIGATION_ONCE ||
         (o->kind == OBLIGATION_DEFERRAL && o->action != NULL) || o->kind == OBLIGATION_START ||
         (o->phase != NULL && o->kind != OBLIGATION_RANK && o->kind != OBLIGATION_LEMMA);
}

static bool is_goal_of(const struct obligation *a, const struct obligation *b) {
  return a->kind == b->kind && a->property == b->property && a->bound == b->bound &&
         a->message == b->message && a->once.kind == b->once.kind &&
         a->once.span.start == b->once.span.start;
}

static void assert_facts(struct session *s, const struct goal *goal) {
  session_push(s);
  for (size_t i = 0; i < s->facts.count; i++)
    if (session_may_use(goal, &s->facts.data[i]))
      smt_assert(s->smt, s->facts.data[i].term);
  session_push_goal(s, goal);
}

static void append_counterexample(struct explanation *x) {
  const struct session *s = &x->session;
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

/* Far beyond every time that a bound on it by bare names would allow. */
static smt_term far_time(struct explanation *x) {
  const struct model *model = x->proof->properties.model;
  struct encoder *e = &x->session.encoder;
  struct rational one;
  rational_init(&one);
  rational_set_integer(&one, 1);
  smt_term sum = smt_real(e->smt, &one);
  rational_clear(&one);
  for (size_t i = 0; i < model->components.count; i++)
    sum = smt_add(e->smt, sum, encode_bare(e, model->components.items[i]));
  return smt_mul(e->smt, smt_int(e->smt, 1000000), sum);
}

static bool mentions_state(const struct term *t, const struct state *state) {
  bool found = t->kind == TERM_STATE && t->state == state;
  for (size_t i = 0; i < t->count && !found; i++)
    found = mentions_state(t->args[i], state);
  for (size_t i = 0; i < t->variable_count && !found; i++)
    found = t->variables[i]->domain == DOMAIN_SET && mentions_state(t->variables[i]->set, state);
  return found;
}

static bool is_mentioned(const struct explanation *x, const struct state *state) {
  const struct properties *p = &x->proof->properties;
  for (size_t i = 0; i < p->items.count; i++)
    if (p->items.data[i].kind == PROPERTY_INVARIANT &&
        mentions_state(p->items.data[i].formula, state))
      return true;
  return false;
}

static void append_free_times(struct explanation *x) {
  struct smt *smt = x->session.smt;
  smt_term far = far_time(x);
  struct smt_effort effort = {.limit_ms = SCOPE_LIMIT_MS / 4};
  bool any = false;
  for (size_t i = 0; i < x->times.count; i++) {
    smt_push(smt);
    smt_assert(smt, smt_le(smt, far, x->times.data[i].term));
    if (smt_try(smt, &effort, NULL) == SMT_SAT) {
      text_format(x->hint, "%s%s", any ? ", " : "no invariant bounds ", x->times.data[i].name);
      any = true;
    }
    smt_pop(smt);
  }
}

/* Which times of the state could be as large as one likes, which variables no invariant names. */
static void append_hint(struct explanation *x) {
  const struct model *model = x->proof->properties.model;
  append_free_times(x);
  bool any = false;
  for (size_t i = 0; x->session.before != NULL && i < model->states.count; i++) {
    const struct state *state = model->states.items[i];
    if (is_mentioned(x, state))
      continue;
    text_format(x->hint, "%s%s.%s",
                any                    ? ", "
                : x->hint->length != 0 ? "; no invariant mentions "
                                       : "no invariant mentions ",
                state->role->name, state->name);
    any = true;
  }
}

static bool explain_in(struct explanation *x, const int64_t *scope) {
  const struct obligation *o = x->obligation;
  struct proof_options options = {.limit_ms = SCOPE_LIMIT_MS};
  struct session_place place = {
      .action = o->action, .phase = phase_of(o), .scope = scope, .only = o};
  struct session *s = &x->session;
  session_open(s, x->proof, &options, &place);
  struct smt_effort effort = session_effort(&options);
  bool found = false;
  for (size_t i = 0; i < s->goals.count && !found; i++) {
    if (!is_goal_of(&s->goals.data[i].obligation, o))
      continue;
    assert_facts(s, &s->goals.data[i]);
    found = smt_try(s->smt, &effort, NULL) == SMT_SAT;
    if (found) {
      append_counterexample(x);
      append_hint(x);
    }
    smt_pop(s->smt);
    smt_pop(s->smt);
  }
  for (size_t i = 0; i < x->times.count; i++)
    mem_free(x->times.data[i].name);
  vector_clear(&x->times);
  session_close(s);
  return found;
}

void induction_init(struct induction *induction, const struct proof *proof,
                    const struct obligation *obligation) {
  text_init(&induction->state);
  text_init(&induction->scopes);
  text_init(&induction->hint);
  if (!has_states(obligation))
    return;
  const struct model *model = proof->properties.model;
  struct explanation x = {.proof = proof,
                          .obligation = obligation,
                          .text = &induction->state,
                          .hint = &induction->hint};
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_SMALLEST_FIRST, SCOPES_TRIED);
  bool found = false;
  for (size_t i = 0; i < scopes.items.count && !found; i++) {
    found = explain_in(&x, scopes.items.data[i]);
    text_append(&induction->scopes, i == 0 ? "" : "; ");
    scope_print(&induction->scopes, model, scopes.items.data[i]);
    text_append(&induction->scopes, found ? ": a counterexample to induction" : ": none found");
  }
  scopes_clear(&scopes);
}

void induction_clear(struct induction *induction) {
  text_clear(&induction->state);
  text_clear(&induction->scopes);
  text_clear(&induction->hint);
}
