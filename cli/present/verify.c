/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The answers of `verify` and `bound` as documents (verify.h). */
#include "cli/present/verify.h"

#include <stdio.h>

#include "cli/question/percentiles/calculation.h"
#include "cli/question/verify/instance.h"
#include "cli/question/verify/verify.h"
#include "solver/infer/infer.h"
#include "solver/verify.h"

/* --- kinds ------------------------------------------------------------------------------------ */

static const struct object_key inferred_keys[] = {
    KEY("what", TEXT, .marks = MARK_NAMES, .words = "invariant|bound"),
    KEY("name", TEXT, .marks = MARK_NAMES),
    KEY("text", TEXT),
    KEY("tried", TEXT, .marks = MARK_MAYBE, .note = "a bound not known to be the least"),
    {0}};
static const struct object_kind inferred_kind = {
    "inferred", "of `verify --infer`, before the bounds", inferred_keys};

static const struct object_key written_keys[] = {KEY("file", TEXT, .marks = MARK_NAMES),
                                                 KEY("invariants", COUNT),
                                                 KEY("bounds", COUNT, .note = "how many"),
                                                 {0}};
static const struct object_kind written_kind = {"written", "of `verify --infer --write`",
                                                written_keys};

static const struct object_key summary_keys[] = {
    KEY("proved", COUNT), KEY("refuted", COUNT), KEY("unknown", COUNT), {0}};
static const struct object_kind summary_kind = {"summary", "of `verify`", summary_keys};

static const struct object_key instance_keys[] = {KEY("bound", TEXT, .marks = MARK_NAMES),
                                                  KEY("occurrences", COUNT),
                                                  KEY("expression", TEXT),
                                                  {0}};
static const struct object_kind instance_kind = {"instance", "of `bound`", instance_keys};

const struct object_kind *const verify_kinds[] = {&summary_kind, &bound_kind,      &inferred_kind,
                                                  &written_kind, &assumption_kind, NULL};
const struct object_kind *const instance_kinds[] = {&bound_kind, &instance_kind, NULL};

/* --- what was inferred ------------------------------------------------------------------------ */

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

static void put_line(struct document *document, struct objects *inferred, const char *what,
                     const char *name, const char *tried, struct text *text) {
  struct text line;
  objects_add(inferred);
  object_text(inferred, "what", what);
  object_text(inferred, "name", name);
  object_text(inferred, "text", text_get(text));
  text_init(&line);
  text_format(&line, "    %s\n", text_get(text));
  if (tried != NULL) {
    object_text(inferred, "tried", tried);
    text_format(&line, "      # not known to be the least: tried %s\n", tried);
  }
  document_pre(document, LINES_CLOSE, &line);
  text_clear(text);
}

/* At some parameters: then no smaller bound holds there. */
static bool is_attained(const struct verify_answer *answer, const struct bound *bound) {
  bool is = false;
  for (size_t i = 0; i < answer->reports.bounds.count; i++)
    is = is || (answer->reports.bounds.data[i].bound == bound &&
                answer->reports.bounds.data[i].tightness.attained != 0);
  return is;
}

static void show_found(struct document *document, const struct verify_answer *answer,
                       const char *file) {
  const struct inference *inference = &answer->inference;
  struct objects *inferred = document_objects(document, &inferred_kind);
  struct text text;
  text_init(&text);
  text_format(&text, "%s: inferred in %.2f s%s%s\n", file, inference->seconds,
              inference->ended ? ", when the search was ended: what was proved by then" : "",
              inference->found.count + inference->bounds.count == 0 ? ": nothing" : "");
  document_pre(document, LINES_CLOSE, &text);
  for (size_t i = 0; i < inference->found.count; i++) {
    inferred_print_invariant(&text, inference, inference->found.data[i]);
    put_line(document, inferred, "invariant", inference->found.data[i]->name, NULL, &text);
  }
  for (size_t i = 0; i < inference->bounds.count; i++) {
    const struct bound *bound = inference->bounds.data[i].bound;
    if (bound->expression == NULL || is_withdrawn(answer, bound))
      continue;
    inferred_print_bound(&text, inference, bound);
    put_line(document, inferred, "bound", bound->name,
             is_attained(answer, bound) ? NULL : inference->bounds.data[i].tried, &text);
  }
  if (inference->found.count + inference->bounds.count != 0)
    text_append(&text, "\n");
  document_pre(document, LINES_CLOSE, &text);
}

static void show_written(struct document *document, const struct verify_answer *answer) {
  const struct insertion *insertion = &answer->insertion;
  const char *file = answer->protocol.source->name;
  struct text text, count;
  text_init(&text);
  text_init(&count);
  insertion_count(&count, insertion);
  text_format(&text, "%s: %s written into the file\n", file,
              insertion->invariants + insertion->bounds == 0 ? "nothing was found, so nothing is"
                                                             : text_get(&count));
  document_pre(document, LINES_CLOSE, &text);
  text_clear(&count);
  struct objects *written = document_objects(document, &written_kind);
  objects_add(written);
  object_text(written, "file", file);
  object_count(written, "invariants", insertion->invariants);
  object_count(written, "bounds", insertion->bounds);
}

