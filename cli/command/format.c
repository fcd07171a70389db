/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * `tailproof format`: prints protocol files in canonical form, replaces them by it, or says which are
 * in another.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command/voice.h"
#include "cli/question/verify/protocol.h"
#include "lang/print.h"

struct arguments {
  struct command_line line;
  bool write, check;
};

static const struct option_row rows[] = {
    OPTION("write", 'w', NULL, "replace the files instead of printing", option_flag,
           offsetof(struct arguments, write)),
    OPTION("check", 0, NULL, "print the names of the files that would change (exit code 1)",
           option_flag, offsetof(struct arguments, check)),
    {0},
};

static enum status report_changed(const struct protocol *protocol, const struct text *formatted) {
  const struct source *source = protocol->source;
  if (source->length == formatted->length &&
      memcmp(source->bytes, text_get(formatted), source->length) == 0)
    return STATUS_OK;
  printf("%s\n", source->name);
  return STATUS_REFUTED;
}

/* A file with mistakes is neither printed nor touched. */
static enum status format_file(const char *file, const struct arguments *typed,
                               const struct asker *asker) {
  struct protocol protocol;
  enum status status = protocol_load(&protocol, file, asker);
  if (status == STATUS_OK) {
    struct text text, message;
    text_init(&text);
    text_init(&message);
    format_ast(&text, protocol.ast);
    if (typed->check)
      status = report_changed(&protocol, &text);
    else if (!typed->write)
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
  if (worst == STATUS_OK && typed->write && typed->check)
    return option_complain(line->command, "--write and --check", NULL,
                           "replace the files, or ask which would change");
  for (size_t i = 0; typed->write && i < line->file_count; i++)
    if (strcmp(line->files[i], "-") == 0)
      return option_complain(line->command, "standard input cannot be replaced", NULL,
                             "leave out --write, or name a file");
  struct voice voice;
  voice_init(&voice, line, NULL);
  for (size_t i = 0; worst != STATUS_USAGE && i < line->file_count; i++)
    worst = status_worst(worst, format_file(line->files[i], typed, &voice.asker));
  return worst;
}

const struct command format_command = {
    "format", "FILE...", "print protocols in canonical form", rows, sizeof(struct arguments), NULL,
    run,      NULL};
