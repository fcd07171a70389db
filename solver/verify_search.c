/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/verify_search.h"

#include <string.h>

#include "base/seconds.h"
#include "solver/search/attack.h"
#include "solver/search/hunt.h"
#include "solver/search/scope.h"
#include "solver/search/stall.h"
#include "solver/tell/timeline.h"
#include "solver/search/witness.h"

enum { WITNESS_SCOPES = 12, ATTACK_SCOPES = 8, STATES_MAX = 200000 };
enum { RANDOM_RUNS = 300, RANDOM_STEPS = 400, WITNESS_DEPTH = 80, SPARE_DEPTH = 6 };
enum { STALL_SCOPES = 3, STALL_RUNS = 200, STALL_STEPS = 60, STALL_WORK = 20000 };

/* A search ends after so much work, in steps considered, that its outcome is the same on every
 * machine and under any load. A second of a usual machine is about that much; elapsed time, many
 * times as long, is only a safety net. */
enum { WORK_PER_SECOND = 400000, SAFETY = 20 };
enum { QUERY_WORK = 6000 };                    /* one question to the solver counts as much */
enum { FIRST_WORK = 200000, FIRST_RUNS = 40 }; /* in each scope, before any gets more */
enum { FIRST_SHARE = 16 }; /* of all work, for one scope at first: a wrong quorum may need f = 2 */
/* Random executions are better through loops than a systematic search. */
enum { FIRST_LOOP_WORK = 5000, LOOP_WORK = 50000 };

struct search {
  struct bound_report *report;
  struct interpreter *interpreter;
  const struct verify_options *options;
  const int64_t *scope;
  struct stall_wanted wanted;  /* of a stall */
  size_t work, work_max;       /* in all scopes */
  size_t scope_work;           /* at most, of one search in one scope */
  size_t queried;              /* in the scope: work of questions alone */
  bool cut;                    /* in some scope there was more */
  size_t runs;                 /* random executions in a scope */
  struct attack_solver solver; /* for one execution after another */
  bool exceeds;                /* a witness has to: it is one of a refutation */
  bool last;                   /* the round that leaves nothing out */
  bool found;
};

static bool is_stopped(const struct verify_options *options) {
  return options->stop != NULL && *options->stop != 0;
}

static int64_t *copy_scope(const struct model *model, const int64_t *scope) {
  int64_t *copy = mem_alloc(model->params.count, sizeof *copy);
  for (size_t i = 0; i < model->params.count; i++)
    copy[i] = scope[i];
  return copy;
}

/* What one search in one scope may still cost. */
static struct explore_limits limits_of(const struct search *s) {
  size_t left = s->work < s->work_max ? s->work_max - s->work : 1;
  return (struct explore_limits){.work_max = left < s->scope_work ? left : s->scope_work,
                                 .seconds_max = SAFETY * s->options->search_seconds};
}

static void count_work(struct search *s, const struct explored *explored) {
  s->work += explored->work;
}

/* --- executions that exceed the bound -------------------------------------------------------
 */

static char *text_of(const struct rational *value) {
  struct text text;
  text_init(&text);
  rational_print_short(&text, value);
  return text_take(&text);
}

static bool try_path(const struct path *path, void *context) {
  struct search *s = context;
  struct values values;
  struct replay replay;
  values_init(&values, s->interpreter->model);
  replay_init(&replay);
  s->found = attack_path(&values, &replay, s->interpreter, s->report->bound, path, ATTACK_EXCEED,
                         &s->solver);
  if (s->found) {
    struct valuation valuation = values_valuation(&values);
    s->report->execution = timeline_new(s->interpreter->model, &replay, &valuation);
    s->report->time = text_of(&replay.time);
    s->report->limit = text_of(&replay.limit);
    s->report->counter_scope = copy_scope(s->interpreter->model, s->scope);
  }
  replay_clear(&replay);
  values_clear(&values);
  s->work += QUERY_WORK;
  s->queried += QUERY_WORK;
  return !s->found && s->work < s->work_max && s->queried < s->scope_work &&
         !is_stopped(s->options);
}

/* --- witnesses ------------------------------------------------------------------------------- */

/* An execution of the model in which it breaks its own rules: no bound means anything then. */
static void note_fault(struct search *s, const struct explored *explored) {
  struct replay replay;
  replay_init(&replay);
  replay_run(&replay, s->interpreter, NULL, explored->fault_path.steps.data,
             explored->fault_path.steps.count, NULL);
  struct text text;
  text_init(&text);
  s->report->execution = timeline_new(s->interpreter->model, &replay, NULL);
  text_format(&text,
              "the model breaks a rule of its own: %s (add a field or an index that tells "
              "the two apart, such as `epoch: int`)",
              replay.reason == NULL ? "something happens twice" : replay.reason);
  s->report->reason = text_take(&text);
  s->report->counter_scope = copy_scope(s->interpreter->model, s->scope);
  replay_clear(&replay);
}

