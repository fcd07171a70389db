/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/agent/say.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static const uint64_t pause_ns = 60000000000;

/* In one write, so that lines of several processes do not mix. */
static void say(const char *behind, const char *format, va_list values) {
  char line[800];
  vsnprintf(line, sizeof line, format, values);
  fprintf(stderr, "tailproof agent: %s%s\n", line, behind);
}

void agent_say(const char *format, ...) {
  va_list values;
  va_start(values, format);
  say("", format, values);
  va_end(values);
}

bool agent_say_limited(struct say_limit *limit, uint64_t now_ns, const char *format, ...) {
  if (limit->said_ns != 0 && now_ns - limit->said_ns < pause_ns) {
    limit->unsaid++;
    return false;
  }
  char behind[80] = "";
  if (limit->unsaid != 0)
    snprintf(behind, sizeof behind, " (and %" PRIu64 " times since this was said last)",
             limit->unsaid);
  *limit = (struct say_limit){.said_ns = now_ns};
  va_list values;
  va_start(values, format);
  say(behind, format, values);
  va_end(values);
  return true;
}
