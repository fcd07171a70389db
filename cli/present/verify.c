/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/verify.h"

#include <stdio.h>

#include "base/jsonl.h"
#include "show/ledger.h"
#include "cli/question/percentiles/calculation.h"
#include "cli/question/verify/verify.h"
#include "solver/infer/infer.h"
#include "solver/verify.h"

static void print_line(const char *kind, const struct text *text, const char *name,
                       const char *tried, bool json) {
  if (!json) {
    printf("    %s\n", text_get(text));
    if (tried != NULL)
      printf("      # not known to be the least: tried %s\n", tried);
    return;
  }
  struct jsonl *line = jsonl_new("inferred");
  jsonl_text(line, "what", kind);
  jsonl_text(line, "name", name);
  jsonl_text(line, "text", text_get(text));
  if (tried != NULL)
    jsonl_text(line, "tried", tried);
  jsonl_print(line);
}

/* Whether its expression was found wrong, or the search ended before it was proved, so that nobody
 * should paste it. */
static bool is_withdrawn(const struct verify_answer *answer, const struct bound *bound) {
  bool is = false;
  for (size_t i = 0; answer->inference.ended && i < answer->reports.bounds.count; i++)
    is = is || (answer->reports.bounds.data[i].bound == bound &&
                answer->reports.bounds.data[i].verdict != VERDICT_PROVED);
  for (size_t i = 0; i < answer->withdrawn.count; i++)
    is = is || answer->withdrawn.data[i] == bound;
  return is;
}

/* At some parameters: then no smaller bound holds there. */
static bool is_attained(const struct verify_answer *answer, const struct bound *bound) {
  bool is = false;
  for (size_t i = 0; i < answer->reports.bounds.count; i++)
    is = is || (answer->reports.bounds.data[i].bound == bound &&
                answer->reports.bounds.data[i].tightness.attained != 0);
  return is;
}

static void print_found(const struct verify_answer *answer, const char *file, bool json) {
  const struct inference *inference = &answer->inference;
  struct text text;
  text_init(&text);
  if (!json)
    printf("%s: inferred in %.2f s%s%s\n", file, inference->seconds,
           inference->ended ? ", when the search was ended: what was proved by then" : "",
           inference->found.count + inference->bounds.count == 0 ? ": nothing" : "");
  for (size_t i = 0; i < inference->found.count; i++) {
    inferred_print_invariant(&text, inference, inference->found.data[i]);
    print_line("invariant", &text, inference->found.data[i]->name, NULL, json);
    text_clear(&text);
  }
  for (size_t i = 0; i < inference->bounds.count; i++) {
    const struct bound *bound = inference->bounds.data[i].bound;
    if (bound->expression == NULL || is_withdrawn(answer, bound))
      continue;
    inferred_print_bound(&text, inference, bound);
    print_line("bound", &text, bound->name,
               is_attained(answer, bound) ? NULL : inference->bounds.data[i].tried, json);
    text_clear(&text);
  }
  if (!json && inference->found.count + inference->bounds.count != 0)
    printf("\n");
}

static void print_written(const struct output *output, const struct verify_answer *answer) {
  const struct insertion *insertion = &answer->insertion;
  const char *file = answer->protocol.source->name;
  struct text count;
  text_init(&count);
  insertion_count(&count, insertion);
  if (output->format == OUTPUT_JSON) {
    struct jsonl *line = jsonl_new("written");
    jsonl_text(line, "file", file);
    jsonl_integer(line, "invariants", (int64_t)insertion->invariants);
    jsonl_integer(line, "bounds", (int64_t)insertion->bounds);
    jsonl_print(line);
  } else {
    fprintf(output_is_document(output) ? stderr : stdout, "%s: %s written into the file\n", file,
            insertion->invariants + insertion->bounds == 0 ? "nothing was found, so nothing is"
                                                           : text_get(&count));
  }
  text_clear(&count);
}

static void present_bound(struct output *output, const struct bound_report *report,
                          const struct model *model, const struct source *source,
                          const struct report_style *style) {
  if (output_has_findings(output))
    findings_add_bound(&output->findings, report, model, source);
  if (!output_is_document(output))
    report_bound(report, model, source, style);
}

void report_calculation(struct output *output, const struct calculation *calculation,
                        const struct report_style *style) {
  const struct verification *proof = calculation->proof;
  if (proof == NULL)
    return;
  bool proved = proof->bounds.count != 0;
  for (size_t i = 0; i < proof->bounds.count; i++) {
    const struct bound_report *report = &proof->bounds.data[i];
    const struct model *model = calculation->protocol.model;
    const struct source *source = calculation->protocol.source;
    if (output_has_findings(output))
      findings_add_bound(&output->findings, report, model, source);
    if (!output_is_document(output))
      report_verdict(report, model, source, style);
    proved &= report->verdict == VERDICT_PROVED;
  }
  if (!proved)
    fprintf(stderr, "tailproof: no percentiles: the bound is not proved\n");
}

void verify_present(struct output *output, const struct verify_answer *answer,
                    const struct report_style *style) {
  if (!answer->verified)
    return;
  const struct source *source = answer->protocol.source;
  const struct verification *reports = &answer->reports;
  if (answer->inferred && !output_is_document(output))
    print_found(answer, source->name, output->format == OUTPUT_JSON);
  for (size_t i = 0; i < reports->bounds.count; i++)
    present_bound(output, &reports->bounds.data[i], answer->model, source, style);
  if (answer->written)
    print_written(output, answer);
  output_diagnostics(output, source, &answer->unused);
  if (reports->bounds.count == 0) {
    fprintf(stderr, "tailproof: %s: there is no bound, so nothing is proved\n", source->name);
    if (output_has_findings(output))
      findings_add_no_bound(&output->findings, source);
  }
}

void verify_summary_add(struct verify_summary *summary, const struct verify_answer *answer) {
  for (size_t i = 0; answer->verified && i < answer->reports.bounds.count; i++)
    summary->verdicts[answer->reports.bounds.data[i].verdict]++;
  for (size_t i = 0; i < answer->ledger.count; i++)
    ledger_copy(&summary->ledger, &answer->ledger.lines[i]);
}

static void print_json(const struct verify_summary *summary) {
  ledger_print_json(&summary->ledger);
  struct jsonl *line = jsonl_new("summary");
  jsonl_integer(line, "proved", (int64_t)summary->verdicts[VERDICT_PROVED]);
  jsonl_integer(line, "refuted", (int64_t)summary->verdicts[VERDICT_REFUTED]);
  jsonl_integer(line, "unknown", (int64_t)summary->verdicts[VERDICT_UNKNOWN]);
  jsonl_print(line);
}

static void print_text(const struct verify_summary *summary, bool full) {
  const size_t *n = summary->verdicts;
  if (n[0] + n[1] + n[2] == 0)
    return;
  ledger_print_text(&summary->ledger, full);
  printf("\n%zu proved, %zu refuted, %zu unknown\n", n[VERDICT_PROVED], n[VERDICT_REFUTED],
         n[VERDICT_UNKNOWN]);
}

void verify_present_summary(const struct output *output, const struct verify_summary *summary,
                            const struct report_style *style) {
  if (output->format == OUTPUT_JSON)
    print_json(summary);
  else if (output->format == OUTPUT_TEXT)
    print_text(summary, style->full);
}
