/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which form an answer is given.
 */
#ifndef CLI_PRESENT_OUTPUT_H
#define CLI_PRESENT_OUTPUT_H

#include "base/status.h"
#include "cli/present/findings.h"
#include "cli/question/setting.h"

/* The words of --format, in this order. */
enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_SARIF, OUTPUT_JUNIT, OUTPUT_MARKDOWN };
#define OUTPUT_WORDS "text json sarif junit markdown"

/* What the options --format, --json and --report say. */
struct output_options {
  enum output_format format;
  bool json;     /* --json is --format json */
  texts reports; /* documents to write beside what is printed; checked by output_check */
};

struct output {
  enum output_format format;
  texts reports;            /* borrowed */
  struct findings findings; /* of the documents that are written at the end */
};

/* STATUS_USAGE, with one line in `message`, for a report whose name does not say what it is to be.
 */
enum status output_check(const struct output_options *options, struct text *message);
void output_init(struct output *output, const struct output_options *options);
/* Of a command that has text and JSON only. */
void output_init_plain(struct output *output, bool json);
void output_clear(struct output *output);

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
