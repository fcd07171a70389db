/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "cli/command/command.h"
#include "cli/present/findings.h"
#include "cli/present/json.h"
#include "base/ledger.h"
#include "cli/present/ledger.h"
#include "solver/tell/unused.h"

struct tally {
  size_t verdicts[3];
  enum status status;
  struct ledger ledger;
};

static void add_line(const char *source, const char *line, void *context) {
  enum ledger_source kind = source[0] == 'm' ? LEDGER_MODEL : LEDGER_SOLVER;
  ledger_add(context, kind, "%s", line);
}

/* Of what the proof shows to be without use. */
static void warn(const struct proof *proof, const struct source *source,
                 const struct options *options) {
  struct diagnostics queue;
  diagnostics_init(&queue);
  unused_warn(&queue, proof);
  diagnostics_sort(&queue);
  protocol_print_diagnostics(&queue, source, options);
  diagnostics_clear(&queue);
}

static void verify_file(const char *file, const struct options *options, struct tally *tally) {
  struct protocol protocol;
  enum status status = protocol_load(&protocol, file, options);
  const struct bound *only = NULL;
  if (status == STATUS_OK && options->bound != NULL) {
    only = protocol_bound(&protocol, options->bound);
    status = only == NULL ? STATUS_USAGE : STATUS_OK;
  }
  if (status == STATUS_OK) {
    struct verify_options how = verify_options(options);
    const struct model *model = protocol.model;
    struct inference inference;
    if (options->infer) {
      infer_protocol(&inference, model, only, options);
      model = &inference.model;
    }
    how.fallen = options->infer ? inference.fallen : NULL;
    how.only = only == NULL ? NULL : model->bounds.items[only->id];
    struct verification verification;
    verification_init(&verification, model, &how);
    if (options->infer)
      infer_report(&verification, &inference, file, options);
    bool settled = false; /* what is unknown rests on nothing */
    for (size_t i = 0; i < verification.bounds.count; i++) {
      const struct bound_report *report = &verification.bounds.data[i];
      if (options->findings != NULL)
        findings_add_bound(options->findings, report, model, protocol.source);
      else
        report_bound(report, model, protocol.source, options);
      tally->verdicts[report->verdict]++;
      status = status_worst(status, report_status(report->verdict));
      settled = settled || report->verdict != VERDICT_UNKNOWN;
    }
    warn(&verification.proof, protocol.source, options);
    if (verification.bounds.count == 0) {
      fprintf(stderr, "tailproof: %s: there is no bound, so nothing is proved\n",
              protocol.source->name);
      if (options->findings != NULL)
        findings_add_no_bound(options->findings, protocol.source);
      status = STATUS_UNKNOWN;
    }
    if (settled)
      verification_assumptions(model, add_line, &tally->ledger);
    verification_clear(&verification);
    if (options->infer)
      inference_clear(&inference);
  }
  protocol_clear(&protocol);
  tally->status = status_worst(tally->status, status);
}

static void print_json(const struct tally *tally) {
  ledger_print_json(&tally->ledger);
  struct jsonl *summary = jsonl_new("summary");
  jsonl_integer(summary, "proved", (int64_t)tally->verdicts[VERDICT_PROVED]);
  jsonl_integer(summary, "refuted", (int64_t)tally->verdicts[VERDICT_REFUTED]);
  jsonl_integer(summary, "unknown", (int64_t)tally->verdicts[VERDICT_UNKNOWN]);
  jsonl_print(summary);
}

static void print_text(const struct tally *tally) {
  if (tally->verdicts[0] + tally->verdicts[1] + tally->verdicts[2] == 0)
    return;
  if (tally->ledger.count != 0)
    printf("\nThese verdicts rest on:\n");
  for (size_t i = 0; i < tally->ledger.count; i++)
    printf("  %-6s  %s\n", ledger_source_name(tally->ledger.lines[i].source),
           tally->ledger.lines[i].text);
  printf("\n%zu proved, %zu refuted, %zu unknown\n", tally->verdicts[VERDICT_PROVED],
         tally->verdicts[VERDICT_REFUTED], tally->verdicts[VERDICT_UNKNOWN]);
}

enum status command_verify(const struct options *options) {
  enum status status = need_files(options, "verify", 1, SIZE_MAX);
  if (status != STATUS_OK)
    return status;
  struct tally tally = {.status = STATUS_OK};
  ledger_init(&tally.ledger);
  for (size_t i = 0; i < options->file_count && !command_interrupted(); i++)
    verify_file(options->files[i], options, &tally);
  if (options->json)
    print_json(&tally);
  else if (options->format == OUTPUT_TEXT)
    print_text(&tally);
  ledger_clear(&tally.ledger);
  return command_interrupted() ? STATUS_INTERRUPTED : tally.status;
}
