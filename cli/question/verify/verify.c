/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/verify/verify.h"

#include "base/memory.h"
#include "cli/question/verify/reuse.h"
#include "solver/tell/unused.h"

enum status verdict_status(enum verdict verdict) {
  return verdict == VERDICT_PROVED    ? STATUS_OK
         : verdict == VERDICT_REFUTED ? STATUS_REFUTED
                                      : STATUS_UNKNOWN;
}

static void tell_search(void *context, const char *what, size_t count) {
  const struct verify_request *request = context;
  if (request->searching != NULL)
    request->searching(request->searching_context, request->path, what, count);
}

static void infer(struct verify_answer *answer, const struct verify_request *request,
                  const struct bound *only) {
  struct verify_options how = effort_options(&request->effort, request->asker);
  struct infer_options options = {.jobs = how.jobs,
                                  .limit_ms = how.limit_ms,
                                  .seed = how.seed,
                                  .stop = how.stop,
                                  .limit_s = request->search_ms / 1000.0,
                                  .tell = tell_search,
                                  .tell_context = (void *)request,
                                  .forget_timing = request->forget_timing,
                                  .forget_untimed = request->forget_untimed,
                                  .only = only};
  inference_init(&answer->inference, answer->model, &options);
  answer->inferred = true;
  answer->model = &answer->inference.model;
}

static const struct inferred_bound *inferred(const struct inference *inference,
                                             const struct bound *bound) {
  for (size_t i = 0; i < inference->bounds.count; i++)
    if (inference->bounds.data[i].bound == bound)
      return &inference->bounds.data[i];
  return NULL;
}

/* An answer of ours that is wrong refutes no claim of the file: the question stays open. */
static void withdraw(struct bound_report *report) {
  struct text text;
  text_init(&text);
  text_format(&text, "no expression was found: %s is less than the execution below takes",
              report->bound->expression_text);
  if (report->bound->target == TARGET_WHEN)
    text_append(&text, " (`when` also counts the steps that the node takes while it holds)");
  report->verdict = VERDICT_UNKNOWN;
  report->reason = text_take(&text);
}

static void add_reason(struct bound_report *report, const char *reason) {
  struct text text;
  text_init(&text);
  text_append(&text, reason);
  if (report->bound->expression != NULL && report->reason != NULL)
    text_format(&text, "; %s", report->reason);
  mem_free(report->reason);
  report->reason = text_take(&text);
}

/* Says why a bound is unknown that was not found. */
static void settle_inferred(struct verify_answer *answer, bool stopped) {
  for (size_t i = 0; i < answer->reports.bounds.count; i++) {
    struct bound_report *report = &answer->reports.bounds.data[i];
    const struct inferred_bound *asked = inferred(&answer->inference, report->bound);
    const char *reason = asked != NULL ? asked->reason : answer->inference.open;
    if (answer->inference.ended && !stopped)
      reason = "the search ended before it was over (a larger --infer-limit may find more)";
    if (report->verdict == VERDICT_REFUTED)
      vector_push(&answer->withdrawn, report->bound);
    if (asked != NULL && report->verdict == VERDICT_REFUTED)
      withdraw(report);
    else if (report->verdict == VERDICT_UNKNOWN && reason != NULL)
      add_reason(report, reason);
  }
}

/* What is unknown rests on nothing. */
static void judge(struct verify_answer *answer) {
  bool settled = false;
  answer->status = answer->reports.bounds.count == 0 ? STATUS_UNKNOWN : STATUS_OK;
  for (size_t i = 0; i < answer->reports.bounds.count; i++) {
    enum verdict verdict = answer->reports.bounds.data[i].verdict;
    answer->status = status_worst(answer->status, verdict_status(verdict));
    settled = settled || verdict != VERDICT_UNKNOWN;
  }
  if (settled)
    verification_assumptions(&answer->reports, &answer->ledger);
}

static void write_found(struct verify_answer *answer, const struct verify_request *request) {
  struct text message;
  text_init(&message);
  const struct protocol *protocol = &answer->protocol;
  enum status status = insertion_init(&answer->insertion, protocol->source, protocol->ast,
                                      &answer->inference, &answer->reports, &message);
  if (status == STATUS_OK && answer->insertion.invariants + answer->insertion.bounds != 0)
    status = insertion_write(&answer->insertion, request->path, protocol->source, &message);
  if (status != STATUS_OK)
    asker_fail(request->asker, status, "%s", text_get(&message));
  answer->written = status == STATUS_OK;
  answer->status = status_worst(answer->status, status);
  text_clear(&message);
}

static void verify(struct verify_answer *answer, const struct verify_request *request,
                   const struct bound *only) {
  answer->model = answer->protocol.model;
  if (request->infer)
    infer(answer, request, only);
  struct verify_options how = effort_options(&request->effort, request->asker);
  how.explain = request->explain;
  how.fallen = request->infer ? answer->inference.fallen : NULL;
  how.only = only == NULL ? NULL : answer->model->bounds.items[only->id];
  reuse_or_verify(&answer->reports, answer->model, answer->protocol.source, &how,
                  request->effort.reuse && !request->infer && !request->explain);
  answer->verified = true;
  if (request->infer)
    settle_inferred(answer, asker_stopped(request->asker));
  unused_warn(&answer->unused, answer->model, answer->reports.never);
  diagnostics_sort(&answer->unused);
  judge(answer);
  if (request->infer && request->write && !asker_stopped(request->asker))
    write_found(answer, request);
}

enum status verify_ask(struct verify_answer *answer, const struct verify_request *request) {
  *answer = (struct verify_answer){0};
  ledger_init(&answer->ledger);
  diagnostics_init(&answer->unused);
  const struct bound *only = NULL;
  answer->status = protocol_load(&answer->protocol, request->path, request->asker);
  if (answer->status == STATUS_OK && request->bound != NULL) {
    only = protocol_bound(&answer->protocol, request->bound, request->asker);
    answer->status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (answer->status == STATUS_OK)
    verify(answer, request, only);
  return answer->status;
}

void verify_answer_clear(struct verify_answer *answer) {
  if (answer->verified)
    verification_clear(&answer->reports);
  if (answer->inferred)
    inference_clear(&answer->inference);
  insertion_clear(&answer->insertion);
  vector_clear(&answer->withdrawn);
  diagnostics_clear(&answer->unused);
  ledger_clear(&answer->ledger);
  protocol_clear(&answer->protocol);
}
