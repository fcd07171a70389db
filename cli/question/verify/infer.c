/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `verify --infer`: what was found, before the verdicts that rest on it. */
#include <stdio.h>

#include "cli/command/command.h"
#include "cli/present/json.h"

static void print_line(const char *kind, const struct text *text, const char *name, bool json) {
  if (!json) {
    printf("    %s\n", text_get(text));
    return;
  }
  struct jsonl *line = jsonl_new("inferred");
  jsonl_text(line, "what", kind);
  jsonl_text(line, "name", name);
  jsonl_text(line, "text", text_get(text));
  jsonl_print(line);
}

/* Whether its expression was found wrong, so that nobody should paste it. */
static bool is_refuted(const struct verification *v, const struct bound *bound) {
  for (size_t i = 0; i < v->bounds.count; i++)
    if (v->bounds.data[i].bound == bound)
      return v->bounds.data[i].verdict == VERDICT_REFUTED;
  return false;
}

static void print_found(const struct inference *inference, const struct verification *v,
                        const char *file, bool json) {
  struct text text;
  text_init(&text);
  if (!json)
    printf("%s: inferred in %.2f s%s\n", file, inference->seconds,
           inference->found.count + inference->bounds.count == 0 ? ": nothing" : "");
  for (size_t i = 0; i < inference->found.count; i++) {
    inferred_print_invariant(&text, inference, inference->found.data[i]);
    print_line("invariant", &text, inference->found.data[i]->name, json);
    text_clear(&text);
  }
  for (size_t i = 0; i < inference->bounds.count; i++) {
    const struct bound *bound = inference->bounds.data[i].bound;
    if (bound->expression == NULL || is_refuted(v, bound))
      continue;
    inferred_print_bound(&text, inference, bound);
    print_line("bound", &text, bound->name, json);
    text_clear(&text);
  }
  if (!json && inference->found.count + inference->bounds.count != 0)
    printf("\n");
}

void infer_protocol(struct inference *inference, const struct model *model,
                    const struct bound *only, const struct options *options) {
  struct verify_options how = verify_options(options);
  struct infer_options infer = {.jobs = how.jobs,
                                .limit_ms = how.limit_ms,
                                .seed = how.seed,
                                .stop = how.stop,
                                .forget_timing = options->forget_timing,
                                .only = only};
  inference_init(inference, model, &infer);
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

void infer_report(struct verification *verification, const struct inference *inference,
                  const char *file, const struct options *options) {
  if (options->findings == NULL)
    print_found(inference, verification, file, options->json);
  for (size_t i = 0; i < verification->bounds.count; i++) {
    struct bound_report *report = &verification->bounds.data[i];
    const struct inferred_bound *asked = inferred(inference, report->bound);
    const char *reason = asked != NULL ? asked->reason : inference->open;
    if (asked != NULL && report->verdict == VERDICT_REFUTED)
      withdraw(report);
    else if (report->verdict == VERDICT_UNKNOWN && reason != NULL)
      add_reason(report, reason);
  }
}
