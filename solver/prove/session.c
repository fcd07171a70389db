/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/session.h"

#include <string.h>

#include "base/seconds.h"

/* The solver takes about this many of its own steps in a millisecond. */
enum { RESOURCES_PER_MS = 2000 };
/* Processor time is only a safety net: this many times the limit. */
enum { SAFETY = 10, CANDIDATE_LIMIT_MS = 100, THOROUGH_LIMIT_MS = 2000 };

bool session_stopped(const struct session *s) {
  return s->options->stop != NULL && *s->options->stop != 0;
}

static struct smt_effort effort_of(unsigned limit_ms) {
  unsigned most = UINT32_MAX / RESOURCES_PER_MS;
  unsigned ms = limit_ms > most ? most : limit_ms;
  return (struct smt_effort){
      .strategy = SMT_QUICK, .resources = ms * RESOURCES_PER_MS, .limit_ms = ms * SAFETY};
}

struct smt_effort session_effort(const struct proof_options *options) {
  return effort_of(options->limit_ms);
}

void session_add_goal(struct session *s, struct obligation obligation, smt_term term,
                      const smt_term *given, size_t given_count) {
  struct goal goal = {.obligation = obligation, .term = term, .given_count = given_count};
  goal.obligation.action = s->action;
  if (given_count > GIVEN_MAX)
    bug("a goal with too much given");
  for (size_t i = 0; i < given_count; i++)
    goal.given[i] = given[i];
  vector_push(&s->goals, goal);
}

/* --- opening --------------------------------------------------------------------------------- */

static bool is_fact(const struct session *s, const struct property *p) {
  return p->kind != PROPERTY_BOUND && (p->phase == NULL || p->phase == s->phase);
}

static void add_facts(struct session *s) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->model->assumptions.count; i++) {
    const struct assumption *a = p->model->assumptions.items[i];
    vector_push(&s->facts,
                (struct fact){.assumption = a, .term = encode(&s->encoder, a->formula, NULL)});
  }
  for (size_t i = 0; s->before != NULL && i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    if (property->alive && is_fact(s, property))
      vector_push(&s->facts,
                  (struct fact){.property = property,
                                .term = encode(&s->encoder, property->formula, s->before)});
  }
}

bool session_wants(const struct session *s, const struct property *property) {
  return property->alive && (s->only == NULL || s->only->property == property);
}

/* A bound has itself as a hypothesis on the state before, not the other bounds. */
static void add_property_goals(struct session *s) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    struct obligation o = {.kind = s->action ? OBLIGATION_STEP : OBLIGATION_INITIAL,
                           .property = property};
    bool by_phases = property->kind == PROPERTY_BOUND && property->bound->by_phases;
    if (property->phase != NULL || property->formula == NULL || by_phases ||
        !session_wants(s, property))
      continue;
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
    if (role->count != NULL)
      session_add_goal(
          s,
          (struct obligation){.kind = OBLIGATION_FAMILY, .role = role, .span = role->count->span},
          smt_le(s->smt, smt_int(s->smt, 1), encode_role_size(&s->encoder, role)), NULL, 0);
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
  }
  if (s->phase == NULL)
    add_property_goals(s);
  session_add_phase_goals(s);
  if (s->phase == NULL && s->action != NULL) {
    add_once_goals(s);
    session_add_deferral_goals(s);
  }
}

static void assert_axioms(struct session *s, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    smt_assert(s->smt, s->encoder.axioms.data[i]);
}

