/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/induction.h"

#include "solver/prove/explanation.h"
#include "solver/search/scope.h"

enum { SCOPE_LIMIT_MS = 2000, SCOPES_TRIED = 6 };

/* How the first phase starts is an obligation of the first state, not of a state of the phase. */
static const struct phase *phase_of(const struct obligation *o) {
  bool first = o->phase != NULL && o->phase->id == 0 && o->kind == OBLIGATION_ENTER;
  return o->kind == OBLIGATION_START || first ? NULL : o->phase;
}

/* The others are about parameters and times alone. */
static bool has_states(const struct obligation *o) {
  if (o->kind == OBLIGATION_LEMMA)
    return false;
  return o->property != NULL || o->kind == OBLIGATION_ONCE || o->kind == OBLIGATION_PACE ||
         (o->kind == OBLIGATION_DEFERRAL && o->action != NULL) || o->kind == OBLIGATION_START ||
         (o->phase != NULL && o->kind != OBLIGATION_RANK);
}

static bool is_goal_of(const struct obligation *a, const struct obligation *b) {
  return a->kind == b->kind && a->property == b->property && a->bound == b->bound &&
         a->message == b->message && a->once.kind == b->once.kind &&
         a->once.span.start == b->once.span.start;
}

/* Values that a state variable can have: of its type, and integers that the scope knows of. */
static smt_term is_value(struct encoder *e, const struct type *type, smt_term value) {
  struct variable any = {.type = *type, .domain = DOMAIN_NONE};
  return smt_and2(e->smt, encode_in_domain(e, &any, value, NULL), encode_in_scope(e, type, value));
}

static void assert_value(struct induction_search *x, const struct state *state, int64_t node) {
  struct encoder *e = &x->session.encoder;
  smt_term of = smt_int(e->smt, node);
  struct type key = {.kind = TYPE_NODE, .role = state->type.role};
  const struct symbolic *at = x->session.before;
  if (state->type.kind == TYPE_SET)
    return;
  if (state->type.kind != TYPE_MAP)
    smt_assert(e->smt, is_value(e, &state->type, symbolic_read(e, at, state, of)));
  for (int64_t i = 0; state->type.kind == TYPE_MAP && i < explanation_size(x, &key); i++)
    smt_assert(e->smt, is_value(e, state->type.element,
                                symbolic_get(e, at, state, of, smt_int(e->smt, i))));
}

static void assert_values(struct induction_search *x) {
  const struct model *model = x->proof->properties.model;
  for (size_t i = 0; x->session.before != NULL && i < model->states.count; i++) {
    struct type type = {.kind = TYPE_NODE, .role = model->states.items[i]->role};
    for (int64_t node = 0; node < explanation_size(x, &type); node++)
      assert_value(x, model->states.items[i], node);
  }
}

static void assert_facts(struct induction_search *x, const struct goal *goal) {
  struct session *s = &x->session;
  session_push(s);
  assert_values(x);
  for (size_t i = 0; i < s->facts.count; i++)
    if (session_may_use(goal, &s->facts.data[i]))
      smt_assert(s->smt, s->facts.data[i].term);
  if (!goal->obligation.outside)
    session_assert_sends(s);
  session_push_goal(s, goal);
}

/* Far beyond every time that a bound on it by bare names would allow. */
static smt_term far_time(struct induction_search *x) {
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

static bool is_mentioned(const struct induction_search *x, const struct state *state) {
  const struct properties *p = &x->proof->properties;
  for (size_t i = 0; i < p->items.count; i++)
    if (p->items.data[i].kind == PROPERTY_INVARIANT &&
        mentions_state(p->items.data[i].formula, state))
      return true;
  return false;
}

static void append_free_times(struct induction_search *x) {
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
static void append_hint(struct induction_search *x) {
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

static bool explain_in(struct induction_search *x, const int64_t *scope) {
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
    assert_facts(x, &s->goals.data[i]);
    found = smt_try(s->smt, &effort, NULL) == SMT_SAT;
    if (found) {
      size_t pushes;
      found = explanation_lessen(x, &pushes);
      if (found)
        explanation_print(x);
      for (; pushes > 0; pushes--)
        smt_pop(s->smt);
      if (found)
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
  struct induction_search x = {.proof = proof,
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
