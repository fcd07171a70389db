/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/proof.h"

#include <string.h>

#include "base/parallel.h"
#include "solver/prove/session.h"

struct round {
  struct proof *proof;
  const struct proof_options *options;
  struct session *sessions;
};

/* --- contradictory assumptions ---------------------------------------------------------------- */

static bool is_interrupted(const struct proof_options *options) {
  return options->stop != NULL && *options->stop != 0;
}

/* The assumptions in `used`, less those that can be left out one by one. */
static void shrink(struct smt *smt, const smt_term *facts, bool *used, size_t count,
                   const struct smt_effort *effort) {
  for (size_t skip = 0; skip < count; skip++) {
    if (!used[skip])
      continue;
    smt_push(smt);
    for (size_t i = 0; i < count; i++)
      if (used[i] && i != skip)
        smt_assert(smt, facts[i]);
    used[skip] = smt_try(smt, effort, NULL) != SMT_UNSAT;
    smt_pop(smt);
  }
}

static void note_contradiction(struct proof *proof, const bool *used) {
  const struct model *model = proof->properties.model;
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < model->assumptions.count; i++)
    if (used[i])
      text_format(&text, "%s%s", text.length == 0 ? "" : "; ", model->assumptions.items[i]->text);
  proof->contradiction = arena_text(&proof->arena, text_get(&text), text.length);
  text_clear(&text);
}

static void check_assumptions(struct proof *proof, const struct proof_options *options) {
  const struct model *model = proof->properties.model;
  size_t count = model->assumptions.count;
  struct smt *smt = smt_new_seeded(options->seed);
  struct encoder encoder;
  encoder_init(&encoder, smt, model, NULL, proof->properties.variable_count);
  smt_term *facts = arena_alloc(&encoder.arena, count, sizeof *facts);
  bool *used = arena_alloc(&encoder.arena, count, sizeof *used);
  for (size_t i = 0; i < count; i++)
    facts[i] = encode(&encoder, model->assumptions.items[i]->formula, NULL);
  for (size_t i = 0; i < encoder.axioms.count; i++)
    smt_assert(smt, encoder.axioms.data[i]);
  struct smt_effort effort = session_effort(options);
  if (smt_core(smt, facts, count, &effort, used) == SMT_UNSAT) {
    shrink(smt, facts, used, count, &effort);
    note_contradiction(proof, used);
  }
  encoder_clear(&encoder);
  smt_free(smt);
}

/* --- generated invariants -----------------------------------------------------------------------
 */

static void open_session(size_t index, void *context) {
  struct round *round = context;
  const struct model *model = round->proof->properties.model;
  struct session_place place = {.action = index == 0 ? NULL : model->actions.items[index - 1]};
  session_open(&round->sessions[index], round->proof, round->options, &place);
}

static void check_candidates(size_t index, void *context) {
  session_check_candidates(&((struct round *)context)->sessions[index]);
}

static bool drop_failed(struct proof *proof, struct session *sessions, size_t count) {
  size_t before = proof->dropped;
  for (size_t i = 0; i < count; i++)
    for (size_t g = 0; g < sessions[i].goals.count; g++) {
      const struct goal *goal = &sessions[i].goals.data[g];
      if (!goal->failed || !goal->obligation.property->alive)
        continue;
      size_t index = (size_t)(goal->obligation.property - proof->properties.items.data);
      proof->properties.items.data[index].alive = false;
      proof->dropped++;
    }
  return proof->dropped != before;
}

/* What the goals of one session use: those of generated properties, or all others. */
static void note_uses(struct proof *proof, const struct session *s, bool generated, bool *of_use) {
  const struct property *properties = proof->properties.items.data;
  size_t count = proof->properties.items.count;
  for (size_t g = 0; g < s->goals.count; g++) {
    const struct goal *goal = &s->goals.data[g];
    const struct property *property = goal->obligation.property;
    if (generated != (property != NULL && property->kind == PROPERTY_GENERATED))
      continue;
    bool *row = generated ? &proof->uses[(size_t)(property - properties) * count] : of_use;
    for (size_t i = 0; goal->kept && i < goal->need_count; i++)
      row[goal->needs[i] - properties] = true;
    if (!generated && goal->failed)
      of_use[count] = true;
  }
}

/* Each session, then each phase's, has a row of its own: of use, and (last) whether one failed. */
struct search {
  struct round *round;
  size_t width; /* sessions of the whole execution, and of each phase */
  bool *rows;
};

static void find_uses(size_t index, void *context) {
  const struct search *search = context;
  struct proof *proof = search->round->proof;
  const struct model *model = proof->properties.model;
  bool *row = &search->rows[index * (proof->properties.items.count + 1)];
  if (index < search->width) {
    session_check_bounds(&search->round->sessions[index]);
    note_uses(proof, &search->round->sessions[index], false, row);
    return;
  }
  size_t step = index % search->width;
  struct session_place place = {.action = step == 0 ? NULL : model->actions.items[step - 1],
                                .phase = model->phases.items[index / search->width - 1]};
  struct session s;
  session_open(&s, proof, search->round->options, &place);
  session_check_bounds(&s);
  note_uses(proof, &s, false, row);
  session_close(&s);
}

