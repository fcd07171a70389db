/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/present/output.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/jsonl.h"
#include "base/shown.h"
#include "base/text.h"
#include "show/ledger.h"
#include "show/terminal.h"

enum status output_check(const struct output_options *options, struct text *message) {
  enum report_form form;
  for (size_t i = 0; i < options->reports.count; i++)
    if (!report_form_of_name(&form, options->reports.data[i])) {
      text_format(
          message,
          "%s: a report's name says what it is to be: end it in .sarif, .xml (JUnit) or .md",
          options->reports.data[i]);
      return STATUS_USAGE;
    }
  return STATUS_OK;
}

void output_init(struct output *output, const struct output_options *options) {
  *output = (struct output){.format = options->json ? OUTPUT_JSON : options->format,
                            .reports = options->reports};
}

void output_init_document(struct output *output, const struct output_options *options) {
  output_init(output, options);
  output->only_document = true;
}

bool output_format_of_word(enum output_format *format, const char *word) {
  static const char *const words[] = {"text", "json",       "markdown", "csv",
                                      "html", "prometheus", "sarif",    "junit"};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (strcmp(words[i], word) == 0) {
      *format = (enum output_format)i;
      return true;
    }
  return false;
}

bool output_is_document(const struct output *output) {
  return output->format != OUTPUT_TEXT && output->format != OUTPUT_JSON;
}

bool output_has_findings(const struct output *output) {
  return !output->only_document && (output_is_document(output) || output->reports.count != 0);
}

/* JUnit and Markdown have no way to write what is never shown; SARIF, which has, holds none. */
static void make_showable(struct text *text) {
  if (text->length == 0)
    return;
  text->length = shown_clean(text->data, text->length, '?', true);
  text->data[text->length] = '\0';
}

/* Whether stdout gets a report of the findings: Markdown only where no document did. */
static bool prints_report(const struct output *output) {
  return output->format == OUTPUT_SARIF || output->format == OUTPUT_JUNIT ||
         (output->format == OUTPUT_MARKDOWN && !output->answered && !output->only_document);
}

static void print_report(const struct output *output) {
  enum report_form form = output->format == OUTPUT_SARIF   ? REPORT_SARIF
                          : output->format == OUTPUT_JUNIT ? REPORT_JUNIT
                                                           : REPORT_MARKDOWN;
  struct text text;
  text_init(&text);
  report_append(&text, form, &output->findings);
  make_showable(&text);
  fputs(text_get(&text), stdout);
  text_clear(&text);
}

/* Who gets no text is told of them on stderr. */
static void tell_warnings(const struct document *document) {
  for (size_t i = 0; i < document->blocks.count; i++)
    if (document->blocks.data[i].kind == BLOCK_LEDGER)
      ledger_print_warnings(document->blocks.data[i].ledger);
}

void output_answer(struct output *output, struct document *document, bool full) {
  if (output->format == OUTPUT_MARKDOWN && output->findings.items.count != 0) {
    print_report(output);
    putchar('\n');
  }
  if (output->format <= OUTPUT_PROMETHEUS) {
    if (output->format != OUTPUT_TEXT)
      tell_warnings(document);
    document_print(document, (enum document_format)output->format, full);
    output->answered = true;
  }
  document_clear(document);
}

void output_picture(struct output *output, const struct picture *picture, bool full) {
  struct document document;
  picture->document(&document, picture->answer,
                    output->format == OUTPUT_HTML ? &picture->page : NULL);
  output_answer(output, &document, full);
}

void output_answer_beside(struct output *output, struct document *document, bool full) {
  struct style style = style_of_terminal(STDERR_FILENO, full);
  struct text text;
  if (output->format != OUTPUT_TEXT) {
    output_answer(output, document, full);
    return;
  }
  text_init(&text);
  document_write_text(&text, document, &style);
  fprintf(stderr, "\n%s", text_get(&text));
  text_clear(&text);
  document_clear(document);
}

static enum status write_report(const struct output *output, const char *path) {
  struct text text, message;
  enum report_form form = REPORT_SARIF;
  text_init(&text);
  text_init(&message);
  report_form_of_name(&form, path);
  report_append(&text, form, &output->findings);
  make_showable(&text);
  enum status status = file_write(path, text.data, text.length, &message);
  if (status != STATUS_OK)
    fprintf(stderr, "tailproof: %s\n", text_get(&message));
  text_clear(&text);
  text_clear(&message);
  return status;
}

enum status output_end(const struct output *output, enum status status) {
  if (status == STATUS_USAGE)
    return status;
  if (prints_report(output))
    print_report(output);
  for (size_t i = 0; i < output->reports.count; i++)
    status = status_worst(status, write_report(output, output->reports.data[i]));
  return status;
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

static void print_diagnostics(const struct output *output, const struct source *source,
                              const struct diagnostics *diagnostics) {
  if (output->format == OUTPUT_JSON)
    print_json(source, diagnostics);
  if (output->format == OUTPUT_JSON || prints_report(output))
    return;
  struct text text;
  text_init(&text);
  diagnostics_print(&text, diagnostics, source, terminal_has_colour(STDERR_FILENO));
  fputs(text_get(&text), stderr);
  text_clear(&text);
}

void output_diagnostics(struct output *output, const struct source *source,
                        const struct diagnostics *diagnostics) {
  if (output_has_findings(output))
    findings_add_diagnostics(&output->findings, diagnostics, source);
  print_diagnostics(output, source, diagnostics);
}

void output_file(struct output *output, const char *path, const struct source *source,
                 const struct diagnostics *diagnostics, const char *failure) {
  bool is_new = output_has_findings(output) &&
                findings_add_file(&output->findings, source != NULL ? source->name : path);
  if (is_new && failure != NULL)
    findings_add_unreadable(&output->findings, path, failure);
  if (is_new && source != NULL)
    findings_add_diagnostics(&output->findings, diagnostics, source);
  if (source != NULL)
    print_diagnostics(output, source, diagnostics);
}
