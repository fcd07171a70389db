/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/proof.h"

#include <string.h>
#include <time.h>

#include "base/parallel.h"

enum { CANDIDATE_LIMIT_MS = 1000, THOROUGH_LIMIT_MS = 1000 };

struct session {
  const struct action *action; /* NULL: the first state */
  struct smt *smt;
  struct encoder encoder;
  struct transition transition;
  smt_term *hypothesis, *goal; /* by property: before and after */
  smt_terms lemmas;
  bool *failed; /* by property: this round */
  VECTOR(struct obligation) results;
  struct proof *proof;
  const struct proof_options *options;
};

struct round {
  struct session *sessions;
};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static bool stopped(const struct session *s) {
  return s->options->stop != NULL && *s->options->stop != 0;
}

static void encode_properties(struct session *s, const struct symbolic *before,
                              const struct symbolic *after) {
  const struct properties *p = &s->proof->properties;
  for (size_t i = 0; i < p->items.count; i++) {
    const struct term *formula = p->items.data[i].formula;
    s->hypothesis[i] = before == NULL ? NULL : encode(&s->encoder, formula, before);
    s->goal[i] = encode(&s->encoder, formula, after);
  }
}

static void assert_base(struct session *s) {
  const struct model *model = s->proof->properties.model;
  struct encoder *e = &s->encoder;
  for (size_t i = 0; i < model->assumptions.count; i++)
    smt_assert(s->smt, encode(e, model->assumptions.items[i]->formula, NULL));
  encoder_lemmas(e, &s->lemmas);
  for (size_t i = 0; i < e->axioms.count; i++)
    smt_assert(s->smt, e->axioms.data[i]);
  if (s->action == NULL)
    return;
  smt_assert(s->smt, s->transition.enabled);
  for (size_t i = 0; i < s->proof->properties.items.count; i++)
    if (s->proof->properties.items.data[i].kind == PROPERTY_INVARIANT)
      smt_assert(s->smt, s->hypothesis[i]);
}

static void session_open(size_t index, void *context) {
  struct session *s = &((struct round *)context)->sessions[index];
  const struct properties *p = &s->proof->properties;
  s->smt = smt_new();
  encoder_init(&s->encoder, s->smt, p->model, NULL, p->variable_count);
  s->hypothesis = arena_alloc(&s->encoder.arena, p->items.count, sizeof(smt_term));
  s->goal = arena_alloc(&s->encoder.arena, p->items.count, sizeof(smt_term));
  s->failed = arena_alloc(&s->encoder.arena, p->items.count, sizeof *s->failed);
  if (s->action == NULL) {
    encode_properties(s, NULL, symbolic_initial(&s->encoder));
  } else {
    const struct symbolic *before = symbolic_any(&s->encoder);
    transition_init(&s->transition, &s->encoder, s->action, before);
    encode_properties(s, before, s->transition.after);
  }
  assert_base(s);
}

static void session_close(struct session *s) {
  vector_clear(&s->results);
  vector_clear(&s->lemmas);
  transition_clear(&s->transition);
  encoder_clear(&s->encoder);
  smt_free(s->smt);
}

static void assert_generated(struct session *s) {
  for (size_t i = 0; s->action != NULL && i < s->proof->properties.items.count; i++) {
    const struct property *p = &s->proof->properties.items.data[i];
    if (p->kind == PROPERTY_GENERATED && p->alive)
      smt_assert(s->smt, s->hypothesis[i]);
  }
}

/* Checks one goal under what is asserted. First without candidate models for quantifiers, which
 * settles nearly everything at once; a goal that resists gets a short second try with them. */
static bool holds(struct session *s, smt_term goal, const smt_term *extra, unsigned limit_ms,
                  bool insist, struct text *reason) {
  if (smt_is_true(s->smt, goal))
    return true;
  smt_push(s->smt);
  if (extra != NULL)
    smt_assert(s->smt, *extra);
  smt_assert(s->smt, smt_not(s->smt, goal));
  enum smt_answer answer = smt_check(s->smt, limit_ms, false, NULL);
  if (answer == SMT_UNKNOWN && insist && !stopped(s))
    answer = smt_check(s->smt, limit_ms < THOROUGH_LIMIT_MS ? limit_ms : THOROUGH_LIMIT_MS, true,
                       reason);
  if (answer == SMT_SAT && reason != NULL)
    text_append(reason, "a state without the property can come about");
  smt_pop(s->smt);
  return answer == SMT_UNSAT;
}

static void check_candidates(size_t index, void *context) {
  struct session *s = &((struct round *)context)->sessions[index];
  const struct properties *p = &s->proof->properties;
  smt_push(s->smt);
  assert_generated(s);
  for (size_t i = 0; i < p->items.count && !stopped(s); i++) {
    const struct property *property = &p->items.data[i];
    s->failed[i] = property->kind == PROPERTY_GENERATED && property->alive &&
                   !holds(s, s->goal[i], NULL, CANDIDATE_LIMIT_MS, false, NULL);
  }
  smt_pop(s->smt);
}

static bool drop_failed(struct proof *proof, struct session *sessions, size_t count) {
  bool any = false;
  for (size_t i = 0; i < proof->properties.items.count; i++) {
    struct property *property = &proof->properties.items.data[i];
    bool failed = false;
    for (size_t s = 0; s < count; s++)
      failed = failed || sessions[s].failed[i];
    if (!failed || !property->alive)
      continue;
    property->alive = false;
    proof->dropped++;
    any = true;
  }
  return any;
}

