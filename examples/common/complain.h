/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * One line on stderr, "PROGRAM: ...", and the exit codes of all examples.
 */
#ifndef EXAMPLES_COMMON_COMPLAIN_H
#define EXAMPLES_COMMON_COMPLAIN_H

enum {
  EXIT_USAGE = 64,        /* the command line */
  EXIT_MISSING = 69,      /* a tool or permission that is not there */
  EXIT_FAILED = 70,       /* the run, or writing its results */
  EXIT_INTERRUPTED = 130, /* by SIGINT, SIGTERM or SIGHUP */
};

/* Names the program; the text must live on. */
void complain_as(const char *program);

/* Written by one system call, so that the lines of several processes do not mix. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

#endif
