/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Markdown (GitHub's), for the summary of a CI job or a comment: how many of each verdict, a table
 * of the claims, the diagnostics, and what each bad or open claim shows, folded away. */
#include <string.h>

#include "cli/present/findings.h"
#include "show/markdown.h"

static void append_cell(struct text *out, const char *text) {
  markdown_escape(out, text, MARKDOWN_MARKS);
}

static const char *mark_of(enum finding_kind kind) {
  switch (kind) {
  case FINDING_GOOD:
    return "✅";
  case FINDING_ERROR:
  case FINDING_BAD:
    return "❌";
  default:
    return "⚠️";
  }
}

static size_t count(const struct findings *findings, enum finding_kind kind) {
  size_t count = 0;
  for (size_t i = 0; i < findings->items.count; i++)
    count += findings->items.data[i].kind == kind;
  return count;
}

static void append_place(struct text *out, const struct finding *f) {
  append_cell(out, f->file);
  text_format(out, ":%zu", f->start.line);
}

static void append_summary(struct text *out, const struct findings *findings) {
  size_t bad = count(findings, FINDING_BAD), open = count(findings, FINDING_OPEN);
  size_t errors = count(findings, FINDING_ERROR);
  enum finding_kind worst = bad + errors != 0 ? FINDING_BAD
                            : open != 0       ? FINDING_OPEN
                                              : FINDING_GOOD;
  text_format(
      out, "## %s tailproof\n\n%zu hold, %zu do not, %zu open; %zu error%s, %zu warning%s\n",
      mark_of(worst), count(findings, FINDING_GOOD), bad, open, errors, errors == 1 ? "" : "s",
      count(findings, FINDING_WARNING), count(findings, FINDING_WARNING) == 1 ? "" : "s");
}

static void append_claims(struct text *out, const struct findings *findings) {
  bool begun = false;
  for (size_t i = 0; i < findings->items.count; i++) {
    const struct finding *f = &findings->items.data[i];
    if (f->kind < FINDING_GOOD)
      continue;
    if (!begun)
      text_append(out, "\n| | Claim | Verdict | Where | What |\n|---|---|---|---|---|\n");
    begun = true;
    text_format(out, "| %s | ", mark_of(f->kind));
    append_cell(out, f->name);
    text_append(out, " | ");
    append_cell(out, f->verdict);
    text_append(out, " | ");
    append_place(out, f);
    text_append(out, " | ");
    append_cell(out, f->message);
    text_append(out, " |\n");
  }
}

static void append_values(struct text *out, const struct findings *findings) {
  bool begun = false;
  for (size_t i = 0; i < findings->items.count; i++) {
    const struct finding *f = &findings->items.data[i];
    if (f->kind != FINDING_VALUE)
      continue;
    if (!begun)
      text_append(out, "\n| Value | Where | What |\n|---|---|---|\n");
    begun = true;
    text_append(out, "| ");
    append_cell(out, f->name);
    text_append(out, " | ");
    append_place(out, f);
    text_append(out, " | ");
    append_cell(out, f->message);
    text_append(out, " |\n");
  }
}

static void append_diagnostics(struct text *out, const struct findings *findings) {
  bool begun = false;
  for (size_t i = 0; i < findings->items.count; i++) {
    const struct finding *f = &findings->items.data[i];
    if (f->kind != FINDING_ERROR && f->kind != FINDING_WARNING)
      continue;
    if (!begun)
      text_append(out, "\n| | Diagnostic | Where | What |\n|---|---|---|---|\n");
    begun = true;
    text_format(out, "| %s | %s | ", mark_of(f->kind), f->rule);
    append_place(out, f);
    text_append(out, " | ");
    append_cell(out, f->message);
    if (f->detail[0] != '\0') {
      text_append(out, " Hint: ");
      append_cell(out, f->detail);
    }
    text_append(out, " |\n");
  }
}

/* An empty line in front: else the block would be HTML. */
static void append_details(struct text *out, const struct findings *findings) {
  for (size_t i = 0; i < findings->items.count; i++) {
    const struct finding *f = &findings->items.data[i];
    if ((f->kind != FINDING_BAD && f->kind != FINDING_OPEN) || f->detail[0] == '\0')
      continue;
    text_append(out, "\n<details><summary>");
    markdown_escape(out, f->message, ""); /* HTML, where Markdown has no marks */
    text_append(out, "</summary>\n\n");
    markdown_fenced(out, f->detail);
    text_append(out, "\n</details>\n");
  }
}

void markdown_append(struct text *out, const struct findings *findings) {
  append_summary(out, findings);
  append_claims(out, findings);
  append_values(out, findings);
  append_diagnostics(out, findings);
  append_details(out, findings);
}
