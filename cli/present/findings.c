/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/findings.h"
#include "solver/search/scope.h"
#include "solver/verify.h"

#include "cli/present/execution.h"

#include <string.h>

static const struct finding_rule rules[] = {
#define RULE(id, code, level, title, meaning, remedy) {code, level, title, meaning, remedy},
#include "cli/present/rules.def"
#undef RULE
};

const struct finding_rule *finding_rule(enum rule_id id) {
  return &rules[id];
}

static char *copy(const char *text) {
  return mem_copy_text(text, strlen(text));
}

void findings_clear(struct findings *findings) {
  for (size_t i = 0; i < findings->items.count; i++) {
    struct finding *f = &findings->items.data[i];
    mem_free(f->file);
    mem_free(f->rule);
    mem_free(f->name);
    mem_free(f->verdict);
    mem_free(f->message);
    mem_free(f->detail);
    mem_free(f->context);
  }
  vector_clear(&findings->items);
}

static struct finding *add(struct findings *findings, enum finding_kind kind, const char *file,
                           const char *rule, const char *name) {
  vector_push(&findings->items, (struct finding){.kind = kind,
                                                 .file = copy(file),
                                                 .rule = copy(rule),
                                                 .name = copy(name),
                                                 .verdict = copy(""),
                                                 .context = copy(""),
                                                 .start = {1, 1},
                                                 .end = {1, 1}});
  return &findings->items.data[findings->items.count - 1];
}

static void replace(char **text, char *with) {
  mem_free(*text);
  *text = with;
}

/* The line without its blanks, so that neither its place nor its indentation counts. */
static char *line_of(const struct source *source, size_t line) {
  size_t length;
  const char *bytes = source_line(source, line, &length);
  struct text text;
  text_init(&text);
  text_append(&text, "");
  for (size_t i = 0; i < length; i++)
    if (bytes[i] != ' ' && bytes[i] != '\t')
      text_append_bytes(&text, &bytes[i], 1);
  return text_take(&text);
}

void finding_set_place(struct finding *f, const struct source *source, struct source_span span) {
  f->start = source_place(source, span.start);
  f->end = source_place(source, span.end);
}

struct finding *findings_add(struct findings *findings, enum finding_kind kind, const char *file,
                             enum rule_id rule, const char *name, const char *verdict,
                             const char *message, const char *detail) {
  bool bad = kind == FINDING_BAD || kind == FINDING_OPEN;
  struct finding *f = add(findings, kind, file, bad ? rules[rule].code : "", name);
  replace(&f->verdict, copy(verdict));
  f->message = copy(message);
  f->detail = copy(detail);
  return f;
}

bool findings_add_file(struct findings *findings, const char *file) {
  for (size_t i = findings->items.count; i-- > 0;)
    if (findings->items.data[i].kind == FINDING_FILE) {
      if (strcmp(findings->items.data[i].file, file) == 0)
        return false;
      break;
    }
  struct finding *f = add(findings, FINDING_FILE, file, "", "");
  f->message = copy("");
  f->detail = copy("");
  return true;
}

void findings_add_unreadable(struct findings *findings, const char *file, const char *message) {
  struct finding *f = add(findings, FINDING_ERROR, file, rules[RULE_UNREADABLE].code, "");
  f->message = copy(message);
  f->detail = copy("");
}

void findings_add_diagnostics(struct findings *findings, const struct diagnostics *diagnostics,
                              const struct source *source) {
  for (size_t i = 0; i < diagnostics->items.count; i++) {
    const struct diagnostic *d = &diagnostics->items.data[i];
    enum finding_kind kind = diagnostic_is_error(d->code) ? FINDING_ERROR : FINDING_WARNING;
    struct finding *f = add(findings, kind, source->name, diagnostic_code_name(d->code), "");
    finding_set_place(f, source, d->span);
    replace(&f->context, line_of(source, f->start.line));
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
    if (r->never_later)
      text_append(message, "; it never comes later than what it counts from");
  }
  text_format(detail, "%s within %s\n", r->bound->target_text,
              r->bound->expression_text == NULL ? "?" : r->bound->expression_text);
  if (r->verdict == VERDICT_REFUTED) {
    text_format(message, ": %s ns instead of %s ns with ", r->time, r->limit);
    parameters_print(message, model, r->counter_scope, &r->execution->constants);
  }
  if (r->execution != NULL) {
    text_append(detail, "\n");
    if (r->verdict == VERDICT_UNKNOWN && parameters_exist(model, &r->execution->constants)) {
      parameters_print(detail, model, r->counter_scope, &r->execution->constants);
      text_append(detail, ":\n\n");
    }
    execution_format(detail, r->execution);
    text_append(detail, "\n");
  }
  if (r->verdict == VERDICT_UNKNOWN && r->induction != NULL)
    text_format(detail, "\nThe induction fails here:\n%s\n", r->induction);
}

void findings_add_bound(struct findings *findings, const struct bound_report *r,
                        const struct model *model, const struct source *source) {
  const struct {
    enum finding_kind kind;
    const char *rule;
  } by_verdict[] = {[VERDICT_PROVED] = {FINDING_GOOD, ""},
                    [VERDICT_REFUTED] = {FINDING_BAD, rules[RULE_REFUTED].code},
                    [VERDICT_UNKNOWN] = {FINDING_OPEN, rules[RULE_UNKNOWN].code}};
  struct finding *f = add(findings, by_verdict[r->verdict].kind, source->name,
                          by_verdict[r->verdict].rule, r->bound->name);
  replace(&f->verdict, copy(verdict_name(r->verdict)));
  finding_set_place(f, source, r->bound->span);
  f->seconds = r->seconds;
  struct text message, detail;
  text_init(&message);
  text_init(&detail);
  describe(&message, &detail, r, model);
  f->message = text_take(&message);
  f->detail = text_take(&detail);
}

void findings_add_no_bound(struct findings *findings, const struct source *source) {
  struct finding *f = add(findings, FINDING_OPEN, source->name, rules[RULE_UNKNOWN].code, "(none)");
  replace(&f->verdict, copy(verdict_name(VERDICT_UNKNOWN)));
  f->message = copy("there is no bound, so nothing is proved");
  f->detail = copy("");
}

bool report_form_of_name(enum report_form *form, const char *path) {
  static const char *const suffixes[] = {
      [REPORT_SARIF] = ".sarif", [REPORT_JUNIT] = ".xml", [REPORT_MARKDOWN] = ".md"};
  size_t length = strlen(path);
  for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
    size_t size = strlen(suffixes[i]);
    if (length <= size || strcmp(path + length - size, suffixes[i]) != 0)
      continue;
    *form = (enum report_form)i;
    return true;
  }
  return false;
}

void report_append(struct text *out, enum report_form form, const struct findings *findings) {
  static void (*const append[])(struct text *,
                                const struct findings *) = {[REPORT_SARIF] = sarif_append,
                                                            [REPORT_JUNIT] = junit_append,
                                                            [REPORT_MARKDOWN] = markdown_append};
  append[form](out, findings);
}