void session_open(struct session *s, const struct proof *proof, const struct proof_options *options,
                  const struct session_place *place) {
  const struct properties *p = &proof->properties;
  *s = (struct session){.action = place->action,
                        .phase = place->phase,
                        .only = place->only,
                        .proof = proof,
                        .options = options};
  arena_init(&s->arena);
  s->smt = smt_new_seeded(options->seed);
  encoder_init(&s->encoder, s->smt, p->model, place->scope, p->variable_count);
  s->encoder.began = smt_real_zero(s->smt);
  if (place->phase != NULL && place->phase->id != 0)
    s->encoder.began = smt_fresh(s->smt, "began", smt_sort_real(s->smt));
  encode_states(s);
  add_facts(s);
  encode_goals(s);
  s->definitions = s->encoder.axioms.count;
  encoder_lemmas(&s->encoder, &s->lemmas);
  assert_axioms(s, 0, s->definitions);
}

void session_close_solver(struct session *s) {
  vector_clear(&s->facts);
  vector_clear(&s->goals);
  vector_clear(&s->lemmas);
  transition_clear(&s->transition);
  encoder_clear(&s->encoder);
  smt_free(s->smt);
  s->smt = NULL;
}

void session_close(struct session *s) {
  if (s->smt != NULL)
    session_close_solver(s);
  vector_clear(&s->results);
  arena_clear(&s->arena);
}

/* --- proving --------------------------------------------------------------------------------- */

bool session_may_use(const struct goal *goal, const struct fact *fact) {
  bool own = fact->property != NULL && fact->property->phase != NULL;
  return (fact->property == NULL || fact->property->alive) && !(own && goal->obligation.outside);
}

void session_push(struct session *s) {
  smt_push(s->smt);
  assert_axioms(s, s->definitions, s->encoder.axioms.count);
  if (s->action != NULL)
    smt_assert(s->smt, s->transition.enabled);
  if (s->phase != NULL)
    smt_assert(s->smt, smt_le(s->smt, smt_real_zero(s->smt), s->encoder.began));
}

/* The facts of the phase itself, or all others. */
static void assert_facts(struct session *s, bool own) {
  for (size_t i = 0; i < s->facts.count; i++) {
    const struct property *property = s->facts.data[i].property;
    bool is_own = property != NULL && property->phase != NULL;
    if (is_own == own && (property == NULL || property->alive))
      smt_assert(s->smt, s->facts.data[i].term);
  }
}

void session_push_facts(struct session *s) {
  session_push(s);
  assert_facts(s, false);
}

void session_push_goal(struct session *s, const struct goal *goal) {
  smt_push(s->smt);
  for (size_t i = 0; i < goal->given_count; i++)
    smt_assert(s->smt, goal->given[i]);
  smt_assert(s->smt, smt_not(s->smt, goal->term));
}

static bool is_alive(const struct goal *goal, enum property_kind kind) {
  const struct property *property = goal->obligation.property;
  return property != NULL && property->kind == kind && property->alive;
}

static bool is_settled(const struct goal *goal) {
  for (size_t i = 0; goal->kept && i < goal->need_count; i++)
    if (!goal->needs[i]->alive)
      return false;
  return goal->kept;
}

/* The alive generated facts, each behind a mark of its own. */
struct marks {
  size_t count;
  smt_term *terms;
  const struct property **properties;
  bool *used;
};

static struct marks push_marks(struct session *s) {
  struct arena *arena = &s->encoder.arena;
  struct marks m = {.terms = arena_alloc(arena, s->facts.count, sizeof *m.terms),
                    .properties = arena_alloc(arena, s->facts.count, sizeof *m.properties),
                    .used = arena_alloc(arena, s->facts.count, sizeof *m.used)};
  session_push(s);
  for (size_t i = 0; i < s->facts.count; i++) {
    const struct property *property = s->facts.data[i].property;
    if (property == NULL || property->kind != PROPERTY_GENERATED) {
      if (property == NULL || property->phase == NULL)
        smt_assert(s->smt, s->facts.data[i].term);
    } else if (property->alive) {
      m.properties[m.count] = property;
      m.terms[m.count] = smt_fresh(s->smt, "mark", smt_sort_bool(s->smt));
      smt_assert(s->smt, smt_implies(s->smt, m.terms[m.count++], s->facts.data[i].term));
    }
  }
  return m;
}

