/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/unsat.h"

#include <string.h>

#include "base/parallel.h"
#include "solver/prove/progress.h"

/* What the goals done so far used is noted here, as a session need not stay open. */
struct core_place {
  struct session session;
  struct obligation *obligations; /* by goal */
  size_t goal_count;
  bool *done;        /* by goal */
  bool *properties;  /* by property: used */
  bool *assumptions; /* by assumption: used */
  bool exact;
};

struct search {
  const struct proof *proof;
  const struct property *bound;
  const struct proof_options *options;
  struct core_place *places;
  const struct support *support; /* of the rounds before */
};

static size_t index_of(const struct proof *proof, const struct property *property) {
  return (size_t)(property - proof->properties.items.data);
}

/* The goals of a session are the same each time it is opened. */
static void open_place(const struct search *search, size_t index) {
  const struct properties *p = &search->proof->properties;
  const struct model *model = p->model;
  size_t width = model->actions.count + 1, step = index % width;
  struct session_place where = {.action = step == 0 ? NULL : model->actions.items[step - 1],
                                .phase =
                                    index < width ? NULL : model->phases.items[index / width - 1]};
  struct core_place *place = &search->places[index];
  struct session *s = &place->session;
  if (s->proof != NULL) {
    session_reopen(s);
    return;
  }
  session_open(s, search->proof, search->options, &where);
  place->goal_count = s->goals.count;
  place->done = arena_alloc(&s->arena, s->goals.count, sizeof *place->done);
  place->obligations = arena_alloc(&s->arena, s->goals.count, sizeof *place->obligations);
  for (size_t i = 0; i < s->goals.count; i++)
    place->obligations[i] = s->goals.data[i].obligation;
  place->properties = arena_alloc(&s->arena, p->items.count, sizeof *place->properties);
  place->assumptions = arena_alloc(&s->arena, model->assumptions.count, sizeof *place->assumptions);
  place->exact = true;
}

/* Whether the bound rests on the obligation: directly, or because its property is used. */
static bool is_due(const struct search *search, const struct obligation *o) {
  if (!obligation_concerns(o, search->bound) || !progress_is_used(search->proof, o))
    return false;
  return o->property == NULL || o->property == search->bound ||
         search->support->properties[index_of(search->proof, o->property)];
}

/* Facts of one goal: which of the session's, their terms, and which the answer used. */
struct choice {
  struct session *session;
  size_t count;
  size_t *facts;
  smt_term *terms;
  bool *used;
};

/* Whether the file could do without it: one of its invariants that nothing else has used so far. */
static bool is_spare(const struct search *search, const struct choice *c, size_t i) {
  const struct property *p = c->session->facts.data[c->facts[i]].property;
  return p != NULL && p->kind == PROPERTY_INVARIANT &&
         !search->support->properties[index_of(search->proof, p)];
}

/* Leaves out, one by one, the spare facts among those used, all others given: what the solver names
 * is not always needed. Whether any could go. */
static bool shrink(const struct search *search, struct choice *c) {
  struct session *s = c->session;
  struct smt_effort effort = session_effort(s->options);
  bool any = false;
  for (size_t skip = 0; skip < c->count; skip++) {
    if (!c->used[skip] || !is_spare(search, c, skip))
      continue;
    smt_push(s->smt);
    for (size_t i = 0; i < c->count; i++)
      if (i != skip && (c->used[i] || !is_spare(search, c, i)))
        smt_assert(s->smt, c->terms[i]);
    c->used[skip] = smt_try(s->smt, &effort, NULL) != SMT_UNSAT;
    smt_pop(s->smt);
    any = any || !c->used[skip];
  }
  return any;
}

/* Without the spare facts that are not used. */
static void leave_out(const struct search *search, struct choice *c) {
  size_t kept = 0;
  for (size_t i = 0; i < c->count; i++) {
    if (!c->used[i] && is_spare(search, c, i))
      continue;
    c->facts[kept] = c->facts[i];
    c->terms[kept++] = c->terms[i];
  }
  c->count = kept;
}

static bool find_core(struct choice *c) {
  struct smt_effort effort = session_effort(c->session->options);
  bool found = smt_core(c->session->smt, c->terms, c->count, &effort, c->used) == SMT_UNSAT;
  if (!found && !session_stopped(c->session)) {
    effort.strategy = SMT_THOROUGH;
    found = smt_core(c->session->smt, c->terms, c->count, &effort, c->used) == SMT_UNSAT;
  }
  for (size_t i = 0; i < c->count && !found; i++)
    c->used[i] = true;
  return found;
}