static void show_query(struct session *s, const struct obligation *obligation, smt_term goal,
                       const smt_term *extra) {
  if (s->options->on_query == NULL)
    return;
  struct text query;
  text_init(&query);
  smt_push(s->smt);
  if (extra != NULL)
    smt_assert(s->smt, *extra);
  smt_assert(s->smt, smt_not(s->smt, goal));
  smt_print(s->smt, &query);
  smt_pop(s->smt);
  s->options->on_query(s->options->query_context, obligation, text_get(&query));
  text_clear(&query);
}

static void prove(struct session *s, struct obligation obligation, smt_term goal,
                  const smt_term *extra) {
  struct text reason;
  text_init(&reason);
  obligation.action = s->action;
  show_query(s, &obligation, goal, extra);
  double start = now();
  obligation.proved = !stopped(s) && holds(s, goal, extra, s->options->limit_ms, true, &reason);
  obligation.seconds = now() - start;
  if (!obligation.proved)
    obligation.reason = arena_text(&s->encoder.arena, text_get(&reason), reason.length);
  vector_push(&s->results, obligation);
  text_clear(&reason);
}

static void prove_families(struct session *s) {
  const struct model *model = s->proof->properties.model;
  for (size_t i = 0; i < model->roles.count; i++) {
    const struct role *role = model->roles.items[i];
    if (role->count == NULL)
      continue;
    smt_term size = encode_role_size(&s->encoder, role);
    prove(s, (struct obligation){.kind = OBLIGATION_FAMILY, .role = role},
          smt_le(s->smt, smt_int(s->smt, 1), size), NULL);
  }
}

static void prove_session(size_t index, void *context) {
  struct session *s = &((struct round *)context)->sessions[index];
  const struct properties *p = &s->proof->properties;
  if (s->action == NULL)
    prove_families(s);
  for (size_t i = 0; s->action == NULL && i < s->lemmas.count; i++)
    prove(s, (struct obligation){.kind = OBLIGATION_LEMMA}, s->lemmas.data[i], NULL);
  smt_push(s->smt);
  assert_generated(s);
  for (size_t i = 0; i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    struct obligation o = {.kind = s->action ? OBLIGATION_STEP : OBLIGATION_INITIAL,
                           .property = property};
    bool itself = property->kind == PROPERTY_BOUND && s->action != NULL;
    if (property->alive)
      prove(s, o, s->goal[i], itself ? &s->hypothesis[i] : NULL);
  }
  for (size_t i = 0; i < s->transition.once.count; i++)
    prove(s, (struct obligation){.kind = OBLIGATION_ONCE, .once = s->transition.once.data[i]},
          s->transition.once.data[i].goal, NULL);
  smt_pop(s->smt);
}

static void gather(struct proof *proof, const struct session *s) {
  for (size_t i = 0; i < s->results.count; i++) {
    struct obligation o = s->results.data[i];
    o.once.goal = NULL;
    if (o.reason != NULL)
      o.reason = arena_text(&proof->arena, o.reason, strlen(o.reason));
    vector_push(&proof->obligations, o);
  }
  proof->interrupted = proof->interrupted || stopped(s);
}

void proof_init(struct proof *proof, const struct model *model,
                const struct proof_options *options) {
  memset(proof, 0, sizeof *proof);
  arena_init(&proof->arena);
  properties_init(&proof->properties, model);
  size_t count = model->actions.count + 1;
  struct session *sessions = mem_alloc(count, sizeof *sessions);
  for (size_t i = 0; i < count; i++) {
    sessions[i].action = i == 0 ? NULL : model->actions.items[i - 1];
    sessions[i].proof = proof;
    sessions[i].options = options;
  }
  struct round round = {sessions};
  parallel_run(options->jobs, count, session_open, &round);
  do
    parallel_run(options->jobs, count, check_candidates, &round);
  while (drop_failed(proof, sessions, count));
  parallel_run(options->jobs, count, prove_session, &round);
  for (size_t i = 0; i < count; i++) {
    gather(proof, &sessions[i]);
    session_close(&sessions[i]);
  }
  mem_free(sessions);
}

void proof_clear(struct proof *proof) {
  vector_clear(&proof->obligations);
  properties_clear(&proof->properties);
  arena_clear(&proof->arena);
}

bool proof_covers(const struct proof *proof, const struct property *bound,
                  const struct obligation **first) {
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    bool other_bound =
        o->property != NULL && o->property->kind == PROPERTY_BOUND && o->property != bound;
    if (other_bound || o->proved)
      continue;
    *first = o;
    return false;
  }
  return true;
}

void obligation_print(struct text *text, const struct obligation *o) {
  const char *name = o->property ? o->property->name : "";
  const char *kind = o->property == NULL                   ? ""
                     : o->property->kind == PROPERTY_BOUND ? "bound"
                                                           : "invariant";
  switch (o->kind) {
  case OBLIGATION_INITIAL:
    text_format(text, "the first state has %s %s", kind, name);
    return;
  case OBLIGATION_STEP:
    text_format(text, "action %s keeps %s %s", o->action->name, kind, name);
    return;
  case OBLIGATION_ONCE:
    text_format(text, "action %s %s %s at most once", o->action->name,
                o->once.kind == ONCE_SENT ? "sends each" : "charges each",
                o->once.kind == ONCE_SENT ? o->once.message->name : o->once.component->name);
    return;
  case OBLIGATION_FAMILY:
    text_format(text, "the assumptions give %s at least one node", o->role->name);
    return;
  case OBLIGATION_LEMMA:
    text_append(text, "the terms of a sum lie between 0 and their bare name");
    return;
  }
}