static void find_all_uses(struct round *round, size_t width) {
  struct proof *proof = round->proof;
  size_t count = proof->properties.items.count, all = width * (1 + proof->properties.phase_count);
  struct search search = {round, width,
                          arena_alloc(&proof->arena, all * (count + 1), sizeof *search.rows)};
  proof->uses = arena_alloc(&proof->arena, count * count, sizeof *proof->uses);
  proof->of_use = arena_alloc(&proof->arena, count, sizeof *proof->of_use);
  parallel_run(round->options->jobs, all, find_uses, &search);
  for (size_t i = 0; i < width; i++)
    note_uses(proof, &round->sessions[i], true, NULL);
  for (size_t i = 0; i < all; i++) {
    const bool *row = &search.rows[i * (count + 1)];
    for (size_t k = 0; k < count; k++)
      proof->of_use[k] = proof->of_use[k] || row[k];
    proof->missing = proof->missing || row[count];
  }
}

/* --- the proof ----------------------------------------------------------------------------------
 */

static void prove_session(size_t index, void *context) {
  session_prove(&((struct round *)context)->sessions[index]);
}

/* Phases come when it is known which generated invariants there are. Their sessions, a state of
 * each phase and each action in it, are many: none stays open longer than it is needed. */
static void run_phase_session(size_t index, void *context) {
  struct round *round = context;
  struct session *s = &round->sessions[index];
  const struct model *model = round->proof->properties.model;
  size_t width = model->actions.count + 1, step = index % width;
  struct session_place place = {.action = step == 0 ? NULL : model->actions.items[step - 1],
                                .phase = model->phases.items[index / width]};
  session_open(s, round->proof, round->options, &place);
  session_prove(s);
  session_close_solver(s);
}

static void gather(struct proof *proof, struct session *s) {
  for (size_t i = 0; i < s->results.count; i++) {
    struct obligation o = s->results.data[i];
    if (o.reason != NULL)
      o.reason = arena_text(&proof->arena, o.reason, strlen(o.reason));
    vector_push(&proof->obligations, o);
  }
  proof->interrupted = proof->interrupted || session_stopped(s);
  session_close(s);
}

static void prove_phases(struct round *round) {
  const struct properties *p = &round->proof->properties;
  size_t count = p->phase_count * (p->model->actions.count + 1);
  round->sessions = mem_alloc(count, sizeof *round->sessions);
  parallel_run(round->options->jobs, count, run_phase_session, round);
  for (size_t i = 0; i < count; i++)
    gather(round->proof, &round->sessions[i]);
  mem_free(round->sessions);
}

static void add_candidates(struct proof *proof, const struct proof_options *options) {
  for (size_t i = 0; i < options->candidate_count; i++)
    vector_push(&proof->properties.items,
                (struct property){.kind = PROPERTY_GENERATED,
                                  .name = options->candidates[i]->name,
                                  .formula = options->candidates[i]->formula,
                                  .limit_ms = options->limit_ms,
                                  .alive = true});
}

static void prove_all(struct proof *proof, const struct proof_options *options) {
  size_t count = proof->properties.model->actions.count + 1;
  proof->lost = arena_alloc(&proof->arena, 1 + proof->properties.items.count, sizeof *proof->lost);
  struct round round = {proof, options, mem_alloc(count, sizeof *round.sessions)};
  parallel_run(options->jobs, count, open_session, &round);
  do
    parallel_run(options->jobs, count, check_candidates, &round);
  while (drop_failed(proof, round.sessions, count) && !is_interrupted(options));
  if (options->with_uses)
    find_all_uses(&round, count);
  if (!options->candidates_only)
    parallel_run(options->jobs, count, prove_session, &round);
  for (size_t i = 0; i < count; i++)
    gather(proof, &round.sessions[i]);
  mem_free(round.sessions);
  if (!options->candidates_only)
    prove_phases(&round);
}

void proof_init(struct proof *proof, const struct model *model,
                const struct proof_options *options) {
  memset(proof, 0, sizeof *proof);
  arena_init(&proof->arena);
  properties_init(&proof->properties, model);
  add_candidates(proof, options);
  check_assumptions(proof, options);
  if (proof->contradiction == NULL)
    prove_all(proof, options);
}

void proof_clear(struct proof *proof) {
  vector_clear(&proof->obligations);
  properties_clear(&proof->properties);
  arena_clear(&proof->arena);
}

bool obligation_concerns(const struct obligation *o, const struct property *bound) {
  if (o->bound != NULL)
    return o->bound == bound->bound;
  if (o->property != NULL && o->property->kind == PROPERTY_BOUND)
    return o->property == bound;
  return o->phase == NULL || bound->bound->by_phases;
}

bool proof_covers(const struct proof *proof, const struct property *bound,
                  const struct obligation **first) {
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    if (o->proved || !obligation_concerns(o, bound))
      continue;
    *first = o;
    return false;
  }
  return true;
}
