/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Attempts at a session's goals, strategy by strategy, each briefly first (session.h). Lemmas are
 * proved before they are used.
 */
#include "solver/prove/session.h"

#include <string.h>

#include "base/invariant.h"
#include "base/seconds.h"
#include "solver/prove/progress.h"

/* In a fixed order. Without candidate models for quantifiers, which settles nearly everything at
 * once; then afresh, with instances for all terms, with candidate models, with other arithmetic and
 * fewer instances, and with other seeds: each briefly first, since a goal that drowns the one is
 * often easy for the other, and no proof is to hang on the luck of one. */
static const struct rung {
  enum smt_strategy strategy;
  unsigned limit_ms; /* 0: the limit of the proof */
  unsigned reseed;
} ladder[] = {{SMT_QUICK, 300, 0},     {SMT_ALL, 300, 0},       {SMT_THOROUGH, 150, 0},
              {SMT_OTHER, 1000, 0},    {SMT_THOROUGH, 1000, 1}, {SMT_QUICK, 300, 2},
              {SMT_THOROUGH, 1000, 3}, {SMT_QUICK, 0, 0},       {SMT_OTHER, 0, 0},
              {SMT_THOROUGH, 2000, 0}};

/* The first attempt at every goal ends here: what it does not settle may be false. Of those of which
 * not all need hold, most are. */
enum { RUNGS = sizeof ladder / sizeof *ladder, BRIEF_RUNGS = 3, BRIEF_OPTIONAL_RUNGS = 1 };

static size_t brief_rungs(const struct obligation *o) {
  return obligation_is_optional(o) ? BRIEF_OPTIONAL_RUNGS : BRIEF_RUNGS;
}

/* The digest of a query that is pushed; false: none is wanted, or there is none. */
static bool digest_query(struct session *s, char digest[DIGEST_LENGTH + 1]) {
  return s->options->known != NULL && smt_digest(s->smt, NULL, 0, digest);
}

static void record(struct session *s, const char *digest) {
  vector_push(&s->records, arena_text(&s->arena, digest, DIGEST_LENGTH));
}

/* Whether it was found before that nothing but what is asserted is needed. */
static bool is_known(struct session *s, const struct goal *goal) {
  char digest[DIGEST_LENGTH + 1];
  bool found = false;
  if (s->options->known == NULL || s->options->known->records.count == 0)
    return false;
  session_push_goal(s, goal);
  if (digest_query(s, digest)) {
    size_t first, count = known_find(s->options->known, digest, &first);
    for (size_t i = 0; i < count && !found; i++)
      found = s->options->known->records.data[first + i][DIGEST_LENGTH] == '\0';
  }
  smt_pop(s->smt);
  if (found)
    record(s, digest);
  return found;
}

/* Tries the rungs from `from` to before `to`; `o` gets the outcome, `open` when rungs are left. */
static void climb(struct session *s, const struct goal *goal, size_t from, size_t to,
                  struct obligation *o) {
  struct text reason;
  text_init(&reason);
  bool *hopeless = goal->attempt->hopeless;
  session_push_goal(s, goal);
  char digest[DIGEST_LENGTH + 1];
  bool digested = digest_query(s, digest);
  enum smt_answer answer = SMT_UNKNOWN;
  for (size_t i = from; i < to && answer == SMT_UNKNOWN; i++) {
    unsigned limit = s->options->limit_ms, rung = ladder[i].limit_ms;
    bool reseeded = ladder[i].reseed != 0;
    if ((hopeless[ladder[i].strategy] && !reseeded) || session_stopped(s))
      continue;
    struct smt_effort effort = session_effort_of(rung != 0 && rung < limit ? rung : limit);
    effort.strategy = ladder[i].strategy;
    effort.reseed = ladder[i].reseed;
    text_clear(&reason);
    answer = smt_try(s->smt, &effort, &reason);
    if (!reseeded)
      hopeless[ladder[i].strategy] =
          answer == SMT_UNKNOWN && !reason_is_exhausted(text_get(&reason));
  }
  smt_pop(s->smt);
  if (answer == SMT_SAT)
    text_append(&reason, "a state without the property can come about");
  o->proved = answer == SMT_UNSAT;
  o->asked = true;
  if (o->proved && digested)
    record(s, digest);
  o->open = answer == SMT_UNKNOWN && to < RUNGS && !session_stopped(s);
  if (!o->proved && (reason.length != 0 || o->reason == NULL))
    o->reason = arena_text(&s->arena, text_get(&reason), reason.length);
  text_clear(&reason);
}

