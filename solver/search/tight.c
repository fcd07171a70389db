/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/tight.h"

#include <string.h>

#include "base/seconds.h"
#include "lang/alike.h"
#include "solver/judge/replay.h"
#include "solver/judge/valuation.h"
#include "solver/search/attain.h"
#include "solver/search/explore.h"
#include "solver/search/number.h"
#include "solver/search/scope.h"

/* PATH_WORK: setting up the solver for an execution, QUERY_WORK: one question, in steps considered
 * (a second of a usual machine is about 400000). */
enum {
  PATH_WORK = 2000,
  QUERY_WORK = 1000,
  LESS_WORK = 4,
  SPARE_DEPTH = 6,
  DEEPER = 12,
  STATES_MAX = 200000
};

struct judgement {
  struct tightness *tightness;
  const struct tight_limits *limits;
  struct interpreter *interpreter;
  struct attainment attainment;
  bool exhausted;        /* in all scopes: every execution was tried */
  size_t work, work_max; /* work_max: until the scope at hand is given up */
  double end;
};

static bool is_stopped(const struct judgement *j) {
  return (j->limits->stop != NULL && *j->limits->stop != 0) || seconds_worked() > j->end;
}

/* Of a term that other parameters have shown to be needed nothing is asked. */
static bool is_complete(const struct judgement *j) {
  bool complete = j->attainment.attained;
  for (size_t i = 0; i < j->attainment.terms.count; i++)
    complete = complete && j->attainment.terms.data[i].needed;
  return complete;
}

static bool try_path(const struct path *path, void *context) {
  struct judgement *j = context;
  struct values values;
  struct replay replay;
  values_init(&values, j->interpreter->model);
  replay_init(&replay);
  size_t before = j->attainment.queries;
  attain_path(&j->attainment, &values, &replay, j->interpreter, path);
  j->work += PATH_WORK + QUERY_WORK * (j->attainment.queries - before);
  replay_clear(&replay);
  values_clear(&values);
  return !is_complete(j) && j->work < j->work_max && !is_stopped(j);
}

static struct explore_limits limits_of(const struct judgement *j, size_t depth) {
  return (struct explore_limits){.work_max = j->work < j->work_max ? j->work_max - j->work : 1,
                                 .depth_max = depth,
                                 .seconds_max = j->limits->seconds_max};
}

/* The shortest execution to the event is tried first; its steps, or 0 when none was found. *none:
 * there is none. *number, when not NULL: of the message that it counts from. */
static size_t try_shortest(struct judgement *j, bool *none, int64_t *number) {
  struct explore_limits limits = limits_of(j, 0);
  limits.states_max = STATES_MAX;
  limits.work_max -= limits.work_max / 2; /* 0 would be no limit */
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, j->interpreter, j->attainment.bound, &limits);
  j->work += explored.work;
  *none = explored.end == EXPLORE_EXHAUSTED;
  size_t steps = explored.end == EXPLORE_FOUND ? explored.path.steps.count : 0;
  if (steps != 0 && number != NULL)
    *number = explored.path.binding.data[bound_number(j->attainment.bound)];
  else if (explored.end == EXPLORE_FOUND)
    try_path(&explored.path, j);
  explored_clear(&explored);
  return steps;
}

/* Whether every execution was tried. */
static bool try_all(struct judgement *j, size_t depth) {
  enum explore_end end = EXPLORE_LIMITED;
  for (size_t more = 0; more <= DEEPER && end == EXPLORE_LIMITED; more += DEEPER) {
    if (j->work >= j->work_max || is_stopped(j))
      break;
    struct explore_limits limits = limits_of(j, depth + more);
    struct explored explored;
    explored_init(&explored);
    explore_paths(&explored, j->interpreter, j->attainment.bound, &limits, try_path, j);
    j->work += explored.work;
    end = explored.end;
    explored_clear(&explored);
  }
  return end == EXPLORE_EXHAUSTED;
}

static enum tight_outcome outcome_of(const struct attainment *at, bool all) {
  if (at->attained)
    return TIGHT_ATTAINED;
  if (at->null && !at->positive)
    return TIGHT_NOTHING;
  if (!all || at->undecided)
    return TIGHT_UNDECIDED;
  return at->possible ? TIGHT_MISSED : TIGHT_NOTHING;
}

