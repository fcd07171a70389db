/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/session.h"

#include <string.h>

#include "base/invariant.h"
#include "solver/search/relevance.h"

/* The solver takes about this many of its own steps in a millisecond. */
enum { RESOURCES_PER_MS = 2000 };
/* Processor time is only a safety net: this many times the limit. */
enum { SAFETY = 10 };

bool session_stopped(const struct session *s) {
  return s->options->stop != NULL && *s->options->stop != 0;
}

struct smt_effort session_effort_of(unsigned limit_ms) {
  unsigned most = UINT32_MAX / RESOURCES_PER_MS;
  unsigned ms = limit_ms > most ? most : limit_ms;
  return (struct smt_effort){
      .strategy = SMT_QUICK, .resources = ms * RESOURCES_PER_MS, .limit_ms = ms * SAFETY};
}

struct smt_effort session_effort(const struct proof_options *options) {
  return session_effort_of(options->limit_ms);
}

/* --- goals ----------------------------------------------------------------------------------- */

/* What is known of the goal with the next number, which is the same goal whenever the session is
 * opened: else what is known of one would be taken for that of another. */
static struct attempt *next_attempt(struct session *s, const struct property *property) {
  if (s->number == s->attempts.count) {
    struct attempt *made = arena_alloc(&s->arena, 1, sizeof *made);
    made->property = property;
    vector_push(&s->attempts, made);
  }
  struct attempt *next = s->attempts.data[s->number++];
  invariant(next->property == property);
  return next;
}

bool session_may_use(const struct goal *goal, const struct fact *fact) {
  bool own = fact->property != NULL && fact->property->phase != NULL;
  return (fact->property == NULL || fact->property->alive) && !(own && goal->obligation.outside);
}

/* Whether the goal is what its property says of the state before, literally, or what is given. */
static bool is_obvious(const struct session *s, const struct goal *goal) {
  const struct property *property = goal->obligation.property;
  bool obvious = smt_is_true(s->smt, goal->term);
  for (size_t i = 0; i < goal->given_count; i++)
    obvious = obvious || goal->given[i] == goal->term;
  if (obvious || property == NULL)
    return obvious;
  const struct fact *fact = s->fact_of[property - s->proof->properties.items.data];
  return fact != NULL && fact->term == goal->term && session_may_use(goal, fact);
}

void session_begin_goals(struct session *s) {
  encoder_return(&s->encoder, &s->base);
}

/* What was encoded since the goals began, as the goal's own; lemmas come and go with it. */
static void add_own(struct session *s, struct goal *goal) {
  struct encoder *e = &s->encoder;
  struct encoder_mark mark = encoder_mark(e);
  smt_terms lemmas = {0};
  encoder_lemmas(e, &s->base, &lemmas);
  goal->axiom_count = e->axioms.count - s->base.axioms;
  goal->definition_count = mark.axioms - s->base.axioms;
  goal->lemma_count = lemmas.count;
  goal->order_count = e->order_statistics.count - s->base.order_statistics;
  if (goal->order_count != 0)
    goal->orders = arena_copy(&e->arena, &e->order_statistics.data[s->base.order_statistics],
                              goal->order_count, sizeof *goal->orders);
  if (goal->axiom_count != 0)
    goal->axioms = arena_copy(&e->arena, &e->axioms.data[s->base.axioms], goal->axiom_count,
                              sizeof *goal->axioms);
  for (size_t i = s->base.axioms; i < e->axioms.count; i++)
    goal->facts |= UINT64_C(1) << e->facts.data[i];
  goal->lemmas = arena_copy(&e->arena, lemmas.data, lemmas.count, sizeof *goal->lemmas);
  vector_clear(&lemmas);
  encoder_return(e, &mark);
}

void session_add_goal(struct session *s, struct obligation obligation, smt_term term,
                      const smt_term *given, size_t given_count) {
  struct goal goal = {.obligation = obligation, .term = term, .given_count = given_count};
  goal.obligation.action = s->action;
  if (given_count > GIVEN_MAX)
    bug("a goal with too much given");
  for (size_t i = 0; i < given_count; i++)
    goal.given[i] = given[i];
  goal.attempt = next_attempt(s, obligation.property);
  goal.obvious = is_obvious(s, &goal);
  add_own(s, &goal);
  vector_push(&s->goals, goal);
}

/* --- opening --------------------------------------------------------------------------------- */

static bool is_fact(const struct session *s, const struct property *p) {
  return p->kind != PROPERTY_BOUND && (p->phase == NULL || p->phase == s->phase);
}

static bool is_clock_of(const struct term *t, const struct role *role) {
  bool found = t->kind == TERM_TIME_NODE && t->args[0]->type.role == role;
  for (size_t i = 0; i < t->count && !found; i++)
    found = is_clock_of(t->args[i], role);
  return found;
}

/* Of a step: which properties speak of nothing but what the step speaks of, and what those speak of
 * that it changes; by property. */