/* Control alone may do what no choice of times allows: then the event was not reached. */
static bool try_witness(const struct path *path, void *context) {
  struct search *s = context;
  if (s->exceeds)
    return try_path(path, context);
  struct values values;
  struct replay replay;
  values_init(&values, s->interpreter->model);
  replay_init(&replay);
  s->work += QUERY_WORK;
  s->report->reached = attack_path(&values, &replay, s->interpreter, s->report->bound, path,
                                   ATTACK_HAPPEN, &s->solver);
  if (s->report->reached) {
    s->report->scope = copy_scope(s->interpreter->model, s->scope);
    s->report->reached_steps = path->steps.count;
  }
  replay_clear(&replay);
  values_clear(&values);
  return !s->report->reached && s->work < s->work_max && !is_stopped(s->options);
}

/* The shortest execution has no times; perhaps a longer one has. */
static void look_for_timed_witness(struct search *s, size_t shortest) {
  struct explore_limits limits = limits_of(s);
  limits.depth_max = shortest + SPARE_DEPTH;
  struct explored explored;
  explored_init(&explored);
  explore_paths(&explored, s->interpreter, s->report->bound, &limits, try_witness, s);
  count_work(s, &explored);
  explored_clear(&explored);
}

/* Where clocks decide which steps come, random executions with times go the way. Whether to look
 * further. */
static bool look_at_random(struct search *s) {
  struct hunt_options options = {.seed = 1,
                                 .runs = s->runs,
                                 .steps_max = RANDOM_STEPS,
                                 .work_max = limits_of(s).work_max,
                                 .seconds_max = SAFETY * s->options->search_seconds};
  struct values values;
  struct replay replay;
  struct path path;
  values_init(&values, s->interpreter->model);
  replay_init(&replay);
  path_init(&path);
  bool reached =
      witness_find(&values, &replay, &path, s->interpreter, s->report->bound, &options, &s->work);
  if (reached && s->exceeds) {
    try_path(&path, s);
  } else if (reached) {
    s->report->reached = true;
    s->report->scope = copy_scope(s->interpreter->model, s->scope);
    s->report->reached_steps = path.steps.count;
  }
  path_clear(&path);
  replay_clear(&replay);
  values_clear(&values);
  return !reached && !is_stopped(s->options);
}

static void look_for_witness(struct search *s) {
  struct explore_limits limits = limits_of(s);
  limits.states_max = STATES_MAX;
  limits.depth_max = WITNESS_DEPTH;
  size_t loop_work = s->last ? LOOP_WORK : FIRST_LOOP_WORK;
  if (s->interpreter->model->schedules.count != 0 && limits.work_max > loop_work)
    limits.work_max = loop_work;
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, s->interpreter, s->report->bound, &limits);
  count_work(s, &explored);
  bool timeless = explored.end == EXPLORE_FOUND && try_witness(&explored.path, s);
  if ((timeless || explored.end == EXPLORE_LIMITED) && look_at_random(s) && timeless && s->last)
    look_for_timed_witness(s, explored.path.steps.count);
  if (explored.fault != STEP_TAKEN && s->report->reason == NULL)
    note_fault(s, &explored);
  explored_clear(&explored);
}

/* The event may come before the second send; then the search above stopped too early. */
static void look_for_fault(struct search *s) {
  struct explore_limits limits = limits_of(s);
  limits.states_max = STATES_MAX;
  limits.depth_max = WITNESS_DEPTH;
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, s->interpreter, NULL, &limits);
  count_work(s, &explored);
  s->found = explored.fault != STEP_TAKEN;
  if (s->found)
    note_fault(s, &explored);
  explored_clear(&explored);
}

/* Why executions can be tried with no parameters. */
static char *scope_refusal(const struct model *model) {
  struct text text;
  text_init(&text);
  text_append(&text, "no execution can be tried: ");
  scopes_explain_none(&text, model);
  return text_take(&text);
}

