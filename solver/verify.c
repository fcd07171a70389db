/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/verify.h"

#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "base/seconds.h"
#include "solver/tell/explain.h"
#include "solver/prove/induction.h"
#include "solver/tell/premise.h"
#include "solver/tell/timeline.h"
#include "solver/tell/unused.h"
#include "solver/verify_search.h"

static bool is_stopped(const struct verify_options *options) {
  return options->stop != NULL && *options->stop != 0;
}

static bool once_is_open(const struct proof *proof) {
  for (size_t i = 0; i < proof->obligations.count; i++)
    if (proof->obligations.data[i].kind == OBLIGATION_ONCE && !proof->obligations.data[i].proved)
      return true;
  return false;
}

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
    report->obligations_reused += o->reused;
    report->obligations_asked += o->asked;
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

static void list_open(struct bound_report *report, const struct proof *proof,
                      const struct property *property) {
  struct text text;
  text_init(&text);
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    if (o->proved || !obligation_concerns(o, property))
      continue;
    obligation_print(&text, o);
    text_append(&text, "\n");
  }
  report->open = text.length == 0 ? NULL : text_take(&text);
}

/* How many times of the slowest, or of the k-th, it adds up or compares. */
static size_t order_statistics(const struct term *t) {
  size_t count = t->kind == TERM_KTH_OVER || t->kind == TERM_MAX_OVER || t->kind == TERM_MIN_OVER;
  for (size_t i = 0; i < t->count; i++)
    count += order_statistics(t->args[i]);
  return count;
}

/* Each makes the proof of what comes after it longer by a factor: phases are proved one by one. */
static void advise_phases(struct text *text, const struct proof *proof,
                          const struct property *property) {
  bool exhausted = false;
  for (size_t i = 0; i < proof->obligations.count; i++) {
    const struct obligation *o = &proof->obligations.data[i];
    exhausted =
        exhausted || (!o->proved && o->reason != NULL && obligation_concerns(o, property) &&
                      (reason_is_exhausted(o->reason) || strcmp(o->reason, "unknown") == 0));
  }
  size_t count = order_statistics(property->bound->expression);
  if (exhausted && count > 1 && !property->bound->by_phases)
    text_format(text,
                "; the solver gave up: write a `phase` for each of the %zu times of a slowest or "
                "k-th in the bound, and prove it `by phases`",
                count);
}

static void explain_unproved(struct bound_report *report, const struct proof *proof,
                             const struct property *property, const struct obligation *failed,
                             const struct verify_options *options) {
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
    advise_phases(&text, proof, property);
    report->reason = text_take(&text);
  }
  text_clear(&text);
  if (report->execution == NULL)
    search_stall(report, proof->properties.model, failed, options);
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

static void note_unreached(struct bound_report *report) {
  struct text text;
  text_init(&text);
  text_format(&text,
              "never reached: no execution of the small scopes tried, with times that the "
              "assumptions allow, brings about `%s`; "
              "the proof would be about nothing",
              report->bound->target_text);
  report->reason = text_take(&text);
}

/* One bound under judgement. */
struct trial {
  const struct property *property;
  struct bound_report report;
  size_t leader; /* the first trial whose bound is about the same event */
  bool refused, searched_fault;
};

struct court {
  const struct verification *verification;
  const struct verify_options *options;
  VECTOR(struct trial) trials;
};

static void find_witness(size_t index, void *context) {
  struct court *court = context;
  struct trial *trial = &court->trials.data[index];
  if (trial->refused || trial->leader != index)
    return;
  double start = seconds_worked();
  search_witness(&trial->report, court->verification->model, court->options);
  trial->report.seconds += seconds_worked() - start;
}

/* The leader's witness is one for all bounds about its event. */
static void share_witness(struct court *court, size_t index) {
  struct bound_report *report = &court->trials.data[index].report;
  const struct bound_report *from = &court->trials.data[court->trials.data[index].leader].report;
  const struct model *model = court->verification->model;
  if (from == report || court->trials.data[index].refused || !from->reached || from->reason != NULL)
    return;
  report->reached = true;
  report->reached_steps = from->reached_steps;
  report->scope = mem_alloc(model->params.count, sizeof *report->scope);
  for (size_t i = 0; i < model->params.count; i++)
    report->scope[i] = from->scope[i];
}

