/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/tell/slowest.h"

#include <string.h>

#include "base/text.h"
#include "solver/judge/valuation.h"
#include "solver/search/attack.h"
#include "solver/search/attain.h"
#include "solver/search/scope.h"
#include "solver/judge/replay.h"

enum { SCOPES = 4, SPARE_STEPS = 6, EXECUTIONS = 300, STATES = 200000 };
static const double scope_seconds = 0.5;

struct hunter {
  struct slowest *best;
  struct interpreter *interpreter;
  const struct slowest_search *search;
  size_t left; /* executions to try in this scope */
  bool late;   /* clocks are read 1 after the step starts, else at its start */
  struct rational one, zero;
};

static const struct rational *unit_term(const struct occurrence *o, void *context) {
  const struct hunter *h = context;
  return strcmp(o->component, VALUES_CLOCK_READ) == 0 && !h->late ? &h->zero : &h->one;
}

static const struct rational *unit_bare(const struct component *component, void *context) {
  (void)component;
  return &((const struct hunter *)context)->one;
}

/* time / limit of the replay against that of the best so far. */
static bool is_slower(const struct slowest *best, const struct replay *replay) {
  if (!best->found)
    return true;
  struct rational mine, theirs;
  rational_init(&mine);
  rational_init(&theirs);
  rational_mul(&mine, &replay->time, &best->limit);
  rational_mul(&theirs, &best->time, &replay->limit);
  bool slower = rational_compare(&mine, &theirs) > 0;
  rational_clear(&mine);
  rational_clear(&theirs);
  return slower;
}

/* Whether it is all of the bound, and every term of the bound takes time. */
static bool is_whole(const struct replay *replay, bool positive) {
  return positive && rational_sign(&replay->limit) > 0 &&
         rational_compare(&replay->time, &replay->limit) == 0;
}

/* `valuation` NULL: every bare name is 1. */
static void consider(struct hunter *h, const struct replay *replay,
                     const struct valuation *valuation, bool positive) {
  struct slowest *best = h->best;
  bool whole = is_whole(replay, positive);
  if ((replay->verdict != REPLAY_WITHIN && replay->verdict != REPLAY_EXCEEDED) ||
      (!whole && !is_slower(best, replay)))
    return;
  best->found = true;
  best->unit = valuation == NULL;
  best->whole = whole;
  rational_set(&best->time, &replay->time);
  rational_set(&best->limit, &replay->limit);
  chain_clear(&best->chain);
  chain_init(&best->chain, replay, h->search->bound);
  constants_clear(&best->constants);
  if (valuation != NULL)
    constants_take(&best->constants, h->search->model, valuation);
  for (size_t i = 0; i < h->interpreter->model->params.count; i++)
    best->scope[i] = h->interpreter->params[i];
}

/* Times that attain the bound, or any at all. */
static void try_solver(struct hunter *h, const struct path *path, bool attain) {
  struct values values;
  struct replay replay;
  struct attainment attainment;
  values_init(&values, h->interpreter->model);
  replay_init(&replay);
  attainment_init(&attainment, h->interpreter->model, h->search->bound);
  attainment.only_attained = true;
  bool found = attain ? attain_path(&attainment, &values, &replay, h->interpreter, path)
                      : attack_path(&values, &replay, h->interpreter, h->search->bound, path,
                                    ATTACK_HAPPEN, NULL);
  struct valuation valuation = values_valuation(&values);
  if (found)
    consider(h, &replay, &valuation, attain);
  attainment_clear(&attainment);
  replay_clear(&replay);
  values_clear(&values);
}

static void try_units(struct hunter *h, const struct path *path) {
  struct valuation unit = {unit_term, unit_bare, h};
  struct replay replay;
  replay_init(&replay);
  replay_run(&replay, h->interpreter, h->search->bound, path->steps.data, path->steps.count, &unit);
  consider(h, &replay, NULL, true);
  replay_clear(&replay);
}

static bool try_path(const struct path *path, void *context) {
  struct hunter *h = context;
  h->late = false;
  try_units(h, path);
  h->late = true;
  try_units(h, path);
  if (h->search->attained && !h->best->whole)
    try_solver(h, path, true);
  else if (!h->best->found)
    try_solver(h, path, false);
  h->best->tried++;
  bool stopped = h->search->stop != NULL && *h->search->stop != 0;
  return !stopped && !h->best->whole && --h->left > 0;
}

static void search_scope(struct hunter *h) {
  struct explore_limits limits = {
      .states_max = STATES, .depth_max = h->search->steps, .seconds_max = scope_seconds};
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, h->interpreter, h->search->bound, &limits);
  if (explored.end == EXPLORE_FOUND)
    try_path(&explored.path, h);
  explored_clear(&explored);
  if (h->best->whole)
    return;
  limits.depth_max = h->search->steps + SPARE_STEPS;
  explored_init(&explored);
  explore_paths(&explored, h->interpreter, h->search->bound, &limits, try_path, h);
  explored_clear(&explored);
}

void slowest_init(struct slowest *slowest, const struct slowest_search *search) {
  const struct model *model = search->model;
  *slowest = (struct slowest){.scope = mem_alloc(model->params.count, sizeof(int64_t))};
  rational_init(&slowest->time);
  rational_init(&slowest->limit);
  struct hunter hunter = {.best = slowest, .search = search};
  rational_init(&hunter.one);
  rational_init(&hunter.zero);
  rational_set_integer(&hunter.one, 1);
  struct scopes scopes;
  scopes_init(&scopes, model, SCOPE_TWO_FIRST, SCOPES);
  for (size_t i = 0; i < scopes.items.count && !slowest->whole; i++) {
    struct text ignored;
    text_init(&ignored);
    hunter.left = EXECUTIONS;
    hunter.interpreter = interpreter_new(model, scopes.items.data[i], &ignored);
    text_clear(&ignored);
    if (hunter.interpreter != NULL)
      search_scope(&hunter);
    interpreter_free(hunter.interpreter);
  }
  scopes_clear(&scopes);
  rational_clear(&hunter.one);
  rational_clear(&hunter.zero);
}

void slowest_clear(struct slowest *slowest) {
  chain_clear(&slowest->chain);
  constants_clear(&slowest->constants);
  rational_clear(&slowest->time);
  rational_clear(&slowest->limit);
  mem_free(slowest->scope);
}
