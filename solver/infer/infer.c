/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/infer/infer.h"

#include <ctype.h>
#include <string.h>

#include "base/seconds.h"
#include "lang/print.h"
#include "solver/infer/name.h"
#include "solver/infer/need.h"
#include "solver/infer/quorum.h"
#include "solver/infer/stated.h"
#include "solver/infer/time.h"
#include "solver/infer/work.h"
#include "solver/search/sift.h"

/* Most guesses are proved in a few milliseconds, and most wrong ones would cost all there is. */
enum { ORDER_LIMIT_MS = 100, GUESS_LIMIT_MS = 400, PATIENT_LIMIT_MS = 4000 };

static void set_invariants(struct infer_work *w, const invariant_vector *more) {
  struct model *model = &w->inference->model;
  invariant_vector all = {0};
  for (size_t i = 0; i < w->kept.count; i++)
    vector_push(&all, w->kept.data[i]);
  for (size_t i = 0; more != NULL && i < more->count; i++)
    vector_push(&all, more->data[i]);
  model->invariants.count = all.count;
  model->invariants.items = arena_copy(w->maker.arena, all.data, all.count, sizeof *all.data);
  model->variable_count = w->maker.variable_count;
  vector_clear(&all);
}

static struct proof_options proof_options(const struct infer_work *w) {
  return (struct proof_options){.jobs = w->options->jobs,
                                .limit_ms = w->options->limit_ms,
                                .seed = w->options->seed,
                                .stop = &w->end.stop,
                                .only = w->only};
}

/* Which of the guesses are inductive together, with what the file has: those whose properties are
 * alive, the last ones of the proof's. */
static void prove_guesses(struct proof *proof, struct infer_work *w, unsigned limit_ms,
                          bool with_uses) {
  struct proof_options options = proof_options(w);
  options.candidates = w->guesses.data;
  options.candidate_count = w->guesses.count;
  options.candidates_only = true;
  options.with_uses = with_uses;
  options.limit_ms = options.limit_ms < limit_ms ? options.limit_ms : limit_ms;
  set_invariants(w, with_uses ? NULL : &w->facts);
  proof_init(proof, &w->inference->model, &options);
}

static size_t first_guess(const struct infer_work *w, const struct proof *proof) {
  return proof->properties.items.count - w->guesses.count;
}

/* Leaves the guesses marked. */
static void keep(struct infer_work *w, const bool *marked) {
  size_t count = 0;
  for (size_t i = 0; i < w->guesses.count; i++)
    if (marked[i])
      w->guesses.data[count++] = w->guesses.data[i];
  w->guesses.count = count;
}

/* --- who is idle when ------------------------------------------------------------------------ */

/* seconds_max is for safety only: what is found does not depend on how fast the machine is. */
static const struct sample_effort sift_effort = {
    .scopes = 4, .runs = 24, .steps = 30, .seconds_max = 10};

void work_sift(struct infer_work *w, const relations *list) {
  size_t count = list->count;
  bool *held = mem_alloc(count, sizeof *held);
  const struct term **formulas = mem_alloc(count, sizeof *formulas);
  for (size_t i = 0; i < count; i++) {
    held[i] = true;
    formulas[i] = list->data[i].invariant->formula;
  }
  sift(held, NULL, &w->inference->model, formulas, count, w->maker.variable_count, &sift_effort);
  for (size_t i = 0; i < count; i++)
    if (held[i])
      vector_push(&w->guesses, list->data[i].invariant);
  mem_free(held);
  mem_free(formulas);
}

void work_keep_inductive(struct infer_work *w) {
  struct proof proof;
  prove_guesses(&proof, w, ORDER_LIMIT_MS, false);
  bool *alive = mem_alloc(w->guesses.count, sizeof *alive);
  for (size_t i = 0; i < w->guesses.count; i++)
    alive[i] = proof.properties.items.data[first_guess(w, &proof) + i].alive;
  proof_clear(&proof);
  keep(w, alive);
  mem_free(alive);
}

bool work_has_guess(const struct infer_work *w, const struct invariant *invariant) {
  for (size_t i = 0; i < w->guesses.count; i++)
    if (w->guesses.data[i] == invariant)
      return true;
  return false;
}

