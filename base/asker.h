/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whoever asks a question, as far as the question must know: who hears what went wrong, who is
 * shown the files that were read, and whether to stop. A question prints nothing and exits nowhere;
 * it returns a status, and says through this what a person needs to know before the answer.
 */
#ifndef BASE_ASKER_H
#define BASE_ASKER_H

#include <stdbool.h>

#include "base/status.h"

struct source;      /* lang/source.h */
struct diagnostics; /* lang/diagnostic.h */

enum saying {
  SAYING_MISTAKE, /* about the request: an unusable value, something missing */
  SAYING_FAILURE, /* about a file or the machine: FILE: what, and what to do */
};

struct asker {
  void *context; /* of the functions, each of which may be NULL: nobody listens */
  void (*say)(void *context, enum saying saying, const char *line); /* without a newline */
  /* A protocol file was read: what there is to say about it. When it could not be read `source` is
   * NULL and `failure` the reason, otherwise NULL. */
  void (*read)(void *context, const char *path, const struct source *source,
               const struct diagnostics *diagnostics, const char *failure);
  volatile int *stop; /* not 0: stop as soon as possible; NULL: never */
};

/* One line, printf-like; asker_fail returns the status. */
void asker_say(const struct asker *asker, enum saying saying, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
enum status asker_fail(const struct asker *asker, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4))); /* STATUS_USAGE: a mistake, else a failure */

/* Whether the question is to be given up: STATUS_INTERRUPTED. */
bool asker_stopped(const struct asker *asker);

#endif