static const bool *find_near(struct session *s) {
  const struct properties *p = &s->proof->properties;
  struct needs effects, needs;
  needs_init(&effects, p->model);
  needs_init(&needs, p->model);
  effects.but_delays = needs.but_delays = true;
  needs_add_effects(&effects, s->action);
  needs_add_effects(&needs, s->action);
  needs_add_action(&needs, s->action);
  for (size_t i = 0; i < p->items.count; i++)
    if (p->items.data[i].alive && needs_meet(&effects, p->items.data[i].formula))
      needs_add_term(&needs, p->items.data[i].formula);
  bool *near = arena_alloc(&s->encoder.arena, p->items.count, sizeof *near);
  for (size_t i = 0; i < p->items.count; i++) {
    const struct term *formula = p->items.data[i].formula;
    near[i] = formula != NULL && needs_cover(&needs, formula) &&
              (needs_meet(&needs, formula) || is_clock_of(formula, s->action->role));
  }
  needs_clear(&effects);
  needs_clear(&needs);
  return near;
}

static bool has_many_facts(const struct session *s) {
  const struct properties *p = &s->proof->properties;
  size_t count = 0;
  for (size_t i = 0; i < p->items.count; i++)
    count += p->items.data[i].alive && is_fact(s, &p->items.data[i]);
  return count >= MANY_FACTS;
}

/* Those of the state before that are near, or all others. */
static void add_facts_of(struct session *s, const bool *near, bool wanted) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; s->before != NULL && i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    if (property->alive && is_fact(s, property) && (near != NULL && near[i]) == wanted)
      vector_push(&s->facts,
                  (struct fact){.property = property,
                                .term = encode(&s->encoder, property->formula, s->before)});
  }
}

static void add_facts(struct session *s) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->model->assumptions.count; i++) {
    const struct assumption *a = p->model->assumptions.items[i];
    vector_push(&s->facts,
                (struct fact){.assumption = a, .term = encode(&s->encoder, a->formula, NULL)});
  }
  const bool *near = NULL;
  if (s->action != NULL && s->phase == NULL && has_many_facts(s))
    near = find_near(s);
  add_facts_of(s, near, true);
  s->near = near == NULL ? 0 : s->facts.count;
  s->near_definitions = s->encoder.axioms.count;
  add_facts_of(s, near, false);
  if (near == NULL)
    s->near_definitions = s->encoder.axioms.count;
  s->fact_of = arena_alloc(&s->encoder.arena, p->items.count, sizeof *s->fact_of);
  for (size_t i = 0; i < s->facts.count; i++)
    if (s->facts.data[i].property != NULL)
      s->fact_of[s->facts.data[i].property - p->items.data] = &s->facts.data[i];
}

bool session_wants(const struct session *s, const struct property *property) {
  const struct obligation *only = s->place.only;
  return property->alive && (only == NULL || only->property == property);
}

/* A bound has itself as a hypothesis on the state before, not the other bounds. */
static void add_property_goals(struct session *s) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    struct obligation o = {.kind = s->action ? OBLIGATION_STEP : OBLIGATION_INITIAL,
                           .property = property};
    bool by_phases = property->kind == PROPERTY_BOUND && property->bound->by_phases;
    if (property->phase != NULL || property->formula == NULL || by_phases)
      continue;
    if (!session_wants(s, property)) {
      next_attempt(s, property); /* the numbers of the others stay */
      continue;
    }
    session_begin_goals(s);
    smt_term goal = encode(&s->encoder, property->formula, s->after);
    if (property->kind != PROPERTY_BOUND || s->before == NULL) {
      session_add_goal(s, o, goal, NULL, 0);
    } else {
      smt_term itself = encode(&s->encoder, property->formula, s->before);
      session_add_goal(s, o, goal, &itself, 1);
    }
  }
}

static void add_once_goals(struct session *s) {
  session_begin_goals(s);
  for (size_t i = 0; i < s->transition.once.count; i++) {
    struct once once = s->transition.once.data[i];
    smt_term goal = once.goal;
    once.goal = NULL; /* an obligation outlives its solver */
    session_add_goal(s, (struct obligation){.kind = OBLIGATION_ONCE, .once = once}, goal, NULL, 0);
  }
}

static void add_family_goals(struct session *s) {
  const struct model *model = s->proof->properties.model;
  for (size_t i = 0; i < model->roles.count; i++) {
    const struct role *role = model->roles.items[i];
    /* Of pairs there are as many as of their owner, and a product of two that are at least 1 is. */
    if (role->count == NULL || (role->owner != NULL && role->each == NULL))
      continue;
    const struct term *size = role->each != NULL ? role->each : role->count;
    session_begin_goals(s);
    session_add_goal(
        s, (struct obligation){.kind = OBLIGATION_FAMILY, .role = role, .span = size->span},
        smt_le(s->smt, smt_int(s->smt, 1), encode(&s->encoder, size, NULL)), NULL, 0);
  }
}

