/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/output.h"

#include <stdio.h>
#include <unistd.h>

#include "base/jsonl.h"
#include "base/text.h"
#include "cli/present/terminal.h"

void output_init(struct output *output, enum output_format format, bool json) {
  *output = (struct output){.format = json ? OUTPUT_JSON : format};
}

bool output_is_document(const struct output *output) {
  return output->format == OUTPUT_SARIF || output->format == OUTPUT_JUNIT;
}

void output_end(struct output *output) {
  if (output_is_document(output))
    (output->format == OUTPUT_SARIF ? sarif_print : junit_print)(&output->findings);
}

void output_clear(struct output *output) {
  findings_clear(&output->findings);
}

static void print_json(const struct source *source, const struct diagnostics *diagnostics) {
  for (size_t i = 0; i < diagnostics->items.count; i++) {
    struct diagnostic_view view = diagnostics_view(diagnostics, i, source);
    struct jsonl *line = jsonl_new("diagnostic");
    jsonl_text(line, "file", source->name);
    jsonl_integer(line, "line", (int64_t)view.line);
    jsonl_integer(line, "column", (int64_t)view.column);
    jsonl_text(line, "code", view.code);
    jsonl_text(line, "severity", view.severity);
    jsonl_text(line, "message", view.message);
    jsonl_text(line, "hint", view.hint);
    jsonl_print(line);
  }
}

void output_diagnostics(struct output *output, const struct source *source,
                        const struct diagnostics *diagnostics) {
  if (output_is_document(output)) {
    findings_add_diagnostics(&output->findings, diagnostics, source);
  } else if (output->format == OUTPUT_JSON) {
    print_json(source, diagnostics);
  } else {
    struct text text;
    text_init(&text);
    diagnostics_print(&text, diagnostics, source, terminal_has_colour(STDERR_FILENO));
    fputs(text_get(&text), stderr);
    text_clear(&text);
  }
}

void output_file(struct output *output, const char *path, const struct source *source,
                 const struct diagnostics *diagnostics, const char *failure) {
  if (output_is_document(output))
    findings_add_file(&output->findings, source != NULL ? source->name : path);
  if (output_is_document(output) && failure != NULL)
    findings_add_unreadable(&output->findings, path, failure);
  if (source != NULL)
    output_diagnostics(output, source, diagnostics);
}
