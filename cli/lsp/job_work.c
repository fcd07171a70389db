/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a job does on its thread (job.h): verdicts for each bound, or inferred invariants as an
 * edit.
 */
#include "cli/lsp/job.h"
#include "cli/present/execution.h"
#include "cli/question/verify/insertion.h"
#include "lang/check.h"
#include "lang/parse.h"
#include "solver/infer/infer.h"
#include "solver/search/scope.h"
#include "solver/tell/unused.h"
#include "solver/verify.h"

enum { SEARCH_SECONDS = 5 }; /* as on the command line */

static struct verify_options how_to_verify(struct job *job) {
  return (struct verify_options){.jobs = job->options.jobs,
                                 .limit_ms = job->options.limit_ms,
                                 .seed = job->options.seed,
                                 .search_seconds = SEARCH_SECONDS,
                                 .stop = &job->stop};
}

static char *headline_of(const struct bound_report *r, const struct model *model) {
  struct text text;
  text_init(&text);
  text_format(&text, "%s is %s", r->bound->name, verdict_name(r->verdict));
  if (r->verdict == VERDICT_PROVED) {
    text_append(&text, ", ");
    tightness_print(&text, model, &r->tightness);
  } else if (r->bound->expression == NULL) {
    text_append(&text,
                ": it has no expression; the action \"Insert inferred invariants\" looks for "
                "one");
  } else if (r->verdict == VERDICT_UNKNOWN) {
    text_format(&text, ": %s", r->reason);
  } else {
    text_format(&text, ": an execution takes %s ns, the bound being %s ns, with ", r->time,
                r->limit);
    parameters_print(&text, model, r->counter_scope, &r->execution->constants);
  }
  return text_take(&text);
}

static char *detail_of(const struct bound_report *r, const struct model *model) {
  struct text text;
  text_init(&text);
  text_append(&text, "");
  if (r->execution != NULL && r->verdict == VERDICT_UNKNOWN &&
      parameters_exist(model, &r->execution->constants)) {
    parameters_print(&text, model, r->counter_scope, &r->execution->constants);
    text_append(&text, ":\n\n");
  }
  if (r->execution != NULL)
    execution_format(&text, r->execution);
  if (r->verdict == VERDICT_UNKNOWN && r->induction != NULL)
    text_format(&text, "The induction fails here:\n%s", r->induction);
  return text_take(&text);
}

static void note(struct job *job, const struct bound_report *r, const struct model *model) {
  struct bound_note made = {.verdict = r->verdict,
                            .span = r->bound->span,
                            .place = r->place,
                            .headline = headline_of(r, model),
                            .detail = detail_of(r, model)};
  vector_push(&job->verdicts.notes, made);
}

static void work_verify(struct job *job, const struct model *model) {
  struct verify_options how = how_to_verify(job);
  struct verification verification;
  verification_init(&verification, model, &how);
  for (size_t i = 0; i < verification.bounds.count; i++)
    note(job, &verification.bounds.data[i], model);
  unused_warn(&job->verdicts.warnings, model, verification.never);
  verification_clear(&verification);
}

static void tell_nothing(struct text *message, const struct inference *inference) {
  const char *reason = inference->open;
  for (size_t i = 0; i < inference->bounds.count && reason == NULL; i++)
    reason = inference->bounds.data[i].reason;
  text_append(message, "nothing to insert");
  if (reason != NULL)
    text_format(message, ": %s", reason);
  else
    text_append(message, ": the bounds need no invariant that inference can find");
}

static void tell_found(struct text *message, const struct insertion *insertion,
                       const struct verification *v) {
  size_t counts[3] = {0};
  for (size_t i = 0; i < v->bounds.count; i++)
    counts[v->bounds.data[i].verdict]++;
  text_append(message, "inserted ");
  insertion_count(message, insertion);
  text_format(message, "; with them %zu proved, %zu refuted, %zu unknown", counts[VERDICT_PROVED],
              counts[VERDICT_REFUTED], counts[VERDICT_UNKNOWN]);
}

static void work_insert(struct job *job, const struct ast *ast, const struct model *model) {
  struct verify_options how = how_to_verify(job);
  struct infer_options infer = {
      .jobs = how.jobs, .limit_ms = how.limit_ms, .seed = how.seed, .stop = how.stop};
  struct inference inference;
  inference_init(&inference, model, &infer);
  how.fallen = inference.fallen;
  struct verification verification;
  verification_init(&verification, &inference.model, &how);
  struct insertion insertion;
  enum status status =
      insertion_init(&insertion, job->source, ast, &inference, &verification, &job->message);
  job->found = status == STATUS_OK && insertion.invariants + insertion.bounds != 0;
  if (job->found)
    tell_found(&job->message, &insertion, &verification);
  else if (status == STATUS_OK)
    tell_nothing(&job->message, &inference);
  job->text = insertion.text;
  insertion.text = (struct text){0};
  insertion_clear(&insertion);
  verification_clear(&verification);
  inference_clear(&inference);
}

void job_work(struct job *job) {
  struct diagnostics queue;
  diagnostics_init(&queue);
  struct ast *ast = parse(job->source, &queue);
  struct model *model = check(ast, job->source, &queue);
  if (model != NULL && job->kind == JOB_VERIFY)
    work_verify(job, model);
  else if (model != NULL)
    work_insert(job, ast, model);
  model_free(model);
  ast_free(ast);
  diagnostics_clear(&queue);
}