/* What a candidate may take: wrong ones would take all there is. */
static struct smt_effort check_effort(const struct session *s, const struct property *property) {
  unsigned limit = s->options->limit_ms, most = limit;
  if (property != NULL && property->kind == PROPERTY_GENERATED)
    most = property->limit_ms != 0 ? property->limit_ms : CANDIDATE_LIMIT_MS;
  return effort_of(limit < most ? limit : most);
}

static void check_marked(struct session *s, struct goal *goal, const struct marks *m) {
  goal->need_count = 0;
  goal->kept = smt_is_true(s->smt, goal->term);
  if (!goal->kept) {
    struct smt_effort effort = check_effort(s, goal->obligation.property);
    double start = seconds_worked();
    session_push_goal(s, goal);
    goal->kept = smt_try_marks(s->smt, m->terms, m->count, &effort, m->used) == SMT_UNSAT;
    smt_pop(s->smt);
    goal->seconds = seconds_worked() - start;
    goal->needs = arena_alloc(&s->encoder.arena, m->count, sizeof *goal->needs);
    for (size_t i = 0; goal->kept && i < m->count; i++)
      if (m->used[i])
        goal->needs[goal->need_count++] = m->properties[i];
  }
  goal->failed = !goal->kept;
}

void session_check_candidates(struct session *s) {
  struct marks marks = push_marks(s);
  for (size_t i = 0; i < s->goals.count && !session_stopped(s); i++) {
    struct goal *goal = &s->goals.data[i];
    goal->failed = false;
    if (is_alive(goal, PROPERTY_GENERATED) && !is_settled(goal))
      check_marked(s, goal, &marks);
  }
  smt_pop(s->smt);
}

/* Whether a bound rests on it: its own, or one of the phases. */
static bool is_of_bound(const struct session *s, const struct goal *goal) {
  return s->phase != NULL || goal->obligation.kind >= OBLIGATION_START ||
         is_alive(goal, PROPERTY_BOUND);
}

static void check_bounds(struct session *s, const struct marks *marks, bool outside) {
  for (size_t i = 0; i < s->goals.count; i++) {
    struct goal *goal = &s->goals.data[i];
    if (goal->obligation.outside != outside || !is_of_bound(s, goal))
      continue;
    goal->failed = true;
    if (!session_stopped(s))
      check_marked(s, goal, marks);
  }
}

void session_check_bounds(struct session *s) {
  struct marks marks = push_marks(s);
  check_bounds(s, &marks, true);
  assert_facts(s, true);
  check_bounds(s, &marks, false);
  smt_pop(s->smt);
}

/* In a fixed order. Without candidate models for quantifiers, which settles nearly everything at
 * once; then afresh, with other arithmetic and fewer instances: each briefly first, since a goal
 * that drowns the one is often easy for the other. Then with candidate models. */
static const struct rung {
  enum smt_strategy strategy;
  unsigned limit_ms; /* 0: the limit of the proof */
} ladder[] = {
    {SMT_QUICK, 300}, {SMT_OTHER, 1000}, {SMT_QUICK, 0}, {SMT_OTHER, 0}, {SMT_THOROUGH, 2000}};

/* Whether more of the same could help: it ran out of resources rather than of ideas. */
static bool is_exhausted(const struct text *why) {
  return strstr(text_get(why), "cancel") != NULL || strstr(text_get(why), "resource") != NULL ||
         strstr(text_get(why), "timeout") != NULL;
}