/* Runs `look` in one scope after the other until it has found what it looks for. */
static void in_scopes(struct search *s, const struct model *model, enum scope_order order,
                      size_t most, void (*look)(struct search *), const bool *done) {
  struct scopes scopes;
  scopes_init(&scopes, model, order, most);
  if (scopes.items.count == 0 && s->report->reason == NULL)
    s->report->reason = scope_refusal(model);
  double end = seconds_worked() + SAFETY * s->options->search_seconds;
  for (size_t i = 0; i < scopes.items.count && !*done && !is_stopped(s->options); i++) {
    if (s->work >= s->work_max || seconds_worked() > end)
      break;
    struct text ignored;
    text_init(&ignored);
    s->scope = scopes.items.data[i];
    s->interpreter = interpreter_new(model, s->scope, &ignored);
    text_clear(&ignored);
    if (s->interpreter != NULL)
      look(s);
    interpreter_free(s->interpreter);
  }
  attack_solver_clear(&s->solver);
  scopes_clear(&scopes);
}

static void look_for_path(struct search *s) {
  struct explore_limits limits = limits_of(s);
  s->queried = 0;
  limits.depth_max = s->report->reached_steps + SPARE_DEPTH;
  struct explored explored;
  explored_init(&explored);
  explore_paths(&explored, s->interpreter, s->report->bound, &limits, try_path, s);
  count_work(s, &explored);
  s->cut = s->cut || explored.end != EXPLORE_EXHAUSTED;
  explored_clear(&explored);
}

/* --- executions in which a system would go on ------------------------------------------------- */

/* The execution ends where a system goes on with the message. */
static void tell_deferred(struct text *text, const struct stall *stall) {
  const struct step_record *last = &stall->replay.records.data[stall->replay.records.count - 1];
  text_append(text, "Here ");
  interpreter_print_message(text, stall->message, stall->fields);
  text_append(text, " was delivered at ");
  rational_print_short(text, &stall->delivered);
  text_append(text, ", but ");
  interpreter_print_node(text, last->step.action->role, last->step.node);
  text_append(text, " could not take it before ");
  rational_print_short(text, &last->end);
  text_append(text, ". No time of the protocol stands for that wait.");
}

static void tell_again(struct text *text, const struct stall *stall) {
  size_t first = stall->steps.count - stall->round;
  text_append(text, "All is then as it was before ");
  for (size_t i = first; i < stall->steps.count; i++) {
    text_append(text, i == first ? "" : i + 1 < stall->steps.count ? ", " : " and ");
    step_print(text, &stall->steps.data[i]);
  }
  text_append(text, " at ");
  rational_print_short(text, &stall->delivered);
  text_append(text, stall->round == 1 ? ". It is" : ". They are");
  text_append(text, " taken again and again, and no step of any node starts later.");
}

static void tell_limited(struct text *text, const struct stall *stall, const struct model *model) {
  text_append(text, "Then ");
  step_print(text, &stall->refused);
  text_append(text, " would have to be taken at ");
  rational_print_short(text, &stall->delivered);
  text_append(text, ", and may not send what it sends so soon. It is never taken");
  if (model->timing == TIMING_EAGER)
    text_append(text, ", and no step of any node starts later");
  text_append(text, ".");
}

static void tell_stall(struct search *s, const struct stall *stall) {
  struct valuation valuation = values_valuation(&stall->values);
  struct text text;
  text_init(&text);
  if (s->wanted.kind == STALL_DEFERRED)
    tell_deferred(&text, stall);
  else if (s->wanted.kind == STALL_AGAIN)
    tell_again(&text, stall);
  else
    tell_limited(&text, stall, s->interpreter->model);
  s->report->execution = timeline_new(s->interpreter->model, &stall->replay, &valuation);
  s->report->execution->remark = text_take(&text);
  s->report->counter_scope = copy_scope(s->interpreter->model, s->scope);
}

static void look_for_stall(struct search *s) {
  struct hunt_options options = {
      .seed = 1, .runs = STALL_RUNS, .steps_max = STALL_STEPS, .work_max = STALL_WORK};
  struct stall stall;
  stall_init(&stall, s->interpreter);
  stall_find(&stall, s->interpreter, &s->wanted, &options);
  s->work += stall.work;
  s->found = stall.found;
  if (stall.found)
    tell_stall(s, &stall);
  stall_clear(&stall);
}

/* --- the searches ------------------------------------------------------------------------------
 */

static struct search search_begin(struct bound_report *report,
                                  const struct verify_options *options) {
  double budget = options->search_seconds * WORK_PER_SECOND;
  struct search s = {.report = report, .options = options, .last = true};
  s.work_max = budget < 1 ? 1 : (size_t)budget;
  s.scope_work = s.work_max / 2;
  return s;
}

