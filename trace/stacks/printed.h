/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Recordings that another program prints as text: perf.data by `perf script`, JFR by `jfr print`;
 * private to trace/stacks. The program is run without a shell, and its text read as it comes.
 */
#ifndef TRACE_STACKS_PRINTED_H
#define TRACE_STACKS_PRINTED_H

#include <sys/types.h>

#include "trace/stacks/lines.h"

struct stack_printed {
  pid_t process; /* 0: none runs */
  const char *path, *program;
};

/* Whether a file that begins so has to be printed first. */
bool stack_printed_is(struct slice ahead, const char *name);

/* Says what to do with such a file where nothing prints it. Returns STATUS_DATA. */
enum status stack_printed_refuse(struct slice ahead, const char *name, struct text *message);

/* In place of the lines of the file those that the program prints of it. STATUS_DATA with `message`
 * where it is not installed, or the file is standard input. */
enum status stack_printed_open(struct stack_printed *printed, struct stack_lines *lines,
                               const char *path, struct text *message);

/* Waits for the program, behind stack_lines_close; `status` is that of the reading, and remains
 * unless the program says that it could not. */
enum status stack_printed_close(struct stack_printed *printed, enum status status,
                                struct text *message);

#endif
