/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/attain.h"

#include <string.h>

#include "solver/judge/evaluate.h"
#include "solver/judge/valuation.h"
#include "solver/search/attack.h"
#include "solver/search/attack_walk.h"
#include "solver/search/attain_limit.h"
#include "solver/search/attain_term.h"

void attainment_init(struct attainment *at, const struct model *model, const struct bound *bound) {
  *at = (struct attainment){.model = model, .bound = bound};
  at->solver = mem_alloc(1, sizeof *at->solver);
  arena_init(&at->arena);
  at->zero = (struct term){.kind = TERM_TIME, .type = {.kind = TYPE_TIME}};
  rational_init(&at->zero.value);
  attain_terms_init(at);
}

void attainment_clear(struct attainment *at) {
  for (size_t i = 0; i < at->terms.count; i++)
    mem_free(at->terms.data[i].label);
  vector_clear(&at->terms);
  rational_clear(&at->zero.value);
  attack_solver_clear(at->solver);
  mem_free(at->solver);
  arena_clear(&at->arena);
}

void attainment_begin(struct attainment *at) {
  at->attained = at->possible = at->positive = at->null = at->undecided = false;
}

/* One execution under trial. */
struct trial {
  struct attainment *attainment;
  struct attack *attack;
  const struct path *path;
  const struct expression *limit; /* the bound */
  attain_parts parts;             /* of it */
  smt_term whole;                 /* attain_whole */
  smt_term time;
};

/* --- which terms it charges ------------------------------------------------------------------- */

static bool has_part(const attain_parts *parts, const struct attain_part *part) {
  for (size_t i = 0; i < parts->count; i++)
    if (parts->data[i].occurrence == part->occurrence &&
        parts->data[i].component == part->component)
      return true;
  return false;
}

static bool charges(const struct attack *a, const struct attain_part *part) {
  for (size_t i = 0; i < a->chosen.count; i++) {
    const struct occurrence *o = a->chosen.data[i].occurrence;
    if (part->occurrence == NULL ? part->component == values_component(a->interpreter->model, o)
                                 : part->occurrence == o)
      return true;
  }
  return false;
}

static const struct expression *ground_leaf(const struct trial *t, const struct attain_term *term) {
  return attain_ground(t->attainment, t->attack->interpreter, t->path, term->leaf);
}

/* The same as below of an addend: the others have it where it is mentioned again. */
static bool is_addend_charged(const struct trial *t, const struct attain_term *term) {
  const struct occurrence *o = ground_leaf(t, term)->occurrence;
  for (size_t i = 0; i < t->parts.count; i++)
    if (t->parts.data[i].occurrence == o)
      return t->parts.data[i].mentions > 1 || charges(t->attack, &t->parts.data[i]);
  bug("an addend is no part");
}

/* What other terms of the bound also stand for says nothing about this one, unless it is all. */
static bool is_charged(const struct trial *t, const struct attain_term *term) {
  const struct attack *a = t->attack;
  if (term->leaf->kind == TERM_BARE)
    return charges(a, &(struct attain_part){.component = term->leaf->component});
  if (term->without == NULL)
    return is_addend_charged(t, term);
  attain_parts others = {0};
  const struct expression *without =
      attain_ground(t->attainment, a->interpreter, t->path, term->without);
  if (without != NULL)
    attain_parts_add(&others, a->interpreter->model, without);
  bool charged = false, own = false;
  for (size_t i = 0; i < t->parts.count && !charged; i++) {
    if (has_part(&others, &t->parts.data[i]))
      continue;
    own = true;
    charged = charges(a, &t->parts.data[i]);
  }
  vector_clear(&others);
  return charged || !own;
}

static void note_charged(struct trial *t) {
  for (size_t i = 0; i < t->attainment->terms.count; i++) {
    struct attain_term *term = &t->attainment->terms.data[i];
    term->charged = term->charged || term->needed || is_charged(t, term);
  }
}

/* --- answers ---------------------------------------------------------------------------------- */

/* Whether the replay is of the path's own values of the bound's variables. */
static bool is_same_binding(const struct trial *t, const struct replay *replay) {
  if (replay->binding.count != t->path->binding.count)
    return false;
  for (size_t i = 0; i < replay->binding.count; i++)
    if (replay->binding.data[i] != t->path->binding.data[i])
      return false;
  return true;
}

/* Which terms the execution with these times needs. */
static void learn_needed(struct trial *t, const struct values *values,
                         const struct replay *replay) {
  struct interpreter *in = t->attack->interpreter;
  struct valuation valuation = values_valuation(values);
  struct interpretation e = {.interpreter = in, .valuation = &valuation};
  e.bindings = mem_alloc(in->model->variable_count, sizeof *e.bindings);
  for (size_t i = 0; i < replay->binding.count; i++)
    e.bindings[t->attainment->bound->variables[i]->id] = replay->binding.data[i];
  struct rational without;
  rational_init(&without);
  for (size_t i = 0; i < t->attainment->terms.count; i++) {
    struct attain_term *term = &t->attainment->terms.data[i];
    if (term->needed)
      continue;
    evaluate_time(&without, &e, term->without == NULL ? term->leaf : term->without);
    if (term->without == NULL)
      rational_sub(&without, &replay->limit, &without);
    term->needed = rational_compare(&without, &replay->time) < 0;
  }
  rational_clear(&without);
  mem_free(e.bindings);
}