/* What a search finds in so much is found at once; see refute_early. */
static const double EARLY_SECONDS = 0.25;

/* A bound that brief attempts left open may be false: then a short search often has an execution,
 * or one that breaks the model's own rules, and there is nothing left to prove. */
static void refute_early(size_t index, void *context) {
  struct court *court = context;
  struct trial *trial = &court->trials.data[index];
  struct bound_report *report = &trial->report;
  const struct proof *proof = &court->verification->proof;
  const struct model *model = court->verification->model;
  const struct obligation *failed = NULL;
  if (trial->refused || !report->reached || report->reason != NULL ||
      proof_covers(proof, trial->property, &failed))
    return;
  struct verify_options brief = *court->options;
  if (brief.search_seconds > EARLY_SECONDS)
    brief.search_seconds = EARLY_SECONDS;
  double start = seconds_worked();
  trial->searched_fault = once_is_open(proof);
  if (trial->searched_fault)
    search_fault(report, model, court->options);
  if (report->reason == NULL && search_refutation(report, model, &brief))
    report->verdict = VERDICT_REFUTED;
  report->seconds += seconds_worked() - start;
}

static void judge(size_t index, void *context) {
  struct court *court = context;
  const struct verify_options *options = court->options;
  const struct verification *verification = court->verification;
  struct trial *trial = &court->trials.data[index];
  struct bound_report *report = &trial->report;
  if (trial->refused || report->verdict == VERDICT_REFUTED)
    return;
  const struct model *model = verification->model;
  const struct obligation *failed = NULL;
  bool covered = proof_covers(&verification->proof, trial->property, &failed);
  double start = seconds_worked();
  if (!report->reached && trial->leader != index)
    search_witness(report, model, options);
  if (report->reason == NULL && !trial->searched_fault && once_is_open(&verification->proof))
    search_fault(report, model, options);
  if (covered && report->reached && report->reason == NULL) {
    report->verdict = VERDICT_PROVED;
    search_tightness(report, model, options);
    if (report->bound->from != NULL)
      search_later(report, model, options);
  } else if (!covered && report->reached && report->reason == NULL) {
    if (search_refutation(report, model, options))
      report->verdict = VERDICT_REFUTED;
  } else if (covered && !report->reached && report->reason == NULL) {
    note_unreached(report);
  }
  if (is_stopped(options) && report->verdict == VERDICT_UNKNOWN && report->reason == NULL)
    report->reason = mem_copy_text("interrupted", 11);
  if (!covered && report->verdict == VERDICT_UNKNOWN)
    list_open(report, &verification->proof, court->trials.data[index].property);
  if (!covered && report->verdict == VERDICT_UNKNOWN && !options->fail_fast)
    explain_unproved(report, &verification->proof, trial->property, failed, options);
  report->seconds += seconds_worked() - start;
}

static bool same_event(const struct bound *a, const struct bound *b) {
  return a->variable_count == 0 && b->variable_count == 0 && a->target == b->target &&
         a->target != TARGET_WHEN && a->message == b->message &&
         strcmp(a->target_text, b->target_text) == 0;
}

static void add_trial(struct court *court, const struct property *property) {
  struct trial trial = {.property = property,
                        .report = {.bound = property->bound, .verdict = VERDICT_UNKNOWN},
                        .leader = court->trials.count};
  for (size_t i = court->trials.count; i > 0; i--)
    if (same_event(court->trials.data[i - 1].report.bound, property->bound))
      trial.leader = i - 1;
  trial.report.reason = refuse(&court->verification->proof, property);
  trial.refused = trial.report.reason != NULL;
  if (trial.refused)
    trial.leader = court->trials.count;
  vector_push(&court->trials, trial);
}