static void start_flow(struct infer_work *w) {
  const struct model *model = &w->inference->model;
  bool *fresh = arena_alloc(w->maker.arena, model->actions.count, sizeof *fresh);
  bool *prompt = arena_alloc(w->maker.arena, model->actions.count, sizeof *prompt);
  bool *idle = arena_alloc(w->maker.arena, model->messages.count, sizeof *idle);
  for (size_t i = 0; i < w->relations.count; i++) {
    const struct relation *r = &w->relations.data[i];
    if (r->fresh != NULL)
      fresh[r->fresh->id] = true;
    if (r->prompt != NULL)
      prompt[r->prompt->id] = true;
    if (r->idle != NULL)
      idle[r->idle->id] = true;
  }
  bool busy = stages_init(&w->stages, model, &w->relations);
  w->start = (struct flow){.m = &w->maker,
                           .model = model,
                           .fresh = fresh,
                           .idle = idle,
                           .prompt = prompt,
                           .held = &w->relations,
                           .stages = busy ? &w->stages : NULL};
}

/* The flow of times as the bound counts them. */
static struct flow *flow_of(struct infer_work *w, const struct bound *bound) {
  for (size_t i = 0; i < w->flows.count; i++)
    if (w->flows.data[i]->from == bound->from)
      return w->flows.data[i];
  struct flow *flow = arena_copy(w->maker.arena, &w->start, 1, sizeof *flow);
  flow->from = bound->from;
  if (bound->from != NULL)
    flow->stages = NULL;
  vector_push(&w->flows, flow);
  return flow;
}

static void clear_flows(struct infer_work *w) {
  for (size_t i = 0; i < w->flows.count; i++)
    flow_clear(w->flows.data[i]);
  vector_clear(&w->flows);
}

static void find_relations(struct infer_work *w) {
  relations_make(&w->relations, &w->maker, &w->inference->model);
  work_sift(w, &w->relations);
  work_keep_inductive(w);
  size_t count = 0;
  for (size_t i = 0; i < w->relations.count; i++)
    if (work_has_guess(w, w->relations.data[i].invariant))
      w->relations.data[count++] = w->relations.data[i];
  w->relations.count = count;
  start_flow(w);
  for (size_t i = 0; i < count && !work_is_ended(w); i++)
    if (w->start.stages == NULL || stages_want(w->start.stages, &w->relations.data[i]))
      vector_push(&w->orders, w->relations.data[i].invariant);
}

/* --- when it happens ------------------------------------------------------------------------- */

static bool is_taken(const struct infer_work *w, const char *name) {
  const struct model *model = &w->inference->model;
  for (size_t i = 0; i < w->kept.count; i++)
    if (strcmp(w->kept.data[i]->name, name) == 0)
      return true;
  for (size_t i = 0; i < w->guesses.count; i++)
    if (strcmp(w->guesses.data[i]->name, name) == 0)
      return true;
  for (size_t i = 0; i < model->bounds.count; i++)
    if (strcmp(model->bounds.items[i]->name, name) == 0)
      return true;
  return false;
}

void work_guess(struct infer_work *w, const char *about, const char *kind,
                const struct term *formula) {
  struct text name;
  text_init(&name);
  text_format(&name, "%s_%s", about, kind);
  for (size_t i = 0; i < name.length; i++)
    name.data[i] = (char)tolower((unsigned char)name.data[i]);
  size_t length = name.length;
  for (unsigned number = 2; is_taken(w, text_get(&name)); number++) {
    name.length = length;
    text_format(&name, "_%u", number);
  }
  formula = infer_name(&w->maker, &w->inference->model, maker_close(&w->maker, formula));
  vector_push(&w->guesses, invariant_make(&w->maker, text_get(&name), formula));
  text_clear(&name);
}

static void guess_stages(struct infer_work *w, struct flow *flow) {
  for (size_t i = 0; i < flow->stages->begins.count; i++) {
    const struct term *formula = stage_invariant(flow, i);
    if (formula != NULL)
      work_guess(w, flow->stages->role->name, "clock", formula);
  }
}

static bool is_asked_for(const struct infer_work *w, const struct bound *bound) {
  return w->options->only == NULL || w->options->only->id == bound->id;
}

static void follow_bounds(struct infer_work *w) {
  const struct model *model = &w->inference->model;
  for (size_t i = 0; i < model->bounds.count; i++) {
    if (!is_asked_for(w, model->bounds.items[i]))
      continue;
    const struct unknown *u =
        flow_bound(flow_of(w, model->bounds.items[i]), model->bounds.items[i]);
    if (u->status == UNKNOWN_FAILED && w->inference->open == NULL)
      w->inference->open = u->reason;
  }
  for (size_t i = 0; i < w->flows.count; i++)
    flow_close(w->flows.data[i]);
}

