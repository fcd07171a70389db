/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/verify.h"

#include <stdlib.h>
#include <string.h>

#include "solver/attack.h"
#include "solver/explain.h"
#include "solver/induction.h"
#include "solver/premise.h"
#include "solver/scope.h"
#include "solver/timeline.h"
#include "solver/witness.h"

enum { WITNESS_SCOPES = 12, ATTACK_SCOPES = 8, TIGHT_SCOPES = 4, STATES_MAX = 200000 };
enum { RANDOM_RUNS = 300, RANDOM_STEPS = 400 };
enum { WITNESS_DEPTH = 80, SPARE_DEPTH = 6, TIGHT_PATHS = 60 };
static const double tight_seconds = 0.4, fault_seconds = 0.5;
static const double loop_seconds = 0.4; /* random executions are better through loops */

struct search {
  struct bound_report *report;
  struct interpreter *interpreter;
  const struct verify_options *options;
  const int64_t *scope;
  enum attack_goal goal;
  size_t tried, most;
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

/* --- witnesses ------------------------------------------------------------------------------- */

/* An execution of the model in which it breaks its own rules: no bound means anything then. */
static void note_fault(struct search *s, const struct explored *explored) {
  struct replay replay;
  replay_init(&replay);
  replay_run(&replay, s->interpreter, NULL, explored->fault_path.steps.data,
             explored->fault_path.steps.count, NULL);
  struct text text;
  text_init(&text);
  timeline_print(&text, &replay, NULL);
  s->report->execution = text_take(&text);
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
  struct values values;
  struct replay replay;
  values_init(&values, s->interpreter->model);
  replay_init(&replay);
  s->report->reached =
      attack_path(&values, &replay, s->interpreter, s->report->bound, path, ATTACK_HAPPEN);
  if (s->report->reached) {
    s->report->scope = copy_scope(s->interpreter->model, s->scope);
    s->report->reached_steps = path->steps.count;
  }
  replay_clear(&replay);
  values_clear(&values);
  return !s->report->reached && !is_stopped(s->options);
}

/* The shortest execution has no times; perhaps a longer one has. */
static void look_for_timed_witness(struct search *s, size_t shortest) {
  struct explore_limits limits = {.depth_max = shortest + SPARE_DEPTH,
                                  .seconds_max = s->options->search_seconds / 2};
  struct explored explored;
  explored_init(&explored);
  explore_paths(&explored, s->interpreter, s->report->bound, &limits, try_witness, s);
  explored_clear(&explored);
}

/* Where clocks decide which steps come, random executions with times go the way. Whether to look
 * further. */
static bool look_at_random(struct search *s) {
  struct hunt_options options = {.seed = 1,
                                 .runs = RANDOM_RUNS,
                                 .steps_max = RANDOM_STEPS,
                                 .seconds_max = s->options->search_seconds / 2};
  struct values values;
  struct replay replay;
  struct path path;
  values_init(&values, s->interpreter->model);
  replay_init(&replay);
  path_init(&path);
  s->report->reached =
      witness_find(&values, &replay, &path, s->interpreter, s->report->bound, &options);
  if (s->report->reached) {
    s->report->scope = copy_scope(s->interpreter->model, s->scope);
    s->report->reached_steps = path.steps.count;
  }
  path_clear(&path);
  replay_clear(&replay);
  values_clear(&values);
  return !s->report->reached && !is_stopped(s->options);
}

static void look_for_witness(struct search *s) {
  struct explore_limits limits = {.states_max = STATES_MAX,
                                  .depth_max = WITNESS_DEPTH,
                                  .seconds_max = s->options->search_seconds / 2};
  if (s->interpreter->model->schedules.count != 0 && limits.seconds_max > loop_seconds)
    limits.seconds_max = loop_seconds;
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, s->interpreter, s->report->bound, &limits);
  bool timeless = explored.end == EXPLORE_FOUND && try_witness(&explored.path, s);
  if ((timeless || explored.end == EXPLORE_LIMITED) && look_at_random(s) && timeless)
    look_for_timed_witness(s, explored.path.steps.count);
  if (explored.fault != STEP_TAKEN && s->report->reason == NULL)
    note_fault(s, &explored);
  explored_clear(&explored);
}

/* The event may come before the second send; then the search above stopped too early. */
static void look_for_fault(struct search *s) {
  struct explore_limits limits = {
      .states_max = STATES_MAX, .depth_max = WITNESS_DEPTH, .seconds_max = fault_seconds};
  struct explored explored;
  explored_init(&explored);
  explore_reach(&explored, s->interpreter, NULL, &limits);
  s->found = explored.fault != STEP_TAKEN;
  if (s->found)
    note_fault(s, &explored);
  explored_clear(&explored);
}