/* The rest of the proof, but for bounds about which a search has decided. */
static void settle(struct court *court, struct verification *v, const struct proof_options *how) {
  struct properties *p = &v->proof.properties;
  bool *spared = arena_alloc(&p->arena, p->items.count, sizeof *spared);
  for (size_t i = 0; i < court->trials.count; i++) {
    const struct bound_report *report = &court->trials.data[i].report;
    spared[court->trials.data[i].property - p->items.data] =
        report->verdict == VERDICT_REFUTED || report->reason != NULL;
  }
  proof_settle(&v->proof, how, spared);
  for (size_t i = 0; i < court->trials.count; i++)
    count_obligations(&court->trials.data[i].report, &v->proof, court->trials.data[i].property);
}

static void judge_all(struct verification *v, const struct verify_options *options,
                      const struct proof_options *how) {
  struct court court = {.verification = v, .options = options};
  for (size_t i = 0; i < v->proof.properties.items.count; i++)
    if (v->proof.properties.items.data[i].kind == PROPERTY_BOUND)
      add_trial(&court, &v->proof.properties.items.data[i]);
  parallel_run(options->jobs, court.trials.count, find_witness, &court);
  for (size_t i = 0; i < court.trials.count; i++)
    share_witness(&court, i);
  parallel_run(options->jobs, court.trials.count, refute_early, &court);
  settle(&court, v, how);
  parallel_run(options->jobs, court.trials.count, judge, &court);
  for (size_t i = 0; i < court.trials.count; i++)
    vector_push(&v->bounds, court.trials.data[i].report);
  vector_clear(&court.trials);
}

static void explain(struct bound_report *report, const struct verification *v,
                    const struct verify_options *options) {
  struct proof_options how = {
      .jobs = options->jobs, .limit_ms = options->limit_ms, .seed = options->seed};
  how.stop = options->stop;
  const struct slowest_search search = {.model = v->model,
                                        .bound = report->bound,
                                        .attained = report->tightness.attained != 0,
                                        .steps = report->reached_steps,
                                        .stop = options->stop};
  report->explanation = explanation_new(&v->proof, &how, &search);
}

void verification_init(struct verification *v, const struct model *model,
                       const struct verify_options *options) {
  memset(v, 0, sizeof *v);
  double start = seconds_elapsed();
  v->model = model;
  struct proof_options proof = {.jobs = options->jobs,
                                .limit_ms = options->limit_ms,
                                .seed = options->seed,
                                .stop = options->stop,
                                .fail_fast = options->fail_fast,
                                .known = options->known,
                                .only = options->only,
                                .fallen = options->fallen};
  proof_begin(&v->proof, model, &proof);
  judge_all(v, options, &proof);
  for (size_t i = 0; i < v->bounds.count; i++) {
    struct bound_report *report = &v->bounds.data[i];
    if (options->explain && report->verdict == VERDICT_PROVED)
      explain(report, v, options);
  }
  v->never = unused_actions(&v->proof);
  v->interrupted = is_stopped(options);
  v->seconds = seconds_elapsed() - start;
}

void verification_clear(struct verification *v) {
  for (size_t i = 0; i < v->bounds.count; i++) {
    struct bound_report *r = &v->bounds.data[i];
    void *owned[] = {r->scope,         r->reason, r->induction, r->time, r->limit,
                     r->counter_scope, r->worst,  r->scopes,    r->hint, r->open};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
      mem_free(owned[k]);
    explanation_free(r->explanation);
    timeline_free(r->execution);
    tightness_clear(&r->tightness);
  }
  vector_clear(&v->bounds);
  mem_free(v->never);
  mem_free(v->remark);
  proof_clear(&v->proof);
}

const char *verdict_name(enum verdict verdict) {
  static const char *const names[] = {"proved", "refuted", "unknown"};
  return names[verdict];
}

struct telling {
  const struct verification *verification;
  struct ledger *ledger;
};

static void add_to_ledger(const struct premise *premise, void *context) {
  const struct telling *telling = context;
  const char *remark = telling->verification->remark;
  bool of_solver = premise->source == LEDGER_SOLVER && remark != NULL;
  (premise->stated ? ledger_note : ledger_add)(telling->ledger, premise->source, "%s%s",
                                               premise->text, of_solver ? remark : "");
}

void verification_assumptions(const struct verification *v, struct ledger *ledger) {
  premises(v->model, add_to_ledger, &(struct telling){v, ledger});
}
