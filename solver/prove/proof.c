/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/prove/proof.h"

#include <string.h>

#include "base/parallel.h"
#include "solver/prove/progress.h"
#include "solver/prove/session.h"
#include "solver/search/sift.h"

struct round {
  struct proof *proof;
  const struct proof_options *options;
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

/* --- sessions -----------------------------------------------------------------------------------
 */

/* Sessions of the whole execution, and of each phase. */
static size_t width_of(const struct proof *proof) {
  return proof->properties.model->actions.count + 1;
}

static struct session *use_session(struct round *round, size_t index) {
  struct session *s = &round->proof->sessions[index];
  const struct model *model = round->proof->properties.model;
  size_t width = width_of(round->proof), step = index % width;
  struct session_place place = {.action = step == 0 ? NULL : model->actions.items[step - 1],
                                .phase =
                                    index < width ? NULL : model->phases.items[index / width - 1]};
  if (s->proof == NULL)
    session_open(s, round->proof, round->options, &place);
  else
    session_reopen(s);
  return s;
}

static void leave_session(struct session *s, size_t index) {
  if (index >= SESSIONS_KEPT)
    session_close_solver(s);
}

/* --- generated invariants -----------------------------------------------------------------------
 */

static void check_candidates(size_t index, void *context) {
  struct round *round = context;
  struct session *s = &round->proof->sessions[index];
  if (s->proof != NULL && !session_has_candidates(s))
    return;
  session_check_candidates(use_session(round, index));
  leave_session(s, index);
}

static bool drop_failed(struct proof *proof) {
  size_t before = proof->dropped;
  for (size_t i = 0; i < width_of(proof); i++)
    for (size_t g = 0; g < proof->sessions[i].attempts.count; g++) {
      struct attempt *a = proof->sessions[i].attempts.data[g];
      if (!a->failed)
        continue;
      a->failed = false;
      if (!a->property->alive)
        continue;
      proof->properties.items.data[a->property - proof->properties.items.data].alive = false;
      proof->dropped++;
    }
  return proof->dropped != before;
}

/* Enough to meet most of those that are false, and to take most actions: of a long protocol as many
 * steps as that takes. seconds_max is for safety only. */
static struct sample_effort sift_effort(const struct model *model) {
  size_t few = 30, all = 2 * model->actions.count;
  return (struct sample_effort){
      .scopes = 2, .runs = 16, .steps = all > few ? all : few, .seconds_max = 10};
}

/* One that is false in an execution is no invariant. */
static void drop_false(struct proof *proof) {
  struct properties *p = &proof->properties;
  size_t count = 0;
  struct property **tried = arena_alloc(&proof->arena, p->items.count, sizeof *tried);
  const struct term **formulas = arena_alloc(&proof->arena, p->items.count, sizeof *formulas);
  bool *held = arena_alloc(&proof->arena, p->items.count, sizeof *held);
  for (size_t i = 0; i < p->items.count; i++) {
    struct property *property = &p->items.data[i];
    if (property->kind != PROPERTY_GENERATED || !property->alive)
      continue;
    held[count] = true;
    formulas[count] = property->formula;
    tried[count++] = property;
  }
  struct sample_effort effort = sift_effort(p->model);
  sift(held, proof->taken, p->model, formulas, count, p->variable_count, &effort);
  for (size_t i = 0; i < count; i++) {
    tried[i]->alive = held[i];
    proof->dropped += !held[i];
  }
}

/* Behind a row of uses: which goals failed. */
enum { FAILED_BOUND, FAILED_OTHER, ROW_EXTRA };

static bool is_of_bound(const struct session *s, const struct property *property) {
  return s->phase != NULL || (property != NULL && property->kind == PROPERTY_BOUND);
}

/* What the goals of one session use: those of generated properties, or all others. */
static void note_uses(struct proof *proof, const struct session *s, bool generated, bool *of_use) {
  const struct property *properties = proof->properties.items.data;
  size_t count = proof->properties.items.count;
  for (size_t g = 0; g < s->attempts.count; g++) {
    const struct attempt *a = s->attempts.data[g];
    const struct property *property = a->property;
    if (generated != (property != NULL && property->kind == PROPERTY_GENERATED))
      continue;
    bool *row = generated ? &proof->uses[(size_t)(property - properties) * count] : of_use;
    for (size_t i = 0; a->kept && i < a->need_count; i++)
      row[a->needs[i] - properties] = true;
    if (!generated && a->failed)
      of_use[count + (is_of_bound(s, property) ? FAILED_BOUND : FAILED_OTHER)] = true;
  }
}

/* Each session has a row of its own: of use, and whether goals failed. */
struct search {
  struct round *round;
  bool *rows;
};

static void find_uses(size_t index, void *context) {
  const struct search *search = context;
  struct proof *proof = search->round->proof;
  struct session *s = use_session(search->round, index);
  session_check_others(s);
  note_uses(proof, s, false, &search->rows[index * (proof->properties.items.count + ROW_EXTRA)]);
  leave_session(s, index);
}

static void find_all_uses(struct round *round) {
  struct proof *proof = round->proof;
  size_t count = proof->properties.items.count, all = proof->session_count;
  bool *rows = arena_alloc(&proof->arena, all * (count + ROW_EXTRA), sizeof *rows);
  struct search search = {round, rows};
  proof->uses = arena_alloc(&proof->arena, count * count, sizeof *proof->uses);
  proof->of_use = arena_alloc(&proof->arena, count, sizeof *proof->of_use);
  parallel_run(round->options->jobs, all, find_uses, &search);
  for (size_t i = 0; i < width_of(proof); i++)
    note_uses(proof, &proof->sessions[i], true, NULL);
  for (size_t i = 0; i < all; i++) {
    const bool *row = &rows[i * (count + ROW_EXTRA)];
    for (size_t k = 0; k < count; k++)
      proof->of_use[k] = proof->of_use[k] || row[k];
    proof->missing_bound = proof->missing_bound || row[count + FAILED_BOUND];
    proof->missing = proof->missing || row[count + FAILED_BOUND] || row[count + FAILED_OTHER];
  }
}

/* --- the proof ----------------------------------------------------------------------------------
 */

static void prove_session(size_t index, void *context) {
  struct session *s = use_session(context, index);
  bool open = session_prove(s);
  if (!open || index >= SESSIONS_KEPT)
    session_close_solver(s);
}

struct settlement {
  struct round round;
  const bool *spared; /* or NULL */
};

/* Whether a bound that is not spared rests on it, or there is no bound. */
static bool is_wanted(const struct obligation *o, const void *context) {
  const struct settlement *settlement = context;
  const struct properties *p = &settlement->round.proof->properties;
  size_t bounds = 0;
  for (size_t i = 0; i < p->items.count; i++) {
    const struct property *property = &p->items.data[i];
    bool spared = settlement->spared != NULL && settlement->spared[i];
    bounds += property->kind == PROPERTY_BOUND;
    if (property->kind == PROPERTY_BOUND && !spared && obligation_concerns(o, property))
      return true;
  }
  return bounds == 0;
}

static void settle_session(size_t index, void *context) {
  struct settlement *settlement = context;
  struct session *s = &settlement->round.proof->sessions[index];
  bool any = false;
  for (size_t i = 0; i < s->results.count; i++)
    any = any || (s->results.data[i].open && is_wanted(&s->results.data[i], settlement));
  if (any)
    session_settle(use_session(&settlement->round, index), is_wanted, settlement);
  for (size_t i = 0; i < s->results.count; i++)
    s->results.data[i].open = false;
  session_close_solver(s);
}

/* Queries of the argument that time goes on, when it is known which it uses. */
static void show_progress(size_t index, void *context) {
  struct round *round = context;
  const struct session *s = &round->proof->sessions[index];
  bool any = false;
  for (size_t i = 0; i < s->results.count; i++)
    any = any || (obligation_is_optional(&s->results.data[i]) &&
                  progress_is_used(round->proof, &s->results.data[i]));
  if (!any)
    return;
  session_show_progress(use_session(round, index));
  session_close_solver(&round->proof->sessions[index]);
}

/* The sessions' results as the proof's. */
static void gather(struct proof *proof, const struct proof_options *options) {
  proof->obligations.count = 0;
  proof->records.count = 0;
  for (size_t i = 0; i < proof->session_count; i++) {
    const struct session *s = &proof->sessions[i];
    if (s->action != NULL && s->dead)
      proof->dead[s->action->id] = true;
    for (size_t k = 0; k < s->records.count; k++) {
      const char *record = s->records.data[k];
      vector_push(&proof->records, arena_text(&proof->arena, record, strlen(record)));
    }
    for (size_t k = 0; k < s->results.count; k++) {
      struct obligation o = s->results.data[k];
      if (obligation_is_optional(&o)) /* progress_resolve has those that matter */
        continue;
      if (o.reason != NULL)
        o.reason = arena_text(&proof->arena, o.reason, strlen(o.reason));
      vector_push(&proof->obligations, o);
    }
  }
  if (proof->sessions != NULL && !options->candidates_only)
    progress_resolve(proof);
}

static void leave_out(struct proof *proof, const bool *fallen) {
  for (size_t i = 0, number = 0; i < proof->properties.items.count; i++) {
    struct property *property = &proof->properties.items.data[i];
    if (property->kind == PROPERTY_GENERATED && fallen[number++])
      property->alive = false;
  }
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

/* Phases come when it is known which generated invariants there are. */
static void prove_briefly(struct proof *proof, const struct proof_options *options) {
  size_t width = width_of(proof), actions = proof->properties.model->actions.count;
  proof->dead = arena_alloc(&proof->arena, actions, sizeof *proof->dead);
  proof->taken = arena_alloc(&proof->arena, actions, sizeof *proof->taken);
  proof->lost = arena_alloc(&proof->arena, 1 + proof->properties.items.count, sizeof *proof->lost);
  proof->session_count = width * (1 + proof->properties.phase_count);
  proof->sessions = mem_alloc(proof->session_count, sizeof *proof->sessions);
  struct round round = {proof, options};
  if (options->fallen == NULL)
    drop_false(proof);
  do
    parallel_run(options->jobs, width, check_candidates, &round);
  while (drop_failed(proof) && !is_interrupted(options));
  if (options->with_uses)
    find_all_uses(&round);
  if (!options->candidates_only)
    parallel_run(options->jobs, proof->session_count, prove_session, &round);
  gather(proof, options);
}

void proof_begin(struct proof *proof, const struct model *model,
                 const struct proof_options *options) {
  memset(proof, 0, sizeof *proof);
  arena_init(&proof->arena);
  properties_init(&proof->properties, model, options->only);
  if (options->fallen != NULL)
    leave_out(proof, options->fallen);
  add_candidates(proof, options);
  progress_find_ranks(proof);
  check_assumptions(proof, options);
  if (proof->contradiction == NULL)
    prove_briefly(proof, options);
}

static void close_sessions(struct proof *proof) {
  for (size_t i = 0; i < proof->session_count; i++)
    if (proof->sessions[i].proof != NULL)
      session_close(&proof->sessions[i]);
  mem_free(proof->sessions);
  proof->sessions = NULL;
  proof->session_count = 0;
}

void proof_settle(struct proof *proof, const struct proof_options *options, const bool *spared) {
  struct settlement settlement = {{proof, options}, spared};
  if (!options->candidates_only)
    parallel_run(options->jobs, proof->session_count, settle_session, &settlement);
  gather(proof, options);
  if (options->on_query != NULL && !options->candidates_only)
    parallel_run(options->jobs, proof->session_count, show_progress, &settlement.round);
  close_sessions(proof);
  proof->interrupted = proof->contradiction == NULL && is_interrupted(options);
}

void proof_init(struct proof *proof, const struct model *model,
                const struct proof_options *options) {
  proof_begin(proof, model, options);
  proof_settle(proof, options, NULL);
}

void proof_clear(struct proof *proof) {
  close_sessions(proof);
  vector_clear(&proof->obligations);
  vector_clear(&proof->ranks);
  vector_clear(&proof->records);
  properties_clear(&proof->properties);
  arena_clear(&proof->arena);
}

bool obligation_is_optional(const struct obligation *o) {
  return o->kind == OBLIGATION_PROGRESS && o->rank != NULL;
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
