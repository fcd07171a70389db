/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/command/rows.h"

#include "base/parallel.h"
#include "show/page.h"

static enum status read_format(void *field, const struct option_row *row, const char *command,
                               const char *value) {
  const char *word;
  enum status status = option_word->read(&word, row, command, value);
  if (status == STATUS_OK && !output_format_of_word(field, word))
    bug("a format without a writer: %s", word);
  return status;
}

const struct option_kind option_format[1] = {{read_format, NULL}};

struct effort command_effort(void) {
  return (struct effort){.jobs = parallel_processors(), .timeout_ms = 10000, .reuse = true};
}

void command_tell(const struct command_line *line, struct text *message) {
  if (message->length != 0)
    fprintf(stderr, "tailproof %s: %s\n", line->command, message->data);
  text_clear(message);
}

enum status command_check_output(const struct command_line *line,
                                 const struct output_options *options) {
  struct text message;
  text_init(&message);
  enum status status = output_check(options, &message);
  command_tell(line, &message);
  return status;
}

enum status command_check_plot(const struct command_line *line, const char *plot) {
  struct text message;
  text_init(&message);
  enum status status = plot == NULL ? STATUS_OK : picture_check_name(plot, &message);
  command_tell(line, &message);
  return status;
}

void command_calculation(struct calculation_request *request) {
  request->effort = command_effort();
  rational_set_fraction(&request->confidence, 99, 100);
}
