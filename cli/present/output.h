/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which form an answer is given.
 */
#ifndef CLI_PRESENT_OUTPUT_H
#define CLI_PRESENT_OUTPUT_H

#include "base/status.h"
#include "cli/present/findings.h"
#include "cli/question/setting.h"
#include "show/page.h"

/* The words of --format. The first six are those of a document, in the same order; SARIF, JUnit
 * and, where no document is printed, Markdown are made of findings. */
enum output_format {
  OUTPUT_TEXT,
  OUTPUT_JSON,
  OUTPUT_MARKDOWN,
  OUTPUT_CSV,
  OUTPUT_HTML,
  OUTPUT_PROMETHEUS,
  OUTPUT_SARIF,
  OUTPUT_JUNIT,
};
#define OUTPUT_WORDS_OF_DOCUMENTS "text json markdown csv html prometheus"
#define OUTPUT_WORDS OUTPUT_WORDS_OF_DOCUMENTS " sarif junit"

/* False of a word that is none. */
bool output_format_of_word(enum output_format *format, const char *word);

/* What the options --format, --json and --report say. */
struct output_options {
  enum output_format format;
  bool json;     /* --json is --format json */
  texts reports; /* documents to write beside what is printed; checked by output_check */
};

struct output {
  enum output_format format;
  texts reports;            /* borrowed */
  bool answered;            /* stdout has the answer's document */
  bool only_document;       /* there are no reports, also not in Markdown */
  struct findings findings; /* of the documents that are written at the end */
};

/* STATUS_USAGE, with one line in `message`, for a report whose name does not say what it is to be.
 */
enum status output_check(const struct output_options *options, struct text *message);
void output_init(struct output *output, const struct output_options *options);
/* Of a command that makes no reports: what there is to say about files goes to stderr then. */
void output_init_document(struct output *output, const struct output_options *options);
void output_clear(struct output *output);

/* Prints the answer, unless the format is one of findings, and clears it. In Markdown the report of
 * the findings, where there are any, comes first. Warnings that are in no text go to stderr, too. */
void output_answer(struct output *output, struct document *document, bool full);
/* The same of an answer that has figures, on pages. */
void output_picture(struct output *output, const struct picture *picture, bool full);
/* The same while stdout may be another program's: text goes to stderr, apart from what is there. */
void output_answer_beside(struct output *output, struct document *document, bool full);

/* Whether stdout gets a document, and so nothing else; whether findings are wanted. */
bool output_is_document(const struct output *output);
bool output_has_findings(const struct output *output);

/* Prints the document and writes the reports, of a question that was asked: `status` is not that of
 * a wrong command line. Returns the status, or a worse one when a report cannot be written. */
enum status output_end(const struct output *output, enum status status);

/* What there is to say about a protocol file, or that it cannot be read: `failure`. */
void output_diagnostics(struct output *output, const struct source *source,
                        const struct diagnostics *diagnostics);
void output_file(struct output *output, const char *path, const struct source *source,
                 const struct diagnostics *diagnostics, const char *failure);

#endif
