/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drops generated invariants that are not inductive (session.h). One is tried again only when
 * another that its last proof used has fallen.
 */
#include "solver/prove/session.h"

#include "base/seconds.h"

enum { CANDIDATE_LIMIT_MS = 100 };

static bool is_alive(const struct goal *goal, enum property_kind kind) {
  const struct property *property = goal->obligation.property;
  return property != NULL && property->kind == kind && property->alive;
}

bool attempt_is_settled(const struct attempt *attempt) {
  for (size_t i = 0; attempt->kept && i < attempt->need_count; i++)
    if (!attempt->needs[i]->alive)
      return false;
  return attempt->kept;
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
  return session_effort_of(limit < most ? limit : most);
}

static void note_needs(struct session *s, struct attempt *a, const struct marks *m) {
  size_t count = 0;
  for (size_t i = 0; i < m->count; i++)
    count += m->used[i];
  a->needs = arena_alloc(&s->arena, count, sizeof *a->needs);
  for (size_t i = 0; i < m->count; i++)
    if (m->used[i])
      a->needs[a->need_count++] = m->properties[i];
}

static void check_marked(struct session *s, const struct goal *goal, const struct marks *m) {
  struct attempt *a = goal->attempt;
  struct smt_effort effort = check_effort(s, goal->obligation.property);
  double start = seconds_worked();
  session_push_goal(s, goal);
  a->kept = smt_try_marks(s->smt, m->terms, m->count, &effort, m->used) == SMT_UNSAT;
  smt_pop(s->smt);
  a->seconds = seconds_worked() - start;
  a->need_count = 0;
  if (a->kept)
    note_needs(s, a, m);
  a->failed = !a->kept;
}

/* Whether the solver is to be asked about it in this round. */
static bool is_due(struct session *s, struct goal *goal) {
  struct attempt *a = goal->attempt;
  if (!is_alive(goal, PROPERTY_GENERATED) || session_stopped(s))
    return false;
  a->kept = a->kept || goal->obvious;
  return !attempt_is_settled(a);
}

bool session_has_candidates(const struct session *s) {
  for (size_t i = 0; i < s->attempts.count; i++) {
    const struct attempt *a = s->attempts.data[i];
    const struct property *property = a->property;
    if (property != NULL && property->kind == PROPERTY_GENERATED && property->alive &&
        !attempt_is_settled(a))
      return true;
  }
  return s->attempts.count == 0;
}

void session_check_candidates(struct session *s) {
  bool any = false;
  for (size_t i = 0; i < s->goals.count; i++) {
    s->goals.data[i].attempt->failed = false;
    any = is_due(s, &s->goals.data[i]) || any;
  }
  if (!any)
    return;
  struct marks marks = push_marks(s);
  for (size_t i = 0; i < s->goals.count; i++)
    if (is_due(s, &s->goals.data[i]))
      check_marked(s, &s->goals.data[i], &marks);
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
    struct attempt *a = goal->attempt;
    if (goal->obligation.outside != outside || !is_of_bound(s, goal))
      continue;
    a->kept = goal->obvious;
    a->failed = !a->kept;
    if (!a->kept && !session_stopped(s))
      check_marked(s, goal, marks);
  }
}

void session_check_bounds(struct session *s) {
  struct marks marks = push_marks(s);
  check_bounds(s, &marks, true);
  session_assert_facts(s, true);
  check_bounds(s, &marks, false);
  smt_pop(s->smt);
}
