/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/question/draft/draft.h"

#include <inttypes.h>
#include <string.h>

#include "cli/question/draft/folder.h"
#include "trace/draft/keep.h"
#include "trace/draft/name.h"
#include "trace/draft/protocol.h"
#include "trace/draft/series.h"
#include "trace/evaluate/waiting.h"
#include "trace/fold/open.h"

static enum status write_draft(const struct draft_answer *answer,
                               const struct draft_request *request, const struct draft_plan *plan,
                               const struct draft_file *file) {
  struct text protocol, series, calls;
  text_init(&protocol);
  text_init(&series);
  text_init(&calls);
  draft_protocol(&protocol, plan,
                 &(struct draft_origin){.name = file->name,
                                        .requests = answer->store.requests.count,
                                        .drafted = file->family->requests,
                                        .calls = flow_family_calls(file->family),
                                        .followed = request->selection.follow != NULL,
                                        .undecided_wait = request->undecided_wait});
  draft_series(&series, plan, file->family, &answer->store);
  draft_keep(&calls, plan->shape, plan->names);
  enum status status = draft_write(request->asker, request->out, file->name, "tp", &protocol);
  if (status == STATUS_OK)
    status = draft_write(request->asker, request->out, file->name, "csv", &series);
  if (status == STATUS_OK)
    status = draft_write(request->asker, request->out, file->name, "calls", &calls);
  text_clear(&protocol);
  text_clear(&series);
  text_clear(&calls);
  return status;
}

/* The name of the root's call, with a number from the second file of that name on. */
static char *file_name_of(const struct draft_answer *answer, const struct draft_plan *plan) {
  struct text name;
  text_init(&name);
  text_append(&name, plan->calls.data[0].name);
  size_t length = name.length;
  for (unsigned number = 2;; number++) {
    bool used = false;
    for (size_t i = 0; i < answer->files.count && !used; i++)
      used = answer->files.data[i].name != NULL &&
             strcmp(answer->files.data[i].name, text_get(&name)) == 0;
    if (!used)
      return text_take(&name);
    name.length = length;
    text_format(&name, "_%u", number);
  }
}

static uint64_t undecided(const struct request_flow *flow) {
  uint64_t count = 0;
  for (size_t i = 0; i < flow->orders.count; i++)
    count +=
        flow->orders.data[i].verdict == ORDER_UNDECIDED && flow->orders.data[i].kind == ORDER_AFTER;
  return count;
}

static uint64_t differing(const struct request_flow *flow) {
  uint64_t count = 0;
  for (size_t i = 0; i < flow->orders.count; i++)
    count += flow->orders.data[i].verdict == ORDER_UNDECIDED && flow->orders.data[i].differs &&
             flow->orders.data[i].kind == ORDER_AFTER;
  return count;
}

static void note_undecided(struct draft_answer *answer, const struct draft_request *request,
                           const struct draft_file *file) {
  const struct request_flow *flow = file->family->shape.flow;
  uint64_t open = undecided(flow);
  if (open == 0)
    return;
  ledger_note(&answer->ledger, LEDGER_DATA,
              "%s.tp: its %" PRIu64 " requests leave %" PRIu64
              " order%s open, which %s; the file lists "
              "%s, and %s",
              file->name, file->family->requests, open, open == 1 ? "" : "s",
              request->undecided_wait ? "the draft takes for waits" : "the draft takes for chance",
              open == 1 ? "it" : "them",
              differing(flow) == 0 ? "more requests would decide"
                                   : "where it differs by request both bounds can be drafted: "
                                     "--undecided waits, --undecided free");
}

static void note_limits(struct draft_answer *answer, const struct draft_file *file) {
  for (size_t f = 0; f < file->family->fits.count; f++) {
    const struct request_flow *flow = file->family->fits.data[f].flow;
    for (size_t i = 0; i < flow->limits.count; i++)
      ledger_note(&answer->ledger, LEDGER_DATA,
                  "%s.tp: of %u of its calls no more than %u ever ran at once; what a call waits "
                  "for its place is drafted as work of its caller",
                  file->name, flow->limits.data[i].calls, flow->limits.data[i].limit);
  }
}

static enum status draft_family(struct draft_answer *answer, const struct draft_request *request,
                                const struct flow_family *family) {
  struct draft_file file = {.family = family};
  struct draft_plan plan = {0};
  struct text reason, set;
  text_init(&reason);
  text_init(&set);
  enum status status = STATUS_OK;
  double share = (double)family->requests / (double)answer->store.requests.count;
  if (share < request->share)
    text_format(&reason, "fewer than %.10g %% of the requests", 100 * request->share);
  else if (draft_plan_make(&plan, &family->shape, &answer->store.names, &reason)) {
    file.name = file_name_of(answer, &plan);
    draft_set(&set, &plan);
    status = write_draft(answer, request, &plan, &file);
    note_undecided(answer, request, &file);
    note_limits(answer, &file);
    answer->written++;
  }
  draft_plan_clear(&plan);
  file.set = text_take(&set);
  file.reason = text_take(&reason);
  vector_push(&answer->files, file);
  return status;
}

static enum status draft_all(struct draft_answer *answer, const struct draft_request *request) {
  struct graph_options options = {.undecided =
                                      request->undecided_wait ? UNDECIDED_WAITS : UNDECIDED_FREE,
                                  .level = 0.05,
                                  .plain = true};
  request_graph_make(&answer->graph, &answer->store, &options);
  waiting_note(&answer->ledger, &answer->graph, &answer->store, options.level);
  flow_families_make(&answer->families, &answer->graph);
  for (size_t f = 0; f < answer->families.count; f++) {
    if (asker_stopped(request->asker))
      return STATUS_INTERRUPTED;
    enum status status = draft_family(answer, request, answer->families.data[f]);
    if (status != STATUS_OK)
      return status;
  }
  return answer->written > 0 ? STATUS_OK : STATUS_UNKNOWN;
}

enum status draft_ask(struct draft_answer *answer, const struct draft_request *request) {
  *answer = (struct draft_answer){0};
  span_store_init(&answer->store);
  ledger_init(&answer->ledger);
  struct trace_reading reading = {.tags = request->selection.where.count != 0,
                                  .columns = request->columns,
                                  .foldable = request->selection.follow == NULL &&
                                              selection_is_of_roots(&request->selection),
                                  .follow = request->selection.follow != NULL,
                                  .keep = true};
  enum status status = trace_open(&answer->store, request->traces, request->trace_count, &reading,
                                  &answer->ledger, request->asker);
  if (status == STATUS_OK && answer->store.requests.count == 0)
    status = asker_fail(request->asker, STATUS_DATA, "%s: holds no request", request->traces[0]);
  if (status == STATUS_OK)
    status = selection_keep(&answer->store, &request->selection, &answer->ledger, request->asker);
  if (status == STATUS_OK)
    status = draft_make_folder(request->asker, request->out);
  if (status == STATUS_OK)
    status = draft_all(answer, request);
  return answer->status = status;
}

void draft_answer_clear(struct draft_answer *answer) {
  for (size_t i = 0; i < answer->files.count; i++) {
    mem_free(answer->files.data[i].name);
    mem_free(answer->files.data[i].reason);
    mem_free(answer->files.data[i].set);
  }
  vector_clear(&answer->files);
  flow_families_clear(&answer->families);
  request_graph_clear(&answer->graph);
  span_store_clear(&answer->store);
  ledger_clear(&answer->ledger);
}