static struct choice choose(struct session *s, const struct goal *goal, struct arena *arena) {
  size_t most = s->facts.count;
  struct choice c = {.session = s,
                     .facts = arena_alloc(arena, most, sizeof *c.facts),
                     .terms = arena_alloc(arena, most, sizeof *c.terms),
                     .used = arena_alloc(arena, most, sizeof *c.used)};
  for (size_t i = 0; i < most; i++) {
    if (!session_may_use(goal, &s->facts.data[i]))
      continue;
    c.terms[c.count] = s->facts.data[i].term;
    c.facts[c.count++] = i;
  }
  return c;
}

static void note_used(const struct search *search, struct core_place *place,
                      const struct choice *c) {
  const struct model *model = search->proof->properties.model;
  for (size_t i = 0; i < c->count; i++) {
    const struct fact *fact = &place->session.facts.data[c->facts[i]];
    if (!c->used[i])
      continue;
    if (fact->property != NULL)
      place->properties[index_of(search->proof, fact->property)] = true;
    for (size_t a = 0; a < model->assumptions.count; a++)
      if (model->assumptions.items[a] == fact->assumption)
        place->assumptions[a] = true;
  }
}

static void try_goal(const struct search *search, struct core_place *place,
                     const struct goal *goal) {
  struct session *s = &place->session;
  struct arena scratch;
  arena_init(&scratch);
  struct choice c = choose(s, goal, &scratch);
  session_push_goal(s, goal);
  if (!goal->obligation.outside)
    session_assert_sends(s);
  bool exact = find_core(&c);
  if (exact && shrink(search, &c)) {
    leave_out(search, &c);
    exact = find_core(&c);
  }
  smt_pop(s->smt);
  place->exact = place->exact && exact;
  note_used(search, place, &c);
  arena_clear(&scratch);
}

static bool has_work(const struct search *search, const struct core_place *place) {
  for (size_t i = 0; i < place->goal_count; i++)
    if (!place->done[i] && is_due(search, &place->obligations[i]))
      return true;
  return false;
}

static void try_place(size_t index, void *context) {
  struct search *search = context;
  struct core_place *place = &search->places[index];
  struct session *s = &place->session;
  if (s->proof != NULL && !has_work(search, place))
    return;
  open_place(search, index);
  session_push(s);
  for (size_t i = 0; i < s->goals.count && !session_stopped(s); i++) {
    const struct goal *goal = &s->goals.data[i];
    if (place->done[i] || !is_due(search, &goal->obligation))
      continue;
    place->done[i] = true;
    if (!goal->obvious)
      try_goal(search, place, goal);
  }
  smt_pop(s->smt);
  if (index >= SESSIONS_KEPT)
    session_close_solver(s);
}

/* Whether a property was used that was not before. */
static bool gather(struct support *support, const struct proof *proof,
                   const struct core_place *place) {
  bool any = false;
  for (size_t i = 0; i < proof->properties.items.count; i++) {
    any = any || (place->properties[i] && !support->properties[i]);
    support->properties[i] = support->properties[i] || place->properties[i];
  }
  for (size_t i = 0; i < proof->properties.model->assumptions.count; i++)
    support->assumptions[i] = support->assumptions[i] || place->assumptions[i];
  support->exact = support->exact && place->exact;
  return any;
}

void support_init(struct support *support, const struct proof *proof, const struct property *bound,
                  const struct proof_options *options) {
  const struct model *model = proof->properties.model;
  size_t width = model->actions.count + 1;
  size_t count = bound->bound->by_phases ? width * (proof->properties.phase_count + 1) : width;
  *support = (struct support){
      .properties = mem_alloc(proof->properties.items.count, sizeof(bool)),
      .assumptions = mem_alloc(model->assumptions.count, sizeof(bool)),
      .exact = true,
  };
  struct search search = {proof, bound, options, mem_alloc(count, sizeof *search.places), support};
  for (bool more = true; more && (options->stop == NULL || *options->stop == 0);) {
    parallel_run(options->jobs, count, try_place, &search);
    more = false;
    for (size_t i = 0; i < count; i++)
      more = gather(support, proof, &search.places[i]) || more;
  }
  for (size_t i = 0; i < count; i++)
    if (search.places[i].session.proof != NULL)
      session_close(&search.places[i].session);
  mem_free(search.places);
}

void support_clear(struct support *support) {
  mem_free(support->properties);
  mem_free(support->assumptions);
}
