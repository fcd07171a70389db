/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof check`: reads protocol files and says what is wrong with them, without proving.
 */
#include <stdio.h>

#include "base/jsonl.h"
#include "cli/command/rows.h"
#include "cli/command/voice.h"
#include "cli/question/verify/protocol.h"

struct arguments {
  struct command_line line;
  struct output_options output;
};

#define FIELD(name) offsetof(struct arguments, name)

static const struct option_row rows[] = {
    ROWS_OUTPUT(output),
    {0},
};

static void present(const struct output *output, const struct source *source,
                    const struct model *model) {
  if (output->format == OUTPUT_TEXT)
    printf("%s: protocol %s: %zu actions, %zu messages, %zu invariants, %zu bounds\n", source->name,
           model->name, model->actions.count, model->messages.count, model->invariants.count,
           model->bounds.count);
  if (output->format != OUTPUT_JSON)
    return;
  struct jsonl *line = jsonl_new("protocol");
  jsonl_text(line, "file", source->name);
  jsonl_text(line, "protocol", model->name);
  jsonl_integer(line, "bounds", (int64_t)model->bounds.count);
  jsonl_print(line);
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
  output_init(&output, &typed->output);
  voice_init(&voice, &typed->line, &output);
  for (size_t i = 0; i < typed->line.file_count; i++) {
    struct protocol protocol;
    enum status status = protocol_load(&protocol, typed->line.files[i], &voice.asker);
    worst = status_worst(worst, status);
    if (status == STATUS_OK)
      present(&output, protocol.source, protocol.model);
    protocol_clear(&protocol);
  }
  worst = output_end(&output, worst);
  output_clear(&output);
  return worst;
}

const struct command check_command = {
    "check", "FILE...", "parse and check protocols", rows, sizeof(struct arguments), NULL,
    run,     NULL};
