/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/unsat.h"

#include <string.h>

#include "base/parallel.h"
#include "solver/session.h"

struct place {
  struct session session;
  bool *done; /* by goal */
  bool *used; /* by fact: by the goals done so far */
  bool exact;
};

struct search {
  const struct proof *proof;
  const struct property *bound;
  const struct proof_options *options;
  struct place *places;
  const struct support *support; /* of the rounds before */
};

static size_t index_of(const struct proof *proof, const struct property *property) {
  return (size_t)(property - proof->properties.items.data);
}

static void open_place(size_t index, void *context) {
  struct search *search = context;
  const struct model *model = search->proof->properties.model;
  size_t width = model->actions.count + 1, step = index % width;
  struct session_place where = {.action = step == 0 ? NULL : model->actions.items[step - 1],
                                .phase =
                                    index < width ? NULL : model->phases.items[index / width - 1]};
  struct place *place = &search->places[index];
  struct session *s = &place->session;
  session_open(s, search->proof, search->options, &where);
  place->done = arena_alloc(&s->arena, s->goals.count, sizeof *place->done);
  place->used = arena_alloc(&s->arena, s->facts.count, sizeof *place->used);
  place->exact = true;
}

/* Whether the bound rests on the goal: directly, or because its property is used. */
static bool is_due(const struct search *search, const struct goal *goal) {
  const struct obligation *o = &goal->obligation;
  if (!obligation_concerns(o, search->bound))
    return false;
  return o->property == NULL || o->property == search->bound ||
         search->support->properties[index_of(search->proof, o->property)];
}

/* Leaves out, one by one, the user's invariants that nothing else has used so far: what the solver
 * names is not always needed. */
static void shrink(const struct search *search, struct session *s, const smt_term *terms,
                   const size_t *facts, bool *used, size_t count) {
  struct smt_effort effort = session_effort(s->options);
  for (size_t skip = 0; skip < count; skip++) {
    const struct property *p = s->facts.data[facts[skip]].property;
    if (!used[skip] || p == NULL || p->kind != PROPERTY_INVARIANT ||
        search->support->properties[index_of(search->proof, p)])
      continue;
    smt_push(s->smt);
    for (size_t i = 0; i < count; i++)
      if (used[i] && i != skip)
        smt_assert(s->smt, terms[i]);
    used[skip] = smt_try(s->smt, &effort, NULL) != SMT_UNSAT;
    smt_pop(s->smt);
  }
}

static void try_goal(const struct search *search, struct place *place, const struct goal *goal) {
  struct session *s = &place->session;
  struct arena scratch;
  arena_init(&scratch);
  size_t most = s->facts.count, count = 0;
  smt_term *terms = arena_alloc(&scratch, most, sizeof *terms);
  size_t *facts = arena_alloc(&scratch, most, sizeof *facts);
  bool *used = arena_alloc(&scratch, most, sizeof *used);
  for (size_t i = 0; i < most; i++) {
    if (!session_may_use(goal, &s->facts.data[i]))
      continue;
    terms[count] = s->facts.data[i].term;
    facts[count++] = i;
  }
  session_push_goal(s, goal);
  struct smt_effort effort = session_effort(s->options);
  if (smt_core(s->smt, terms, count, &effort, used) == SMT_UNSAT) {
    shrink(search, s, terms, facts, used, count);
  } else {
    place->exact = false;
    for (size_t i = 0; i < count; i++)
      used[i] = true;
  }
  smt_pop(s->smt);
  for (size_t i = 0; i < count; i++)
    place->used[facts[i]] = place->used[facts[i]] || used[i];
  arena_clear(&scratch);
}

static void try_place(size_t index, void *context) {
  struct search *search = context;
  struct place *place = &search->places[index];
  struct session *s = &place->session;
  session_push(s);
  for (size_t i = 0; i < s->goals.count && !session_stopped(s); i++) {
    const struct goal *goal = &s->goals.data[i];
    if (place->done[i] || !is_due(search, goal))
      continue;
    place->done[i] = true;
    if (!smt_is_true(s->smt, goal->term))
      try_goal(search, place, goal);
  }
  smt_pop(s->smt);
}

/* Whether a property was used that was not before. */
static bool gather(struct support *support, const struct proof *proof, const struct place *place) {
  bool any = false;
  const struct model *model = proof->properties.model;
  for (size_t i = 0; i < place->session.facts.count; i++) {
    const struct fact *fact = &place->session.facts.data[i];
    if (!place->used[i])
      continue;
    if (fact->property != NULL) {
      bool *mark = &support->properties[index_of(proof, fact->property)];
      any = any || !*mark;
      *mark = true;
    }
    for (size_t a = 0; a < model->assumptions.count; a++)
      if (model->assumptions.items[a] == fact->assumption)
        support->assumptions[a] = true;
  }
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
  parallel_run(options->jobs, count, open_place, &search);
  bool more = true;
  while (more && (options->stop == NULL || *options->stop == 0)) {
    parallel_run(options->jobs, count, try_place, &search);
    more = false;
    for (size_t i = 0; i < count; i++)
      more = gather(support, proof, &search.places[i]) || more;
  }
  for (size_t i = 0; i < count; i++)
    session_close(&search.places[i].session);
  mem_free(search.places);
}

void support_clear(struct support *support) {
  mem_free(support->properties);
  mem_free(support->assumptions);
}