/* Whether there are times for what is asserted, which the replay then has. */
static bool ask(struct trial *t, struct values *values, struct replay *replay) {
  struct attack *a = t->attack;
  struct attainment *at = t->attainment;
  at->queries++;
  enum smt_answer answer = attack_try(a);
  bool found = answer == SMT_SAT;
  if (found) {
    attack_read(a, values);
    struct valuation valuation = values_valuation(values);
    replay_run(replay, a->interpreter, at->bound, t->path->steps.data, t->path->steps.count,
               &valuation);
    found = replay->verdict == REPLAY_WITHIN || replay->verdict == REPLAY_EXCEEDED;
  }
  at->possible = at->possible || found;
  at->undecided = at->undecided || answer == SMT_UNKNOWN || (answer == SMT_SAT && !found);
  return found;
}

static bool is_attained(const struct replay *replay) {
  return replay->verdict == REPLAY_WITHIN && rational_sign(&replay->limit) > 0 &&
         rational_compare(&replay->time, &replay->limit) == 0;
}

/* The event comes at the bound, and every occurrence and bare name that the bound has, and every
 * occurrence of the execution, takes at least 1 ns. */
static smt_term attains(struct trial *t) {
  struct attack *a = t->attack;
  smt_term all = smt_le(a->smt, t->whole, t->time);
  for (size_t i = 0; i < t->parts.count; i++)
    all = smt_and2(a->smt, all,
                   smt_le(a->smt, attack_one(a), attain_part_term(a, &t->parts.data[i])));
  return smt_and2(a->smt, all, attack_takes_time(a));
}

static smt_term needs(struct trial *t, const struct attain_term *term) {
  struct attack *a = t->attack;
  if (term->without == NULL)
    return smt_lt(a->smt, smt_sub(a->smt, t->whole, attain_leaf(a, ground_leaf(t, term))), t->time);
  const struct expression *without =
      attain_ground(t->attainment, a->interpreter, t->path, term->without);
  return without != NULL ? attain_limit(a, without, t->time, true)
                         : smt_lt(a->smt, encode(&a->encoder, term->without, NULL), t->time);
}

/* Whether the execution neither attains the bound nor needs a term of which this is not known yet:
 * most do not, and one question tells. */
static bool is_of_no_use(struct trial *t) {
  struct attainment *at = t->attainment;
  struct smt *smt = t->attack->smt;
  size_t open = !at->attained;
  smt_term any = at->attained ? smt_bool(smt, false) : attains(t);
  for (size_t i = 0; i < at->terms.count && !at->only_attained; i++) {
    if (at->terms.data[i].needed)
      continue;
    any = smt_or2(smt, any, needs(t, &at->terms.data[i]));
    open++;
  }
  if (open < 2)
    return open == 0;
  smt_push(smt);
  smt_assert(smt, any);
  bool none = attack_try(t->attack) == SMT_UNSAT;
  smt_pop(smt);
  at->queries += none ? open : 0;
  return none;
}

static bool ask_attained(struct trial *t, struct values *values, struct replay *replay) {
  struct smt *smt = t->attack->smt;
  smt_push(smt);
  smt_assert(smt, attains(t));
  bool found = ask(t, values, replay) && is_attained(replay);
  smt_pop(smt);
  if (found && !t->attainment->only_attained)
    learn_needed(t, values, replay);
  return found;
}

/* Where the interpreter judges other values of the bound's variables, it says nothing of these. */
static void ask_needed(struct trial *t, struct attain_term *term) {
  struct smt *smt = t->attack->smt;
  struct values values;
  struct replay replay;
  values_init(&values, t->attack->interpreter->model);
  replay_init(&replay);
  smt_push(smt);
  smt_assert(smt, needs(t, term));
  if (ask(t, &values, &replay)) {
    learn_needed(t, &values, &replay);
    term->needed = term->needed || !is_same_binding(t, &replay);
  }
  smt_pop(smt);
  replay_clear(&replay);
  values_clear(&values);
}

/* With many terms open, a question for each and what its execution says of all the others would be
 * the most of the search. So first: is there one execution that needs all that are open of one
 * kind, such as all delays of messages, or all steps? */
enum { MANY_TERMS = 16 };

static size_t open_terms(const struct attainment *at) {
  size_t open = 0;
  for (size_t i = 0; i < at->terms.count; i++)
    open += !at->terms.data[i].needed;
  return open;
}

