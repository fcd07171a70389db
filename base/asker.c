/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/asker.h"

#include <stdarg.h>

#include "base/text.h"

static void say(const struct asker *asker, enum saying saying, const char *format,
                va_list arguments) {
  if (asker->say == NULL)
    return;
  struct text line;
  text_init(&line);
  text_format_list(&line, format, arguments);
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