/* *happens: an execution to the event was found. */
static enum tight_outcome judge_scope(struct judgement *j, bool *happens) {
  attainment_begin(&j->attainment);
  bool all;
  size_t steps = try_shortest(j, &all, NULL);
  *happens = steps != 0;
  if (!all && !is_complete(j))
    all = try_all(j, (steps == 0 ? j->limits->steps : steps) + SPARE_DEPTH);
  j->exhausted = j->exhausted && all && !j->attainment.undecided;
  return outcome_of(&j->attainment, all);
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void add_scope(struct tightness *t, const struct model *model, struct tight_scope scope) {
  size_t count = model->params.count;
  int64_t *values = mem_alloc(count, sizeof *values);
  if (count != 0)
    memcpy(values, scope.values, count * sizeof *values);
  scope.values = values;
  vector_push(&t->scopes, scope);
  t->attained += scope.outcome == TIGHT_ATTAINED;
  t->missed += scope.outcome == TIGHT_MISSED;
  t->undecided += scope.outcome == TIGHT_UNDECIDED;
}

/* At one number of the stream; false when no execution to its event was found. */
static bool judge_number(struct judgement *j, struct tight_scope *scope) {
  const struct bound *bound = j->attainment.bound;
  struct numbered_bound numbered;
  bool happens;
  numbered_bound_init(&numbered, bound, scope->number);
  j->attainment.bound = &numbered.bound;
  scope->outcome = judge_scope(j, &happens);
  j->attainment.bound = bound;
  numbered_bound_clear(&numbered);
  return happens;
}

/* The first number gets half of the work: those after it take longer executions. */
static void judge_numbers(struct judgement *j, const struct model *model,
                          struct tight_scope *scope) {
  bool none;
  size_t most = j->work_max;
  if (try_shortest(j, &none, &scope->number) == 0) {
    scope->outcome = none ? TIGHT_NOTHING : TIGHT_UNDECIDED;
    add_scope(j->tightness, model, *scope);
    return;
  }
  scope->numbered = true;
  for (size_t i = 0; i < TIGHT_NUMBERS && !is_stopped(j); i++, scope->number++) {
    size_t left = most > j->work ? most - j->work : 0;
    j->work_max = j->work + (i == 0 ? left / 2 : left / (TIGHT_NUMBERS - i));
    bool happens = judge_number(j, scope);
    if (i == 0 || happens)
      add_scope(j->tightness, model, *scope);
    if (!happens || scope->number == INT64_MAX)
      break;
  }
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Each scope gets an even share of what is left. Where that was not enough, larger parameters are
 * hardly worth as much. */
static void judge_scopes(struct judgement *j, const struct model *model,
                         const struct scopes *scopes) {
  size_t end = j->limits->work_max;
  struct tightness *t = j->tightness;
  for (size_t i = 0; i < scopes->items.count; i++) {
    struct tight_scope scope = {.values = scopes->items.data[i], .outcome = TIGHT_UNDECIDED};
    struct text ignored;
    text_init(&ignored);
    j->interpreter = interpreter_new(model, scope.values, &ignored);
    text_clear(&ignored);
    size_t left = end > j->work ? end - j->work : 0, undecided = t->undecided;
    j->work_max = j->work + left / (scopes->items.count - i);
    bool tried = j->interpreter != NULL && left != 0 && !is_stopped(j), happens;
    if (tried && t->number != NULL) {
      judge_numbers(j, model, &scope);
    } else {
      if (tried)
        scope.outcome = judge_scope(j, &happens);
      add_scope(t, model, scope);
    }
    interpreter_free(j->interpreter);
    if (t->undecided != undecided && end > j->work)
      end = j->work + (end - j->work) / LESS_WORK;
  }
}

static void keep_spare(struct judgement *j) {
  for (size_t i = 0; i < j->attainment.terms.count; i++) {
    const struct attain_term *term = &j->attainment.terms.data[i];
    if (!term->needed)
      vector_push(&j->tightness->spare,
                  (struct tight_term){mem_copy_text(term->label, strlen(term->label)),
                                      term->charged, j->exhausted});
  }
}

const char *tightness_number(const struct bound *bound) {
  size_t at = bound_number(bound);
  bool varies = at != bound->variable_count && bound_unlike(bound) != NULL;
  return varies ? bound->variables[at]->name : NULL;
}

void tightness_init(struct tightness *t, const struct model *model, const struct bound *bound,
                    const struct tight_limits *limits) {
  memset(t, 0, sizeof *t);
  struct scopes scopes;
  scopes_cover(&scopes, model, TIGHT_LARGEST, TIGHT_SCOPES);
  t->number = tightness_number(bound);
  struct judgement j = {.tightness = t, .limits = limits, .exhausted = true};
  attainment_init(&j.attainment, model, bound);
  j.end = seconds_worked() + limits->seconds_max;
  judge_scopes(&j, model, &scopes);
  scopes_clear(&scopes);
  keep_spare(&j);
  attainment_clear(&j.attainment);
}

void tightness_clear(struct tightness *t) {
  for (size_t i = 0; i < t->scopes.count; i++)
    mem_free(t->scopes.data[i].values);
  for (size_t i = 0; i < t->spare.count; i++)
    mem_free(t->spare.data[i].label);
  vector_clear(&t->scopes);
  vector_clear(&t->spare);
}

bool tightness_holds(const struct tightness *t) {
  return t->attained != 0 && t->missed == 0 && t->undecided == 0 && t->spare.count == 0;
}
