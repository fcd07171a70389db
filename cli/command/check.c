/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof check`: reads protocol files and says what is wrong with them, without proving.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/protocols.h"
#include "cli/question/verify/protocol.h"

struct arguments {
  struct command_line line;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_ANY_OUTPUT(output),
    {0},
};

/* Text and JSON are printed file by file, behind what there is to say about the file. */
static void flush(struct output *output, struct document *document) {
  if (output_is_document(output))
    return;
  output_answer(output, document, false);
  fflush(stdout);
  check_document_init(document);
}

static enum status run(const void *options) {
  const struct arguments *typed = options;
  enum status worst = need_files(&typed->line, 1, SIZE_MAX, "protocol files");
  if (worst == STATUS_OK)
    worst = command_check_output(&typed->line, &typed->output);
  if (worst != STATUS_OK)
    return worst;
  struct output output;
  struct voice voice;
  struct document document;
  output_init(&output, &typed->output);
  voice_init(&voice, &typed->line, &output);
  check_document_init(&document);
  for (size_t i = 0; i < typed->line.file_count; i++) {
    struct protocol protocol;
    enum status status = protocol_load(&protocol, typed->line.files[i], &voice.asker);
    worst = status_worst(worst, status);
    if (status == STATUS_OK)
      check_show(&document, protocol.source, protocol.model);
    flush(&output, &document);
    protocol_clear(&protocol);
  }
  if (output_is_document(&output) &&
      (output.format != OUTPUT_MARKDOWN || document.blocks.count != 0))
    output_answer(&output, &document, false);
  worst = output_end(&output, worst);
  document_clear(&document);
  output_clear(&output);
  return worst;
}

const struct command check_command = {
    "check", "FILE...", "parse and check protocols", rows, sizeof(struct arguments), NULL,
    run,     NULL};