/* --- verdicts --------------------------------------------------------------------------------- */

void report_calculation(struct output *output, const struct calculation *calculation,
                        const struct report_style *style) {
  const struct verification *proof = calculation->proof;
  const struct report_style brief = {.brief = true, .full = style->full};
  struct document document;
  if (proof == NULL)
    return;
  bool proved = proof->bounds.count != 0;
  document_init(&document, "verify", verify_kinds);
  for (size_t i = 0; i < proof->bounds.count; i++) {
    const struct bound_report *report = &proof->bounds.data[i];
    const struct model *model = calculation->protocol.model;
    const struct source *source = calculation->protocol.source;
    if (output_has_findings(output))
      findings_add_bound(&output->findings, report, model, source);
    bound_show(&document, report, model, source, &brief);
    proved &= report->verdict == VERDICT_PROVED;
  }
  if (!output_is_document(output))
    document_print(&document, (enum document_format)output->format, false);
  fflush(stdout);
  document_clear(&document);
  if (!proved)
    fprintf(stderr, "tailproof: no percentiles: the bound is not proved\n");
}

void verify_document_init(struct document *document) {
  document_init(document, "verify", verify_kinds);
  document_title(document, "Verdicts");
}

void verify_show(struct document *document, struct output *output,
                 const struct verify_answer *answer, const struct report_style *style) {
  const struct source *source = answer->protocol.source;
  const struct verification *reports = &answer->reports;
  if (answer->inferred)
    show_found(document, answer, source->name);
  for (size_t i = 0; i < reports->bounds.count; i++) {
    if (output_has_findings(output))
      findings_add_bound(&output->findings, &reports->bounds.data[i], answer->model, source);
    bound_show(document, &reports->bounds.data[i], answer->model, source, style);
  }
  if (answer->written)
    show_written(document, answer);
}

void verify_tell(struct output *output, const struct verify_answer *answer) {
  const struct source *source = answer->protocol.source;
  output_diagnostics(output, source, &answer->unused);
  if (answer->reports.bounds.count != 0)
    return;
  fprintf(stderr, "tailproof: %s: there is no bound, so nothing is proved\n", source->name);
  if (output_has_findings(output))
    findings_add_no_bound(&output->findings, source);
}

void verify_summary_add(struct verify_summary *summary, const struct verify_answer *answer) {
  for (size_t i = 0; answer->verified && i < answer->reports.bounds.count; i++)
    summary->verdicts[answer->reports.bounds.data[i].verdict]++;
  for (size_t i = 0; i < answer->ledger.count; i++)
    ledger_copy(&summary->ledger, &answer->ledger.lines[i]);
}

void verify_show_summary(struct document *document, const struct verify_summary *summary) {
  const size_t *n = summary->verdicts;
  struct text text;
  text_init(&text);
  document_show(document, n[0] + n[1] + n[2] == 0 ? SHOWN_PROGRAMS : SHOWN_ALWAYS);
  document_ledger(document, &summary->ledger);
  text_format(&text, "%zu proved, %zu refuted, %zu unknown", n[VERDICT_PROVED], n[VERDICT_REFUTED],
              n[VERDICT_UNKNOWN]);
  document_take(document, LINES_APART, 0, &text);
  struct objects *objects = document_objects(document, &summary_kind);
  objects_add(objects);
  object_count(objects, "proved", n[VERDICT_PROVED]);
  object_count(objects, "refuted", n[VERDICT_REFUTED]);
  object_count(objects, "unknown", n[VERDICT_UNKNOWN]);
}

/* --- instances -------------------------------------------------------------------------------- */

void instance_document(struct document *document, const struct instance_answer *answer) {
  const struct report_style style = {.brief = false};
  document_init(document, "bound", instance_kinds);
  document_title(document, "Bounds with these parameters");
  for (size_t i = 0; i < answer->reports.bounds.count; i++) {
    const struct bound_report *report = &answer->reports.bounds.data[i];
    const struct instance *instance = &answer->instances.data[i];
    struct text text;
    bound_show(document, report, answer->protocol.model, answer->protocol.source, &style);
    if (instance->expression == NULL)
      continue;
    text_init(&text);
    text_format(&text, "    = %s\n", instance->shortened);
    document_pre(document, LINES_CLOSE, &text);
    struct objects *instances = document_objects(document, &instance_kind);
    objects_add(instances);
    object_text(instances, "bound", report->bound->name);
    object_count(instances, "occurrences", instance->occurrences);
    object_text(instances, "expression", instance->expression);
  }
}
