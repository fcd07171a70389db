/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "base/file.h"
#include "cli/command/command.h"
#include "cli/command/option_values.h"
#include "cli/present/json.h"
#include "lang/parse.h"
#include "lang/print.h"

enum status command_check(const struct options *options) {
  enum status worst = need_files(options, "check", 1, SIZE_MAX);
  for (size_t i = 0; worst != STATUS_USAGE && i < options->file_count; i++) {
    struct protocol protocol;
    enum status status = protocol_load(&protocol, options->files[i], options);
    worst = status_worst(worst, status);
    if (status == STATUS_OK && options->format == OUTPUT_TEXT)
      printf("%s: protocol %s: %zu actions, %zu messages, %zu invariants, %zu bounds\n",
             protocol.source->name, protocol.model->name, protocol.model->actions.count,
             protocol.model->messages.count, protocol.model->invariants.count,
             protocol.model->bounds.count);
    if (status == STATUS_OK && options->json) {
      struct jsonl *line = jsonl_new("protocol");
      jsonl_text(line, "file", protocol.source->name);
      jsonl_text(line, "protocol", protocol.model->name);
      jsonl_integer(line, "bounds", (int64_t)protocol.model->bounds.count);
      jsonl_print(line);
    }
    protocol_clear(&protocol);
  }
  return worst;
}

/* A file with mistakes is neither printed nor touched. */
static enum status format_file(const char *file, const struct options *options) {
  struct protocol protocol;
  enum status status = protocol_load(&protocol, file, options);
  if (status == STATUS_OK) {
    struct text text, message;
    text_init(&text);
    text_init(&message);
    print_ast(&text, protocol.ast);
    if (!options->write)
      fputs(text_get(&text), stdout);
    else if ((status = file_write(file, text.data, text.length, &message)) != STATUS_OK)
      fprintf(stderr, "tailproof: %s\n", text_get(&message));
    text_clear(&text);
    text_clear(&message);
  }
  protocol_clear(&protocol);
  return status;
}

enum status command_format(const struct options *options) {
  enum status worst = need_files(options, "format", 1, SIZE_MAX);
  for (size_t i = 0; options->write && i < options->file_count; i++)
    if (strcmp(options->files[i], "-") == 0)
      return option_complain("format", "standard input cannot be replaced", NULL,
                             "leave out --write, or name a file");
  for (size_t i = 0; worst != STATUS_USAGE && i < options->file_count; i++)
    worst = status_worst(worst, format_file(options->files[i], options));
  return worst;
}