static void guess_flow(struct infer_work *w, struct flow *flow) {
  for (size_t i = 0; i < flow->unknowns.count; i++) {
    const struct unknown *u = flow->unknowns.data[i];
    bool about =
        u->guard != NULL || u->value != NULL || (u->message != NULL && u->message != flow->from);
    if (u->status != UNKNOWN_DONE || u->sent || u->asked || !about)
      continue;
    const char *name = u->message != NULL ? u->message->name
                       : u->value != NULL ? u->value->name
                                          : u->role->name;
    work_guess(w, name, u->message != NULL || u->value != NULL ? "time" : "clock",
               flow_invariant(flow, u));
  }
  if (flow->stages != NULL)
    guess_stages(w, flow);
}

static void guess_times(struct infer_work *w) {
  w->guesses.count = 0;
  for (size_t i = 0; i < w->facts.count; i++)
    vector_push(&w->guesses, w->facts.data[i]);
  for (size_t i = 0; i < w->orders.count; i++)
    vector_push(&w->guesses, w->orders.data[i]);
  for (size_t i = 0; i < w->flows.count; i++)
    guess_flow(w, w->flows.data[i]);
}

static void express(struct infer_work *w, struct bound *bound, const struct term *expression) {
  struct text text;
  text_init(&text);
  bound->expression = infer_name(&w->maker, &w->inference->model, expression);
  print_term(&text, &w->inference->model, bound->expression);
  bound->expression_text = arena_text(w->maker.arena, text_get(&text), text.length);
  text_clear(&text);
}

void work_express(struct infer_work *w, size_t which, const struct term *expression) {
  struct inferred_bound *found = &w->inference->bounds.data[which];
  struct model *model = &w->inference->model;
  struct bound *made = arena_copy(w->maker.arena, found->bound, 1, sizeof *made);
  const struct bound **items =
      arena_copy(w->maker.arena, model->bounds.items, model->bounds.count, sizeof *items);
  express(w, made, expression);
  items[made->id] = found->bound = made;
  model->bounds.items = items;
  w->only = w->options->only == NULL ? NULL : items[w->options->only->id];
}

static void fill_bounds(struct infer_work *w) {
  struct inference *inference = w->inference;
  struct model *model = &inference->model;
  const struct bound **filled =
      arena_copy(w->maker.arena, model->bounds.items, model->bounds.count, sizeof *filled);
  for (size_t i = 0; i < model->bounds.count; i++) {
    if (filled[i]->expression != NULL || !is_asked_for(w, filled[i]))
      continue;
    struct bound *bound = arena_copy(w->maker.arena, filled[i], 1, sizeof *bound);
    struct flow *flow = flow_of(w, bound);
    const struct unknown *u = flow_bound(flow, bound);
    const char *reason = u->status == UNKNOWN_FAILED ? u->reason : NULL;
    if (reason == NULL)
      bound->expression = flow_bound_time(flow, u, bound, &reason);
    if (bound->expression != NULL)
      express(w, bound, round_written(flow, bound->expression));
    filled[i] = bound;
    vector_push(&inference->bounds, (struct inferred_bound){.bound = bound, .reason = reason});
  }
  model->bounds.items = filled;
  if (w->options->only != NULL)
    w->only = filled[w->options->only->id];
}

void work_follow_waits(struct infer_work *w) {
  struct inference *inference = w->inference;
  w->start.idle =
      arena_alloc(w->maker.arena, inference->model.messages.count, sizeof *w->start.idle);
  clear_flows(w);
  inference->bounds.count = 0;
  inference->model.bounds.items = w->file_bounds;
  w->only = w->options->only;
  follow_bounds(w);
  fill_bounds(w);
  guess_times(w);
}

/* --- what is needed -------------------------------------------------------------------------- */

/* The model to verify has fewer invariants than the proof, and so at most its generated ones. */
static void note_fallen(struct infer_work *w, const struct proof *proof) {
  const struct properties *p = &proof->properties;
  size_t first = w->kept.count, count = p->candidates.items.count;
  bool *fallen = arena_alloc(w->maker.arena, count, sizeof *fallen);
  for (size_t i = 0; i < count; i++)
    fallen[i] = !p->items.data[first + i].alive;
  w->inference->fallen = fallen;
}

void work_give_guesses(struct infer_work *w) {
  set_invariants(w, &w->guesses);
}

bool work_keep_needed(struct infer_work *w) {
  struct proof proof;
  prove_guesses(&proof, w, w->patient ? PATIENT_LIMIT_MS : GUESS_LIMIT_MS, true);
  note_fallen(w, &proof);
  bool *needed = mem_alloc(w->guesses.count, sizeof *needed);
  bool known = infer_need(needed, &proof, w->guesses.count), all = known && !proof.missing;
  for (size_t i = 0; i < w->guesses.count && !known; i++)
    needed[i] = proof.properties.items.data[first_guess(w, &proof) + i].alive;
  proof_clear(&proof);
  keep(w, needed);
  mem_free(needed);
  work_give_guesses(w);
  return all;
}