static bool once_is_open(const struct proof *proof) {
  for (size_t i = 0; i < proof->obligations.count; i++)
    if (proof->obligations.data[i].kind == OBLIGATION_ONCE && !proof->obligations.data[i].proved)
      return true;
  return false;
}

/* Why the interpreter takes none of the small scopes. */
static char *scope_refusal(const struct model *model) {
  struct text text, message;
  text_init(&text);
  text_init(&message);
  int64_t *values = mem_alloc(model->params.count, sizeof *values);
  for (size_t i = 0; i < model->params.count; i++)
    values[i] = 1;
  interpreter_free(interpreter_new(model, values, &message));
  text_format(&text,
              "no execution can be tried: no parameters were found that the assumptions "
              "allow and that are small enough (with 1 for each: %s)",
              text_get(&message));
  mem_free(values);
  text_clear(&message);
  return text_take(&text);
}

/* Runs `look` in one scope after the other until it has found what it looks for. */
static void in_scopes(struct search *s, const struct model *model, enum scope_order order,
                      size_t most, void (*look)(struct search *), const bool *done) {
  struct scopes scopes;
  scopes_init(&scopes, model, order, most);
  if (scopes.items.count == 0 && s->report->reason == NULL)
    s->report->reason = scope_refusal(model);
  double end = explore_seconds() + s->options->search_seconds;
  for (size_t i = 0; i < scopes.items.count && !*done && !is_stopped(s->options); i++) {
    if (explore_seconds() > end)
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
  scopes_clear(&scopes);
}

/* --- executions that exceed or attain the bound ------------------------------------------------
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
  s->found = attack_path(&values, &replay, s->interpreter, s->report->bound, path, s->goal);
  if (s->found && s->goal == ATTACK_EXCEED) {
    struct valuation valuation = values_valuation(&values);
    struct text text;
    text_init(&text);
    timeline_print(&text, &replay, &valuation);
    s->report->execution = text_take(&text);
    s->report->time = text_of(&replay.time);
    s->report->limit = text_of(&replay.limit);
    s->report->counter_scope = copy_scope(s->interpreter->model, s->scope);
  }
  replay_clear(&replay);
  values_clear(&values);
  s->tried++;
  return !s->found && s->tried < s->most && !is_stopped(s->options);
}

static void look_for_path(struct search *s) {
  bool exceed = s->goal == ATTACK_EXCEED;
  struct explore_limits limits = {.depth_max = s->report->reached_steps + SPARE_DEPTH,
                                  .seconds_max =
                                      exceed ? s->options->search_seconds : tight_seconds};
  struct explored explored;
  explored_init(&explored);
  explore_paths(&explored, s->interpreter, s->report->bound, &limits, try_path, s);
  explored_clear(&explored);
}

static void look_for_execution(struct search *s, const struct model *model, enum attack_goal goal) {
  s->goal = goal;
  s->tried = 0;
  s->most = goal == ATTACK_EXCEED ? SIZE_MAX : TIGHT_PATHS;
  s->found = false;
  if (goal == ATTACK_EXCEED)
    in_scopes(s, model, SCOPE_SMALLEST_FIRST, ATTACK_SCOPES, look_for_path, &s->found);
  else
    in_scopes(s, model, SCOPE_TWO_FIRST, TIGHT_SCOPES, look_for_path, &s->found);
}

/* --- verdicts ----------------------------------------------------------------------------------
 */

static int by_number(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void count_obligations(struct bound_report *report, const struct proof *proof,
                              const struct property *property) {
  VECTOR(double) seconds = {0};
  const struct obligation *worst = NULL;
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    if (!obligation_concerns(o, property))
      continue;
    report->obligations++;
    report->failed += !o->proved;
    report->seconds += o->seconds;
    vector_push(&seconds, o->seconds);
    if (worst == NULL || o->seconds > worst->seconds)
      worst = o;
  }
  if (worst != NULL) {
    struct text text;
    text_init(&text);
    obligation_print(&text, worst);
    report->worst = text_take(&text);
    report->worst_seconds = worst->seconds;
    qsort(seconds.data, seconds.count, sizeof *seconds.data, by_number);
    report->median_seconds = seconds.data[seconds.count / 2];
  }
  vector_clear(&seconds);
}

static void explain_unproved(struct bound_report *report, const struct proof *proof,
                             const struct obligation *failed) {
  struct text text;
  text_init(&text);
  if (report->reason == NULL) {
    if (!obligation_explain(&text, proof->properties.model, failed)) {
      text_append(&text, "not proved: ");
      obligation_print(&text, failed);
    }
    report->place = failed->span;
    if (report->failed > 1)
      text_format(&text, ", and %zu more of %zu obligations", report->failed - 1,
                  report->obligations);
    if (failed->reason != NULL && failed->reason[0] != '\0' && failed->span.end == 0)
      text_format(&text, " (%s)", failed->reason);
    report->reason = text_take(&text);
  }
  text_clear(&text);
  if (report->execution != NULL)
    return;
  struct induction induction;
  induction_init(&induction, proof, failed);
  if (induction.state.length != 0)
    report->induction = text_take(&induction.state);
  if (induction.scopes.length != 0)
    report->scopes = text_take(&induction.scopes);
  if (induction.hint.length != 0)
    report->hint = text_take(&induction.hint);
  induction_clear(&induction);
}

/* Why nothing can be said of the bound at all, or NULL. */
static char *refuse(const struct proof *proof, const struct property *property) {
  struct text text;
  text_init(&text);
  if (proof->contradiction != NULL)
    text_format(&text, "the assumptions contradict each other: %s", proof->contradiction);
  else if (property->bound->expression == NULL)
    text_append(&text, "no expression: run verify --infer");
  return text.length == 0 ? NULL : text_take(&text);
}

static void judge(struct bound_report *report, const struct verification *verification,
                  const struct property *property, const struct verify_options *options) {
  const struct model *model = verification->model;
  const struct obligation *failed = NULL;
  bool covered = proof_covers(&verification->proof, property, &failed);
  count_obligations(report, &verification->proof, property);
  struct search search = {.report = report, .options = options};
  report->verdict = VERDICT_UNKNOWN;
  report->reason = refuse(&verification->proof, property);
  if (report->reason != NULL)
    return;
  double start = explore_seconds();
  in_scopes(&search, model, SCOPE_TWO_FIRST, WITNESS_SCOPES, look_for_witness, &report->reached);
  if (report->reason == NULL && once_is_open(&verification->proof))
    in_scopes(&search, model, SCOPE_SMALLEST_FIRST, ATTACK_SCOPES, look_for_fault, &search.found);
  if (covered && report->reached && report->reason == NULL) {
    report->verdict = VERDICT_PROVED;
    look_for_execution(&search, model, ATTACK_ATTAIN);
    report->tight = search.found;
  } else if (!covered && report->reached && report->reason == NULL) {
    look_for_execution(&search, model, ATTACK_EXCEED);
    if (search.found)
      report->verdict = VERDICT_REFUTED;
  } else if (covered && !report->reached && report->reason == NULL) {
    struct text text;
    text_init(&text);
    text_format(&text,
                "never reached: no execution of the small scopes tried, with times that the "
                "assumptions allow, brings about `%s`; "
                "the proof would be about nothing",
                report->bound->target_text);
    report->reason = text_take(&text);
  }
  if (is_stopped(options) && report->verdict == VERDICT_UNKNOWN && report->reason == NULL)
    report->reason = mem_copy_text("interrupted", 11);
  if (!covered && report->verdict == VERDICT_UNKNOWN && !options->fail_fast)
    explain_unproved(report, &verification->proof, failed);
  report->seconds += explore_seconds() - start;
}

void verification_init(struct verification *v, const struct model *model,
                       const struct verify_options *options) {
  memset(v, 0, sizeof *v);
  double start = explore_seconds();
  v->model = model;
  struct proof_options proof = {.jobs = options->jobs,
                                .limit_ms = options->limit_ms,
                                .seed = options->seed,
                                .stop = options->stop,
                                .fail_fast = options->fail_fast};
  proof_init(&v->proof, model, &proof);
  for (size_t i = 0; i < v->proof.properties.items.count; i++) {
    const struct property *property = &v->proof.properties.items.data[i];
    if (property->kind != PROPERTY_BOUND ||
        (options->only != NULL && property->bound != options->only))
      continue;
    struct bound_report report = {.bound = property->bound};
    judge(&report, v, property, options);
    if (options->explain && report.verdict == VERDICT_PROVED)
      report.explanation = explanation_new(v, &report, options);
    vector_push(&v->bounds, report);
  }
  v->interrupted = is_stopped(options);
  v->seconds = explore_seconds() - start;
}

void verification_clear(struct verification *v) {
  for (size_t i = 0; i < v->bounds.count; i++) {
    struct bound_report *r = &v->bounds.data[i];
    void *owned[] = {r->scope, r->reason,        r->induction, r->execution, r->time,
                     r->limit, r->counter_scope, r->worst,     r->scopes,    r->hint};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
      mem_free(owned[k]);
    explanation_free(r->explanation);
  }
  vector_clear(&v->bounds);
  proof_clear(&v->proof);
}

const char *verdict_name(enum verdict verdict) {
  static const char *const names[] = {"proved", "refuted", "unknown"};
  return names[verdict];
}

struct line_taker {
  void (*add)(const char *source, const char *line, void *context);
  void *context;
};

static void pass_on(const struct premise *premise, void *context) {
  const struct line_taker *to = context;
  to->add(premise->source, premise->text, to->context);
}

void verification_assumptions(const struct model *model,
                              void (*add)(const char *source, const char *line, void *context),
                              void *context) {
  premises(model, pass_on, &(struct line_taker){add, context});
}