static bool holds(struct session *s, const struct goal *goal, struct text *reason) {
  if (smt_is_true(s->smt, goal->term))
    return true;
  session_push_goal(s, goal);
  enum smt_answer answer = SMT_UNKNOWN;
  bool hopeless[3] = {false}; /* by strategy */
  for (size_t i = 0; i < sizeof ladder / sizeof *ladder && answer == SMT_UNKNOWN; i++) {
    unsigned limit = s->options->limit_ms, rung = ladder[i].limit_ms;
    if (hopeless[ladder[i].strategy] || session_stopped(s))
      continue;
    struct smt_effort effort = effort_of(rung != 0 && rung < limit ? rung : limit);
    effort.strategy = ladder[i].strategy;
    text_clear(reason);
    answer = smt_try(s->smt, &effort, reason);
    hopeless[ladder[i].strategy] = answer == SMT_UNKNOWN && !is_exhausted(reason);
  }
  if (answer == SMT_UNSAT)
    text_clear(reason);
  if (answer == SMT_SAT)
    text_append(reason, "a state without the property can come about");
  smt_pop(s->smt);
  return answer == SMT_UNSAT;
}

static void show_query(struct session *s, const struct goal *goal) {
  if (s->options->on_query == NULL)
    return;
  struct text query;
  text_init(&query);
  session_push_goal(s, goal);
  smt_print(s->smt, &query);
  smt_pop(s->smt);
  s->options->on_query(s->options->query_context, &goal->obligation, text_get(&query));
  text_clear(&query);
}

/* Which bounds are lost with the obligation: all, one, or (NULL) that is not known here. */
static atomic_bool *lost_with(const struct session *s, const struct obligation *o) {
  const struct property *property = o->property;
  if (!s->options->fail_fast || o->phase != NULL || o->bound != NULL)
    return NULL;
  if (property == NULL || property->kind != PROPERTY_BOUND)
    return &s->proof->lost[0];
  return &s->proof->lost[1 + (property - s->proof->properties.items.data)];
}

static bool is_lost(const struct session *s, const struct obligation *o) {
  const atomic_bool *lost = lost_with(s, o);
  return s->options->fail_fast &&
         (atomic_load(&s->proof->lost[0]) || (lost != NULL && atomic_load(lost)));
}

static void prove(struct session *s, const struct goal *goal) {
  struct obligation o = goal->obligation;
  struct text reason;
  text_init(&reason);
  show_query(s, goal);
  double start = seconds_worked();
  /* a candidate that stayed was shown just so, from what is still there */
  bool shown = is_settled(goal);
  o.proved = shown || (!session_stopped(s) && !is_lost(s, &o) && holds(s, goal, &reason));
  o.seconds = shown ? goal->seconds : seconds_worked() - start;
  atomic_bool *lost = lost_with(s, &o);
  if (!o.proved && lost != NULL)
    atomic_store(lost, true);
  if (!o.proved)
    o.reason = arena_text(&s->arena, text_get(&reason), reason.length);
  vector_push(&s->results, o);
  text_clear(&reason);
}

/* Lemmas are shown from the definitions, before any of them is used. */
static void prove_lemmas(struct session *s) {
  for (size_t i = 0; i < s->lemmas.count; i++) {
    struct goal goal = {.term = s->lemmas.data[i]};
    goal.obligation =
        (struct obligation){.kind = OBLIGATION_LEMMA, .action = s->action, .phase = s->phase};
    smt_push(s->smt);
    for (size_t k = 0; k < s->facts.count; k++)
      if (s->facts.data[k].assumption != NULL)
        smt_assert(s->smt, s->facts.data[k].term);
    prove(s, &goal);
    smt_pop(s->smt);
  }
}

/* Goals from outside the phase first: they may not use what holds inside. */
static void prove_goals(struct session *s, bool outside) {
  for (size_t i = 0; i < s->goals.count; i++) {
    const struct obligation *o = &s->goals.data[i].obligation;
    if (o->outside == outside && (o->property == NULL || o->property->alive))
      prove(s, &s->goals.data[i]);
  }
}

void session_prove(struct session *s) {
  prove_lemmas(s);
  session_push_facts(s);
  prove_goals(s, true);
  assert_facts(s, true);
  prove_goals(s, false);
  smt_pop(s->smt);
}