/* --- all of it ------------------------------------------------------------------------------- */

/* Whether all bounds are proved. */
static bool attempt(struct infer_work *w, bool first) {
  w->orders.count = 0;
  work_tell(w, "who is idle when", 0);
  find_relations(w);
  if (first)
    work_save(w, &w->orders);
  if (work_is_ended(w))
    return false;
  follow_bounds(w);
  fill_bounds(w);
  guess_times(w);
  w->all.count = 0;
  for (size_t i = 0; i < w->guesses.count; i++)
    vector_push(&w->all, w->guesses.data[i]);
  work_tell(w, "by when it has happened", w->guesses.count);
  bool all = work_keep_needed(w) || (!work_is_ended(w) && stated_try(w));
  if (first || all)
    work_save(w, &w->guesses);
  return all && !work_is_ended(w);
}

bool work_is_proved(struct infer_work *w) {
  struct proof proof;
  struct proof_options options = proof_options(w);
  work_give_guesses(w);
  proof_init(&proof, &w->inference->model, &options);
  bool all = proof.contradiction == NULL && !proof.interrupted;
  for (size_t i = 0; i < proof.obligations.count && all; i++)
    all = proof.obligations.data[i].proved;
  proof_clear(&proof);
  return all;
}

/* The same with facts. A goal may take more than a brief attempt.
 */
static bool attempt_with_facts(struct infer_work *w) {
  bool brief = attempt(w, false);
  if (work_is_ended(w) || (!brief && !work_is_proved(w)))
    return false;
  work_save(w, &w->guesses);
  work_tell(w, "the fewest of them", w->guesses.count);
  facts_settle(w, brief);
  return !work_is_ended(w);
}

/* As if nothing was found. */
static void begin_again(struct infer_work *w, const struct model *model) {
  struct inference *inference = w->inference;
  inference->open = NULL;
  vector_clear(&inference->bounds);
  inference->model.bounds = model->bounds;
  w->only = w->options->only;
  clear_flows(w);
  stages_clear(&w->stages);
  w->relations.count = w->guesses.count = w->facts.count = w->drafts.count = w->choices.count = 0;
  set_invariants(w, NULL);
}

static void search_with_facts(struct infer_work *w, const struct model *model) {
  begin_again(w, model);
  work_tell(w, "invariants without times", 0);
  facts_find(w);
  if (work_is_ended(w))
    return;
  if (attempt_with_facts(w)) {
    quorums_try(w);
  } else if (!work_is_ended(w)) {
    begin_again(w, model);
    attempt(w, false);
  }
}

static void search(struct infer_work *w, const struct model *model) {
  if (attempt(w, true) && !work_is_ended(w))
    quorums_try(w);
  else if (!work_is_ended(w))
    search_with_facts(w, model);
}

void inference_init(struct inference *inference, const struct model *model,
                    const struct infer_options *options) {
  double start = seconds_elapsed();
  memset(inference, 0, sizeof *inference);
  arena_init(&inference->arena);
  rational_init(&inference->zero);
  inference->model = *model;
  struct infer_work work = {.inference = inference,
                            .options = options,
                            .only = options->only,
                            .file_bounds = model->bounds.items};
  work.maker = (struct term_maker){.arena = &inference->arena,
                                   .variable_count = model->variable_count,
                                   .zero = &inference->zero};
  infer_forget(&work, model);
  set_invariants(&work, NULL);
  work_watch(&work);
  search(&work, model);
  work_unwatch(&work);
  inference->ended = work_is_ended(&work);
  if (inference->ended)
    work_restore(&work);
  for (size_t i = 0; i < work.guesses.count; i++)
    vector_push(&inference->found, work.guesses.data[i]);
  clear_flows(&work);
  stages_clear(&work.stages);
  vector_clear(&work.relations);
  vector_clear(&work.kept);
  vector_clear(&work.drafts);
  vector_clear(&work.facts);
  vector_clear(&work.choices);
  vector_clear(&work.orders);
  vector_clear(&work.all);
  vector_clear(&work.guesses);
  work_clear_saved(&work);
  inference->seconds = seconds_elapsed() - start;
}

void inference_clear(struct inference *inference) {
  vector_clear(&inference->found);
  vector_clear(&inference->bounds);
  rational_clear(&inference->zero);
  arena_clear(&inference->arena);
}