static void encode_states(struct session *s) {
  struct encoder *e = &s->encoder;
  if (s->action == NULL && s->phase == NULL) {
    s->after = symbolic_initial(e);
    return;
  }
  s->before = s->after = symbolic_any(e);
  if (s->action != NULL) {
    transition_init(&s->transition, e, s->action, s->before);
    s->after = s->transition.after;
  }
}

static void encode_goals(struct session *s) {
  if (s->phase == NULL && s->action == NULL) {
    add_family_goals(s);
    session_add_quorum_goals(s);
    session_add_timed_guard_goals(s);
    session_add_message_progress_goals(s);
  }
  if (s->phase == NULL)
    add_property_goals(s);
  session_add_phase_goals(s);
  if (s->phase == NULL && s->action != NULL) {
    add_once_goals(s);
    session_add_deferral_goals(s);
    session_add_progress_goals(s);
  }
}

static void assert_axioms(struct session *s, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    smt_assert(s->smt, s->encoder.axioms.data[i]);
}

void session_assert_base(struct session *s) {
  assert_axioms(s, 0, s->near_definitions);
}

void session_reopen(struct session *s) {
  if (s->smt != NULL)
    return;
  const struct properties *p = &s->proof->properties;
  s->smt = smt_new_seeded(s->options->seed);
  encoder_init(&s->encoder, s->smt, p->model, s->place.scope, p->variable_count);
  s->encoder.long_times = &p->long_times;
  s->encoder.began = smt_real_zero(s->smt);
  if (s->phase != NULL && s->phase->id != 0)
    s->encoder.began = smt_fresh(s->smt, "began", smt_sort_real(s->smt));
  encode_states(s);
  add_facts(s);
  s->definitions = s->encoder.axioms.count;
  encoder_lemmas(&s->encoder, &(struct encoder_mark){0}, &s->lemmas);
  s->base = encoder_mark(&s->encoder);
  s->number = 0;
  encode_goals(s);
  session_begin_goals(s);
  session_assert_base(s);
}

void session_open(struct session *s, const struct proof *proof, const struct proof_options *options,
                  const struct session_place *place) {
  *s = (struct session){.action = place->action,
                        .phase = place->phase,
                        .place = *place,
                        .proof = proof,
                        .options = options};
  arena_init(&s->arena);
  session_reopen(s);
}

void session_close_solver(struct session *s) {
  if (s->smt == NULL)
    return;
  vector_clear(&s->facts);
  vector_clear(&s->goals);
  vector_clear(&s->lemmas);
  transition_clear(&s->transition);
  encoder_clear(&s->encoder);
  smt_free(s->smt);
  s->smt = NULL;
}

void session_close(struct session *s) {
  session_close_solver(s);
  vector_clear(&s->attempts);
  vector_clear(&s->results);
  vector_clear(&s->records);
  arena_clear(&s->arena);
}

/* --- pushing --------------------------------------------------------------------------------- */

void session_push_step(struct session *s) {
  smt_push(s->smt);
  assert_axioms(s, s->definitions, s->base.axioms);
  if (s->action != NULL)
    smt_assert(s->smt, s->transition.enabled);
  if (s->phase != NULL)
    smt_assert(s->smt, smt_le(s->smt, smt_real_zero(s->smt), s->encoder.began));
}

void session_assert_definitions(struct session *s) {
  assert_axioms(s, s->near_definitions, s->definitions);
}

void session_push(struct session *s) {
  session_push_step(s);
  session_assert_definitions(s);
}

void session_push_near(struct session *s) {
  session_push_step(s);
  for (size_t i = 0; i < s->near; i++) {
    const struct property *property = s->facts.data[i].property;
    if (property == NULL || property->alive)
      smt_assert(s->smt, s->facts.data[i].term);
  }
}

void session_assert_facts(struct session *s, bool own) {
  for (size_t i = 0; i < s->facts.count; i++) {
    const struct property *property = s->facts.data[i].property;
    bool is_own = property != NULL && property->phase != NULL;
    if (is_own == own && (property == NULL || property->alive))
      smt_assert(s->smt, s->facts.data[i].term);
  }
  if (own)
    session_assert_sends(s);
}

void session_assert_sends(struct session *s) {
  if (s->transition.may_send != NULL)
    smt_assert(s->smt, s->transition.may_send);
}

void session_push_facts(struct session *s) {
  session_push(s);
  session_assert_facts(s, false);
}

void session_push_goal(struct session *s, const struct goal *goal) {
  smt_push(s->smt);
  for (size_t i = 0; i < goal->axiom_count; i++)
    smt_assert(s->smt, goal->axioms[i]);
  for (size_t i = 0; i < goal->given_count; i++)
    smt_assert(s->smt, goal->given[i]);
  smt_assert(s->smt, smt_not(s->smt, goal->term));
}