/* The delay or wait of a message that it is of; NULL: a step. */
static const struct component *kind_of(const struct attain_term *term) {
  return term->leaf->kind == TERM_DELAY ? term->leaf->component : NULL;
}

static void ask_all_of(struct trial *t, const struct component *kind) {
  struct attainment *at = t->attainment;
  struct attack *a = t->attack;
  struct values values;
  struct replay replay;
  values_init(&values, a->interpreter->model);
  replay_init(&replay);
  size_t count = 0;
  smt_push(a->smt);
  for (size_t i = 0; i < at->terms.count; i++)
    if (!at->terms.data[i].needed && kind_of(&at->terms.data[i]) == kind) {
      smt_assert(a->smt, needs(t, &at->terms.data[i]));
      count++;
    }
  at->queries++;
  if (count != 0 && attack_try_many(a, count) == SMT_SAT) {
    attack_read(a, &values);
    struct valuation valuation = values_valuation(&values);
    replay_run(&replay, a->interpreter, at->bound, t->path->steps.data, t->path->steps.count,
               &valuation);
    if (replay.verdict == REPLAY_WITHIN || replay.verdict == REPLAY_EXCEEDED)
      learn_needed(t, &values, &replay);
  }
  smt_pop(a->smt);
  replay_clear(&replay);
  values_clear(&values);
}

/* Whether no execution along this path needs a term of those that are still open. */
static bool needs_no_more(struct trial *t) {
  struct attainment *at = t->attainment;
  struct smt *smt = t->attack->smt;
  smt_term any = smt_bool(smt, false);
  for (size_t i = 0; i < at->terms.count; i++)
    if (!at->terms.data[i].needed)
      any = smt_or2(smt, any, needs(t, &at->terms.data[i]));
  smt_push(smt);
  smt_assert(smt, any);
  bool none = attack_try_many(t->attack, open_terms(at)) == SMT_UNSAT;
  smt_pop(smt);
  at->queries += none ? open_terms(at) : 0;
  return none;
}

static void ask_terms(struct trial *t) {
  struct attainment *at = t->attainment;
  if (open_terms(at) >= MANY_TERMS) {
    ask_all_of(t, NULL);
    for (size_t i = 0; i < at->model->components.count; i++) {
      const struct component *component = at->model->components.items[i];
      if (component->kind == COMPONENT_DELAY || component->kind == COMPONENT_QUEUEING)
        ask_all_of(t, component);
    }
    if (needs_no_more(t))
      return;
  }
  for (size_t i = 0; i < at->terms.count; i++)
    if (!at->terms.data[i].needed)
      ask_needed(t, &at->terms.data[i]);
}

/* --- one execution ---------------------------------------------------------------------------- */

/* Whatever its occurrences take. */
static bool is_zero(const struct expression *limit) {
  bool scaled = limit->kind == EXPRESSION_SCALE || limit->kind == EXPRESSION_CONSTANT;
  if (scaled && rational_sign(&limit->value) == 0)
    return true;
  bool zero = limit->count != 0;
  for (size_t i = 0; i < limit->count && zero; i++)
    zero = is_zero(limit->parts[i]);
  return zero;
}

static bool judge(struct trial *t, struct values *values, struct replay *replay) {
  struct attainment *at = t->attainment;
  t->limit = attain_ground(at, t->attack->interpreter, t->path, at->bound->expression);
  at->undecided = at->undecided || t->limit == NULL;
  if (t->limit == NULL)
    return false;
  bool null = is_zero(t->limit);
  at->positive = at->positive || !null;
  at->null = at->null || null;
  if (null)
    return false;
  attain_parts_add(&t->parts, at->model, t->limit);
  note_charged(t);
  for (size_t i = 0; i < t->parts.count; i++)
    attain_part_term(t->attack, &t->parts.data[i]); /* before their axioms are asserted */
  t->whole = attain_whole(t->attack, t->limit);
  attack_assume(t->attack);
  bool first = false;
  if (!is_of_no_use(t)) {
    first = !at->attained && ask_attained(t, values, replay);
    at->attained = at->attained || first;
    if (!at->only_attained)
      ask_terms(t);
  }
  if (!at->possible && !at->only_attained)
    ask(t, values, replay);
  return first;
}

bool attain_path(struct attainment *at, struct values *values, struct replay *replay,
                 struct interpreter *in, const struct path *path) {
  struct attack a;
  struct trial t = {.attainment = at, .attack = &a, .path = path};
  bool first = false;
  if (attack_open(&a, in, at->bound, path, at->solver)) {
    t.time = attack_event_time(&a, at->bound);
    at->undecided = at->undecided || t.time == NULL;
    first = t.time != NULL && judge(&t, values, replay);
  }
  at->undecided = at->undecided || a.lost;
  vector_clear(&t.parts);
  attack_close(&a);
  return first;
}
