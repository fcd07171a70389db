/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof format`: prints protocol files in canonical form, or replaces them by it.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command/voice.h"
#include "cli/question/verify/protocol.h"
#include "lang/print.h"

struct arguments {
  struct command_line line;
  bool write;
};

static const struct option_row rows[] = {
    OPTION("write", 'w', NULL, "replace the files instead of printing", option_flag,
           offsetof(struct arguments, write)),
    {0},
};

/* A file with mistakes is neither printed nor touched. */
static enum status format_file(const char *file, bool replace, const struct asker *asker) {
  struct protocol protocol;
  enum status status = protocol_load(&protocol, file, asker);
  if (status == STATUS_OK) {
    struct text text, message;
    text_init(&text);
    text_init(&message);
    print_ast(&text, protocol.ast);
    if (!replace)
      fputs(text_get(&text), stdout);
    else if ((status = file_write(file, text.data, text.length, &message)) != STATUS_OK)
      asker_fail(asker, status, "%s", text_get(&message));
    text_clear(&text);
    text_clear(&message);
  }
  protocol_clear(&protocol);
  return status;
}

static enum status run(const void *options) {
  const struct arguments *typed = options;
  const struct command_line *line = &typed->line;
  enum status worst = need_files(line, 1, SIZE_MAX, "protocol files");
  for (size_t i = 0; typed->write && i < line->file_count; i++)
    if (strcmp(line->files[i], "-") == 0)
      return option_complain(line->command, "standard input cannot be replaced", NULL,
                             "leave out --write, or name a file");
  struct voice voice;
  voice_init(&voice, line, NULL);
  for (size_t i = 0; worst != STATUS_USAGE && i < line->file_count; i++)
    worst = status_worst(worst, format_file(line->files[i], typed->write, &voice.asker));
  return worst;
}

const struct command format_command = {
    "format", "FILE...", "print protocols in canonical form", rows, sizeof(struct arguments), NULL,
    run,      NULL};
