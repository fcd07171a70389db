/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Drops generated invariants that are not inductive (session.h). One is tried again only when
 * another that its last proof used has fallen.
 */
#include "solver/prove/session.h"

#include <string.h>

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
  smt_term *terms, *facts;
  const struct property **properties;
  smt_term *asserted; /* what each mark implies it by */
  bool *used;
};

static struct marks push_marks(struct session *s, bool near) {
  struct arena *arena = &s->encoder.arena;
  struct marks m = {.terms = arena_alloc(arena, s->facts.count, sizeof *m.terms),
                    .properties = arena_alloc(arena, s->facts.count, sizeof *m.properties),
                    .facts = arena_alloc(arena, s->facts.count, sizeof *m.facts),
                    .asserted = arena_alloc(arena, s->facts.count, sizeof *m.asserted),
                    .used = arena_alloc(arena, s->facts.count, sizeof *m.used)};
  size_t count = near ? s->near : s->facts.count;
  (near ? session_push_step : session_push)(s);
  for (size_t i = 0; i < count; i++) {
    const struct property *property = s->facts.data[i].property;
    if (property == NULL || property->kind != PROPERTY_GENERATED) {
      if (property == NULL || property->phase == NULL)
        smt_assert(s->smt, s->facts.data[i].term);
    } else if (property->alive) {
      m.properties[m.count] = property;
      m.terms[m.count] = smt_fresh(s->smt, "mark", smt_sort_bool(s->smt));
      m.facts[m.count] = s->facts.data[i].term;
      m.asserted[m.count] = smt_implies(s->smt, m.terms[m.count], m.facts[m.count]);
      smt_assert(s->smt, m.asserted[m.count++]);
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

/* Whether all facts that the record names are marked; they are then `used`. */
static bool covers(struct session *s, const struct marks *m, const char *record) {
  for (size_t i = 0; i < m->count; i++)
    m->used[i] = false;
  for (const char *need = record + DIGEST_LENGTH; *need == ' '; need += DIGEST_LENGTH + 1) {
    bool found = false;
    for (size_t i = 0; i < m->count && !found; i++) {
      found = strncmp(smt_term_digest(s->smt, m->facts[i]), need + 1, DIGEST_LENGTH) == 0;
      m->used[i] = m->used[i] || found;
    }
    if (!found)
      return false;
  }
  return true;
}

static bool recall(struct session *s, const struct marks *m, const char *digest) {
  const struct known_queries *known = s->options->known;
  size_t first, count = known_find(known, digest, &first);
  for (size_t i = 0; i < count; i++)
    if (covers(s, m, known->records.data[first + i]))
      return true;
  return false;
}

static void record(struct session *s, const struct marks *m, const char *digest) {
  struct text text;
  bool whole = true;
  text_init(&text);
  text_append(&text, digest);
  for (size_t i = 0; i < m->count; i++)
    if (m->used[i]) {
      const char *fact = smt_term_digest(s->smt, m->facts[i]);
      text_format(&text, " %s", fact);
      whole = whole && *fact != '\0';
    }
  if (whole)
    vector_push(&s->records, arena_text(&s->arena, text.data, text.length));
  text_clear(&text);
}

/* With the marks that were needed in m->used. */
static bool has_no_model(struct session *s, struct attempt *a, const struct marks *m,
                         const struct smt_effort *effort) {
  char digest[DIGEST_LENGTH + 1];
  bool digested = s->options->known != NULL && smt_digest(s->smt, m->asserted, m->count, digest);
  a->reused = digested && recall(s, m, digest);
  a->asked = !a->reused;
  bool none = a->reused || smt_try_marks(s->smt, m->terms, m->count, effort, m->used) == SMT_UNSAT;
  if (none && digested)
    record(s, m, digest);
  return none;
}

static void check_marked(struct session *s, const struct goal *goal, const struct marks *m) {
  struct attempt *a = goal->attempt;
  struct smt_effort effort = check_effort(s, goal->obligation.property);
  double start = seconds_worked();
  session_push_goal(s, goal);
  a->kept = has_no_model(s, a, m, &effort);
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

static bool is_any_due(struct session *s) {
  bool any = false;
  for (size_t i = 0; i < s->goals.count; i++)
    any = is_due(s, &s->goals.data[i]) || any;
  return any;
}

static void check_due(struct session *s, bool near) {
  if (!is_any_due(s))
    return;
  struct marks marks = push_marks(s, near);
  session_assert_sends(s);
  for (size_t i = 0; i < s->goals.count; i++)
    if (is_due(s, &s->goals.data[i]))
      check_marked(s, &s->goals.data[i], &marks);
  smt_pop(s->smt);
}

void session_check_candidates(struct session *s) {
  for (size_t i = 0; i < s->goals.count; i++)
    s->goals.data[i].attempt->failed = false;
  if (s->near != 0)
    check_due(s, true);
  check_due(s, false);
}

static bool is_generated(const struct goal *goal) {
  const struct property *property = goal->obligation.property;
  return property != NULL && property->kind == PROPERTY_GENERATED;
}

static void check_others(struct session *s, const struct marks *marks, bool outside) {
  for (size_t i = 0; i < s->goals.count; i++) {
    struct goal *goal = &s->goals.data[i];
    struct attempt *a = goal->attempt;
    if (goal->obligation.outside != outside || is_generated(goal) ||
        obligation_is_optional(&goal->obligation)) /* not each is needed */
      continue;
    a->kept = goal->obvious;
    a->failed = !a->kept;
    if (!a->kept && !session_stopped(s))
      check_marked(s, goal, marks);
  }
}

void session_check_others(struct session *s) {
  struct marks marks = push_marks(s, false);
  check_others(s, &marks, true);
  session_assert_facts(s, true);
  check_others(s, &marks, false);
  smt_pop(s->smt);
}
