/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * In which form an answer is given.
 */
#ifndef CLI_PRESENT_OUTPUT_H
#define CLI_PRESENT_OUTPUT_H

#include "cli/present/findings.h"

/* The words of --format, in this order. */
enum output_format { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_SARIF, OUTPUT_JUNIT };
#define OUTPUT_WORDS "text json sarif junit"

struct output {
  enum output_format format;
  struct findings findings; /* of a document that is written at the end */
};

/* --json is --format json. */
void output_init(struct output *output, enum output_format format, bool json);
bool output_is_document(const struct output *output);
/* Prints the document, if it is one. */
void output_end(struct output *output);
void output_clear(struct output *output);

/* What there is to say about a protocol file, or that it cannot be read: `failure`. */
void output_diagnostics(struct output *output, const struct source *source,
                        const struct diagnostics *diagnostics);
void output_file(struct output *output, const char *path, const struct source *source,
                 const struct diagnostics *diagnostics, const char *failure);

#endif
