/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A program that waits at a gate before it begins, so that it can be watched from its first
 * instruction on.
 */
#ifndef CLI_QUESTION_PROFILE_PROGRAM_H
#define CLI_QUESTION_PROFILE_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

struct program {
  pid_t process; /* 0: none */
  int gate;      /* -1: open */
  int fate;      /* says why it could not be run */
};

/* A child that waits to become argv[0], looked up on the PATH. `quiet`: what it writes to stdout
 * goes to stderr. Signals that a terminal or a user sends us alone are passed on to it. False with
 * errno. */
bool program_prepare(struct program *program, const char *const *argv, bool quiet);

/* Opens the gate; 0, or the errno for which it cannot be run: the child is then gone. */
int program_begin(struct program *program);

/* Ends a child that still waits at the gate. */
void program_abandon(struct program *program);

/* Whether it ended; *status as waitpid's. */
bool program_ended(struct program *program, int *status);

#endif
