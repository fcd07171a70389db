/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof audit`: its options, and what protocols assume.
 */
#include <stdio.h>

#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/present/audit.h"

struct arguments {
  struct command_line line;
  struct audit_request request;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_DOCUMENT(output),
    ROW_SET(FIELD(request.set)),
    ROW_DATA(FIELD(request.data)),
    ROW_UNIT(FIELD(request.units)),
    ROW_SELECT(FIELD(request.selects)),
    {0},
};

/* Text lists warnings among the lines; who reads another format is told on stderr. */
static void warn(const struct audit_answer *answer) {
  for (size_t i = 0; i < answer->lines.count; i++)
    if (answer->lines.data[i].is_warning)
      fprintf(stderr, "tailproof: warning: %s\n", answer->lines.data[i].text);
}

static enum status run(const void *options) {
  const struct arguments *arguments = options;
  const struct command_line *line = &arguments->line;
  enum status worst = need_files(line, 1, SIZE_MAX, "protocol files");
  struct output output;
  struct voice voice;
  output_init_document(&output, &arguments->output);
  voice_init(&voice, line, &output);
  if (worst == STATUS_OK && arguments->request.data != NULL)
    worst = audit_check_folder(arguments->request.data, &voice.asker);
  if (worst != STATUS_OK)
    return worst;
  size_t shown = 0;
  struct document document;
  audit_document_init(&document);
  for (size_t i = 0; i < line->file_count; i++) {
    struct audit_request request = arguments->request;
    struct audit_answer answer;
    request.asker = &voice.asker;
    request.path = line->files[i];
    worst = status_worst(worst, audit_ask(&answer, &request));
    if (answer.protocol.model != NULL) {
      audit_show(&document, &answer);
      shown++;
    }
    if (output.format != OUTPUT_TEXT)
      warn(&answer);
    audit_answer_clear(&answer);
  }
  if (shown != 0)
    output_answer(&output, &document, false);
  document_clear(&document);
  return worst;
}

const struct command audit_command = {
    "audit",
    "FILE...",
    "list every assumption of protocols, and what would discharge it; proves nothing",
    rows,
    sizeof(struct arguments),
    NULL,
    run,
    NULL};