static void show_query(struct session *s, const struct goal *goal) {
  if (s->options->on_query == NULL)
    return;
  struct text query;
  text_init(&query);
  session_push_goal(s, goal);
  smt_print(s->smt, &query);
  smt_pop(s->smt);
  struct obligation shown = goal->obligation;
  shown.facts = goal->facts;
  for (size_t i = 0; i < s->base.axioms; i++)
    shown.facts |= UINT64_C(1) << s->encoder.facts.data[i];
  s->options->on_query(s->options->query_context, &shown, text_get(&query));
  text_clear(&query);
}

/* Which bounds are lost with the obligation: all, one, or (NULL) that is not known here. */
static atomic_bool *lost_with(const struct session *s, const struct obligation *o) {
  const struct property *property = o->property;
  if (obligation_is_optional(o)) /* another rank may do */
    return NULL;
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

/* The rungs as they are, for an obligation that is not proved yet. */
static void try_goal(struct session *s, const struct goal *goal, size_t from, size_t to,
                     struct obligation *o) {
  double start = seconds_worked();
  o->open = false;
  if (!session_stopped(s) && !is_lost(s, o))
    climb(s, goal, from, to, o);
  o->seconds += seconds_worked() - start;
  atomic_bool *lost = lost_with(s, o);
  if (!o->proved && !o->open && lost != NULL)
    atomic_store(lost, true);
  if (!o->proved && o->reason == NULL)
    o->reason = "";
}

static void add_result(struct session *s, const struct goal *goal, const struct obligation *o) {
  vector_push(&s->results, *o);
  goal->attempt->result = s->results.count;
}

static void prove(struct session *s, const struct goal *goal, size_t to) {
  struct obligation o = goal->obligation;
  if (!obligation_is_optional(&o)) /* of those only what the argument uses: it is not known yet */
    show_query(s, goal);
  /* a candidate that stayed was shown just so, from what is still there */
  bool shown = attempt_is_settled(goal->attempt);
  o.proved = shown || goal->obvious;
  o.seconds = shown ? goal->attempt->seconds : 0;
  o.reused = shown ? goal->attempt->reused : !o.proved && is_known(s, goal);
  o.asked = shown && goal->attempt->asked;
  o.proved = o.proved || o.reused;
  if (!o.proved)
    try_goal(s, goal, 0, to, &o);
  add_result(s, goal, &o);
}

/* A lemma is shown from the definitions, those of the goal that it is for included, before any is
 * used; and not only briefly, as it is never false. */
static void prove_lemmas(struct session *s, const struct goal *of, const smt_term *lemmas,
                         size_t count) {
  smt_push(s->smt);
  session_assert_definitions(s);
  for (size_t i = 0; of != NULL && i < of->definition_count; i++)
    smt_assert(s->smt, of->axioms[i]);
  for (size_t k = 0; k < s->facts.count; k++)
    if (s->facts.data[k].assumption != NULL)
      smt_assert(s->smt, s->facts.data[k].term);
  for (size_t i = 0; i < count; i++) {
    struct attempt attempt = {.failed = false};
    struct goal goal = {.term = lemmas[i], .attempt = &attempt};
    goal.obvious = smt_is_true(s->smt, goal.term);
    goal.obligation =
        (struct obligation){.kind = OBLIGATION_LEMMA, .action = s->action, .phase = s->phase};
    if (of != NULL)
      goal.obligation.property = of->obligation.property;
    if (of != NULL)
      goal.obligation.bound = of->obligation.bound;
    prove(s, &goal, RUNGS);
  }
  smt_pop(s->smt);
}

static bool is_wanted(const struct goal *goal) {
  const struct property *property = goal->obligation.property;
  return property == NULL || property->alive;
}

static void prove_all_lemmas(struct session *s) {
  if (s->lemmas.count != 0)
    prove_lemmas(s, NULL, s->lemmas.data, s->lemmas.count);
  for (size_t i = 0; i < s->goals.count; i++) {
    const struct goal *goal = &s->goals.data[i];
    if (is_wanted(goal) && goal->lemma_count != 0)
      prove_lemmas(s, goal, goal->lemmas, goal->lemma_count);
  }
}

/* Goals from outside the phase first: they may not use what holds inside. */
static void prove_goals(struct session *s, bool outside) {
  for (size_t i = 0; i < s->goals.count; i++) {
    const struct goal *goal = &s->goals.data[i];
    if (goal->obligation.outside == outside && is_wanted(goal) && goal->attempt->result == 0)
      prove(s, goal, brief_rungs(&goal->obligation));
  }
}

/* Whether the facts that are pushed, which are not all, do for the goal; else nothing is known. */
static bool prove_near(struct session *s, const struct goal *goal) {
  struct obligation o = goal->obligation;
  struct smt_effort effort = session_effort_of(ladder[0].limit_ms);
  double start = seconds_worked();
  char digest[DIGEST_LENGTH + 1];
  if (session_stopped(s) || is_lost(s, &o))
    return false;
  o.reused = o.proved = is_known(s, goal);
  if (!o.proved) {
    session_push_goal(s, goal);
    bool digested = digest_query(s, digest);
    o.asked = true;
    o.proved = smt_try(s->smt, &effort, NULL) == SMT_UNSAT;
    smt_pop(s->smt);
    if (o.proved && digested)
      record(s, digest);
  }
  o.seconds = seconds_worked() - start;
  if (o.proved)
    add_result(s, goal, &o);
  return o.proved;
}

/* Whether no goal is left. A certificate has all facts. */
static bool prove_all_near(struct session *s) {
  bool all = true;
  if (s->near == 0 || s->options->on_query != NULL)
    return false;
  session_push_near(s);
  session_assert_sends(s);
  for (size_t i = 0; i < s->goals.count; i++) {
    const struct goal *goal = &s->goals.data[i];
    if (!is_wanted(goal))
      continue;
    if (goal->obligation.outside)
      all = false;
    else if (goal->obvious || attempt_is_settled(goal->attempt))
      prove(s, goal, 0);
    else
      all = prove_near(s, goal) && all;
  }
  smt_pop(s->smt);
  return all;
}

enum { DEAD_LIMIT_MS = 25 };

static bool may_be_dead(const struct session *s) {
  return s->action != NULL && !s->action->idle && s->phase == NULL && !session_stopped(s) &&
         !s->proof->taken[s->action->id];
}

/* Whether the facts contradict the step; what is not quickly seen is taken for possible. */
static bool is_dead(struct session *s) {
  struct smt_effort effort = session_effort_of(DEAD_LIMIT_MS);
  return may_be_dead(s) && smt_try(s->smt, &effort, NULL) == SMT_UNSAT;
}

/* Whether any goal is open; each that is wanted has a result, or nobody would miss its proof. */
static bool has_open(const struct session *s) {
  bool open = false;
  for (size_t i = 0; i < s->goals.count; i++)
    invariant(!is_wanted(&s->goals.data[i]) || s->goals.data[i].attempt->result != 0);
  for (size_t i = 0; i < s->results.count; i++)
    open = open || s->results.data[i].open;
  return open;
}

static void prove_from_all(struct session *s) {
  session_push_facts(s);
  prove_goals(s, true);
  session_assert_facts(s, true);
  prove_goals(s, false);
  s->dead = is_dead(s); /* last: what a solver has been asked changes how it goes on */
  smt_pop(s->smt);
}

bool session_prove(struct session *s) {
  prove_all_lemmas(s);
  if (!prove_all_near(s) || may_be_dead(s))
    prove_from_all(s);
  return has_open(s);
}

struct wish {
  bool (*wants)(const struct obligation *obligation, const void *context);
  const void *context;
};

static struct obligation *result_of(struct session *s, const struct goal *goal) {
  struct obligation *o = &s->results.data[goal->attempt->result - 1];
  invariant(o->kind == goal->obligation.kind && o->property == goal->obligation.property);
  return o;
}

static void settle_goals(struct session *s, bool outside, const struct wish *wish) {
  for (size_t i = 0; i < s->goals.count; i++) {
    const struct goal *goal = &s->goals.data[i];
    if (goal->obligation.outside != outside || goal->attempt->result == 0)
      continue;
    struct obligation *o = result_of(s, goal);
    if (o->open && wish->wants(o, wish->context))
      try_goal(s, goal, brief_rungs(o), RUNGS, o);
  }
}

static void settle_angles(struct session *s, const struct wish *wish) {
  for (size_t i = 0; i < s->goals.count; i++) {
    const struct goal *goal = &s->goals.data[i];
    if (goal->attempt->result == 0 || goal->obligation.property == NULL || s->phase != NULL ||
        s->action == NULL)
      continue;
    struct obligation *o = result_of(s, goal);
    if (o->open && wish->wants(o, wish->context) && !session_stopped(s) && !is_lost(s, o) &&
        session_try_angles(s, goal, &o->seconds)) {
      o->proved = true;
      o->open = false;
    }
  }
}

void session_settle(struct session *s,
                    bool (*wants)(const struct obligation *obligation, const void *context),
                    const void *context) {
  struct wish wish = {wants, context};
  settle_angles(s, &wish);
  session_push_facts(s);
  settle_goals(s, true, &wish);
  session_assert_facts(s, true);
  settle_goals(s, false, &wish);
  smt_pop(s->smt);
}

void session_show_progress(struct session *s) {
  session_push_facts(s);
  session_assert_facts(s, true);
  for (size_t i = 0; i < s->goals.count; i++)
    if (obligation_is_optional(&s->goals.data[i].obligation) &&
        progress_is_used(s->proof, &s->goals.data[i].obligation))
      show_query(s, &s->goals.data[i]);
  smt_pop(s->smt);
}
