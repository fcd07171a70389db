/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer_need.h"

#include "base/parallel.h"
#include "solver/session.h"

struct place {
  struct session session;
  bool *done, *used; /* by goal; by guess */
  bool failed;
};

struct search {
  const struct proof *proof;
  const struct proof_options *options;
  struct place *places;
  const bool *needed;
  size_t first, count; /* of the guesses among the properties */
};

/* The number of the guess that the property is, or SIZE_MAX. */
static size_t guess_of(const struct search *s, const struct property *property) {
  if (property == NULL)
    return SIZE_MAX;
  size_t index = (size_t)(property - s->proof->properties.items.data);
  return index < s->first ? SIZE_MAX : index - s->first;
}

static void open_place(size_t index, void *context) {
  struct search *search = context;
  const struct model *model = search->proof->properties.model;
  struct session_place where = {.action = index == 0 ? NULL : model->actions.items[index - 1]};
  struct place *place = &search->places[index];
  session_open(&place->session, search->proof, search->options, &where);
  place->done = mem_alloc(place->session.goals.count, sizeof *place->done);
  place->used = mem_alloc(search->count, sizeof *place->used);
}

static void close_place(struct place *place) {
  session_close(&place->session);
  mem_free(place->done);
  mem_free(place->used);
}

static bool is_due(const struct search *search, const struct goal *goal) {
  const struct property *property = goal->obligation.property;
  size_t guess = guess_of(search, property);
  if (guess != SIZE_MAX)
    return search->needed[guess];
  return property != NULL && property->kind == PROPERTY_BOUND;
}

static void try_goal(const struct search *search, struct place *place, const struct goal *goal) {
  struct session *s = &place->session;
  smt_terms guesses = {0};
  VECTOR(size_t) numbers = {0};
  session_push_goal(s, goal);
  for (size_t i = 0; i < s->facts.count; i++) {
    const struct fact *fact = &s->facts.data[i];
    size_t guess = guess_of(search, fact->property);
    if (!session_may_use(goal, fact))
      continue;
    if (guess == SIZE_MAX) {
      smt_assert(s->smt, fact->term);
    } else {
      vector_push(&guesses, fact->term);
      vector_push(&numbers, guess);
    }
  }
  bool *used = mem_alloc(guesses.count, sizeof *used);
  struct smt_effort effort = session_effort(s->options);
  if (smt_core(s->smt, guesses.data, guesses.count, &effort, used) != SMT_UNSAT)
    place->failed = true;
  for (size_t i = 0; i < guesses.count; i++)
    if (used[i])
      place->used[numbers.data[i]] = true;
  smt_pop(s->smt);
  mem_free(used);
  vector_clear(&guesses);
  vector_clear(&numbers);
}

static void try_place(size_t index, void *context) {
  struct search *search = context;
  struct place *place = &search->places[index];
  struct session *s = &place->session;
  session_push(s);
  for (size_t i = 0; i < s->goals.count && !place->failed && !session_stopped(s); i++) {
    const struct goal *goal = &s->goals.data[i];
    if (place->done[i] || !is_due(search, goal))
      continue;
    place->done[i] = true;
    if (!smt_is_true(s->smt, goal->term))
      try_goal(search, place, goal);
  }
  smt_pop(s->smt);
}

/* Tries what is due until nothing new is needed. */
static bool search_all(struct search *search, bool *needed, size_t width) {
  for (bool more = true; more;) {
    parallel_run(search->options->jobs, width, try_place, search);
    more = false;
    for (size_t i = 0; i < width; i++) {
      const struct place *place = &search->places[i];
      if (place->failed || session_stopped(&place->session))
        return false;
      for (size_t k = 0; k < search->count; k++) {
        more = more || (place->used[k] && !needed[k]);
        needed[k] = needed[k] || place->used[k];
      }
    }
  }
  return true;
}

bool infer_need(bool *needed, const struct proof *proof, size_t count,
                const struct proof_options *options) {
  if (proof->properties.phase_count != 0)
    return false;
  size_t width = proof->properties.model->actions.count + 1;
  struct search search = {.proof = proof,
                          .options = options,
                          .places = mem_alloc(width, sizeof *search.places),
                          .needed = needed,
                          .first = proof->properties.items.count - count,
                          .count = count};
  parallel_run(options->jobs, width, open_place, &search);
  bool good = search_all(&search, needed, width);
  for (size_t i = 0; i < width; i++)
    close_place(&search.places[i]);
  mem_free(search.places);
  return good;
}
