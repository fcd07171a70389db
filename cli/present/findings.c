/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/findings.h"

#include <string.h>

static char *copy(const char *text) {
  return mem_copy_text(text, strlen(text));
}

void findings_clear(struct findings *findings) {
  for (size_t i = 0; i < findings->items.count; i++) {
    struct finding *f = &findings->items.data[i];
    mem_free(f->file);
    mem_free(f->rule);
    mem_free(f->name);
    mem_free(f->message);
    mem_free(f->detail);
  }
  vector_clear(&findings->items);
}

static struct finding *add(struct findings *findings, enum finding_kind kind, const char *file,
                           const char *rule, const char *name) {
  vector_push(&findings->items, (struct finding){.kind = kind,
                                                 .file = copy(file),
                                                 .rule = copy(rule),
                                                 .name = copy(name),
                                                 .start = {1, 1},
                                                 .end = {1, 1}});
  return &findings->items.data[findings->items.count - 1];
}

static void set_place(struct finding *f, const struct source *source, struct source_span span) {
  f->start = source_place(source, span.start);
  f->end = source_place(source, span.end);
}

void findings_add_file(struct findings *findings, const char *file) {
  struct finding *f = add(findings, FINDING_FILE, file, "", "");
  f->message = copy("");
  f->detail = copy("");
}

void findings_add_unreadable(struct findings *findings, const char *file, const char *message) {
  struct finding *f = add(findings, FINDING_ERROR, file, RULE_UNREADABLE, "");
  f->message = copy(message);
  f->detail = copy("");
}

void findings_add_diagnostics(struct findings *findings, const struct diagnostics *diagnostics,
                              const struct source *source) {
  for (size_t i = 0; i < diagnostics->items.count; i++) {
    const struct diagnostic *d = &diagnostics->items.data[i];
    enum finding_kind kind = diagnostic_is_error(d->code) ? FINDING_ERROR : FINDING_WARNING;
    struct finding *f = add(findings, kind, source->name, diagnostic_code_name(d->code), "");
    set_place(f, source, d->span);
    f->message = copy(d->message);
    f->detail = copy(d->hint == NULL ? "" : d->hint);
  }
}

static void describe(struct text *message, struct text *detail, const struct bound_report *r,
                     const struct model *model) {
  text_format(message, "bound %s is %s", r->bound->name, verdict_name(r->verdict));
  if (r->verdict == VERDICT_UNKNOWN)
    text_format(message, ": %s", r->reason);
  if (r->verdict == VERDICT_PROVED) {
    text_append(message, ", ");
    tightness_print(message, model, &r->tightness);
  }
  text_format(detail, "%s within %s\n", r->bound->target_text,
              r->bound->expression_text == NULL ? "?" : r->bound->expression_text);
  if (r->verdict == VERDICT_REFUTED) {
    text_format(message, ": %s ns instead of %s ns with ", r->time, r->limit);
    scope_print(message, model, r->counter_scope);
  }
  if (r->execution != NULL)
    text_format(detail, "\n%s\n", r->execution);
  if (r->verdict == VERDICT_UNKNOWN && r->induction != NULL)
    text_format(detail, "\nThe induction fails here:\n%s\n", r->induction);
}

void findings_add_bound(struct findings *findings, const struct bound_report *r,
                        const struct model *model, const struct source *source) {
  static const struct {
    enum finding_kind kind;
    const char *rule;
  } by_verdict[] = {[VERDICT_PROVED] = {FINDING_PROVED, ""},
                    [VERDICT_REFUTED] = {FINDING_REFUTED, RULE_REFUTED},
                    [VERDICT_UNKNOWN] = {FINDING_UNKNOWN, RULE_UNKNOWN}};
  struct finding *f = add(findings, by_verdict[r->verdict].kind, source->name,
                          by_verdict[r->verdict].rule, r->bound->name);
  set_place(f, source, r->bound->span);
  f->seconds = r->seconds;
  struct text message, detail;
  text_init(&message);
  text_init(&detail);
  describe(&message, &detail, r, model);
  f->message = text_take(&message);
  f->detail = text_take(&detail);
}

void findings_add_no_bound(struct findings *findings, const struct source *source) {
  struct finding *f = add(findings, FINDING_UNKNOWN, source->name, RULE_UNKNOWN, "(none)");
  f->message = copy("there is no bound, so nothing is proved");
  f->detail = copy("");
}
