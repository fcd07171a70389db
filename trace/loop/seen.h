/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What the recorder saw in the runs of a callback (event_look): which functions, in how many of its looks.
 *
 * A look sees what runs at that moment, and another one may see another function. So a function is
 * a detail of the callback, and nothing is known of runs that nobody looked at.
 */
#ifndef TRACE_LOOP_SEEN_H
#define TRACE_LOOP_SEEN_H

#include "trace/loop/causes.h"

/* A function and who called it. */
struct loop_function {
  const char *stack; /* of the first look that saw it; of the log */
  uint32_t looks;
};

struct loop_seen {
  uint32_t looks;                         /* at runs of the callback */
  VECTOR(struct loop_function) functions; /* in most looks first */
};

/* Of a cause that is a callback (OWN, HELD); of others there is none. */
void loop_seen_find(struct loop_seen *seen, const struct loop_causes *causes,
                    const struct loop_cause *cause);
void loop_seen_clear(struct loop_seen *seen);

/* The function of a stack: the innermost in a file of the application, where there is one, else of
 * a package. A part of `stack`. */
struct slice loop_stack_function(const char *stack);

/* "app.js:9:3 render, called by app.js:20:5 handler"; with "in PACKAGE's FUNCTION" between where
 * that was the innermost. */
void loop_stack_say(struct text *text, const char *stack);

/* Whether a NAME means one of the functions of a stack (changes.h). */
bool loop_stack_means(const char *name, const char *stack);

#endif
