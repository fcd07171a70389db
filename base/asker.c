/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/asker.h"

#include <stdarg.h>
#include <string.h>

#include "base/shown.h"
#include "base/text.h"

/* Names of files and what they hold may be in it. Its own lines stay; none may be a command to a CI
 * system, which these begin with "::" or "##". */
static void make_showable(struct text *line) {
  struct text clean;
  text_init(&clean);
  if (line->length != 0)
    line->length = shown_clean(line->data, line->length, '?', true);
  for (size_t i = 0; i < line->length; i++) {
    text_append_bytes(&clean, line->data + i, 1);
    if (line->data[i] == '\n' && i + 1 < line->length && strchr(":#", line->data[i + 1]) != NULL)
      text_append(&clean, " ");
  }
  text_clear(line);
  *line = clean;
}

static void say(const struct asker *asker, enum saying saying, const char *format,
                va_list arguments) {
  if (asker->say == NULL)
    return;
  struct text line;
  text_init(&line);
  text_format_list(&line, format, arguments);
  make_showable(&line);
  asker->say(asker->context, saying, text_get(&line));
  text_clear(&line);
}

void asker_say(const struct asker *asker, enum saying saying, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(asker, saying, format, arguments);
  va_end(arguments);
}

enum status asker_fail(const struct asker *asker, enum status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say(asker, status == STATUS_USAGE ? SAYING_MISTAKE : SAYING_FAILURE, format, arguments);
  va_end(arguments);
  return status;
}

bool asker_stopped(const struct asker *asker) {
  return asker->stop != NULL && *asker->stop != 0;
}