void search_witness(struct bound_report *report, const struct model *model,
                    const struct verify_options *options) {
  struct search s = search_begin(report, options);
  size_t most = s.scope_work;
  s.last = false;
  s.scope_work = most < FIRST_WORK ? most : FIRST_WORK;
  s.runs = FIRST_RUNS;
  in_scopes(&s, model, SCOPE_TWO_FIRST, WITNESS_SCOPES, look_for_witness, &report->reached);
  s.last = true;
  s.scope_work = most;
  s.runs = RANDOM_RUNS;
  if (!report->reached && report->reason == NULL)
    in_scopes(&s, model, SCOPE_TWO_FIRST, WITNESS_SCOPES, look_for_witness, &report->reached);
}

void search_fault(struct bound_report *report, const struct model *model,
                  const struct verify_options *options) {
  struct search s = search_begin(report, options);
  s.scope_work /= 5;
  in_scopes(&s, model, SCOPE_SMALLEST_FIRST, ATTACK_SCOPES, look_for_fault, &s.found);
}

/* An execution of many steps, such as one in which timers pass, is out of reach of a search by
 * length. So those are tried that are found when one looks for the event itself. */
static bool exceeded_by_witness(struct bound_report *report, const struct model *model,
                                const struct verify_options *options) {
  struct search s = search_begin(report, options);
  s.exceeds = true;
  s.last = false;
  s.scope_work = s.scope_work < FIRST_WORK ? s.scope_work : FIRST_WORK;
  s.runs = FIRST_RUNS;
  if (report->reason == NULL && !is_stopped(options))
    in_scopes(&s, model, SCOPE_TWO_FIRST, WITNESS_SCOPES, look_for_witness, &s.found);
  return s.found;
}

bool search_refutation(struct bound_report *report, const struct model *model,
                       const struct verify_options *options) {
  struct search s = search_begin(report, options);
  s.scope_work = s.work_max / FIRST_SHARE;
  in_scopes(&s, model, SCOPE_SMALLEST_FIRST, ATTACK_SCOPES, look_for_path, &s.found);
  s.scope_work = s.work_max;
  if (s.cut && !s.found)
    in_scopes(&s, model, SCOPE_SMALLEST_FIRST, ATTACK_SCOPES, look_for_path, &s.found);
  return s.found || exceeded_by_witness(report, model, options);
}

/* The same bound, with nothing for its expression, is broken by whatever comes later. */
void search_later(struct bound_report *report, const struct model *model,
                  const struct verify_options *options) {
  struct term nothing = {.kind = TERM_TIME, .type = {.kind = TYPE_TIME}};
  rational_init(&nothing.value);
  struct bound at_once = *report->bound;
  at_once.expression = &nothing;
  struct bound_report trial = {.bound = &at_once, .reached_steps = report->reached_steps};
  bool later = search_refutation(&trial, model, options);
  report->never_later = !later && trial.reason == NULL && !is_stopped(options);
  timeline_free(trial.execution);
  mem_free(trial.time);
  mem_free(trial.limit);
  mem_free(trial.counter_scope);
  mem_free(trial.reason);
  rational_clear(&nothing.value);
}

/* What would show that the obligation does not hold; false: no stall does. */
static bool stall_of(struct stall_wanted *wanted, const struct obligation *o) {
  if (o->kind == OBLIGATION_DEFERRAL)
    *wanted = (struct stall_wanted){.kind = STALL_DEFERRED, .message = o->message};
  else if (o->kind == OBLIGATION_PROGRESS && o->circle != NULL)
    *wanted = (struct stall_wanted){
        .kind = STALL_AGAIN, .actions = o->circle, .action_count = o->circle_count};
  else if (o->kind == OBLIGATION_PACE)
    *wanted =
        (struct stall_wanted){.kind = STALL_LIMITED, .actions = &o->action, .action_count = 1};
  else
    return false;
  return true;
}

void search_stall(struct bound_report *report, const struct model *model,
                  const struct obligation *failed, const struct verify_options *options) {
  struct search s = search_begin(report, options);
  if (stall_of(&s.wanted, failed))
    in_scopes(&s, model, SCOPE_SMALLEST_FIRST, STALL_SCOPES, look_for_stall, &s.found);
}

void search_tightness(struct bound_report *report, const struct model *model,
                      const struct verify_options *options) {
  struct search s = search_begin(report, options);
  struct tight_limits limits = {.work_max = s.work_max / 2,
                                .seconds_max = SAFETY * options->search_seconds,
                                .steps = report->reached_steps,
                                .stop = options->stop};
  tightness_init(&report->tightness, model, report->bound, &limits);
  report->tight = tightness_holds(&report->tightness);
}
