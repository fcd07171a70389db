/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Another program, run as a child without a shell, with a limit on its processor time, so that its
 * answer does not depend on what else the machine does.
 */
#ifndef BASE_PROCESS_H
#define BASE_PROCESS_H

#include <stddef.h>

#include "base/text.h"

enum process_end {
  PROCESS_ENDED,     /* on its own, also by a signal or with a bad exit code */
  PROCESS_TIMED_OUT, /* killed: it had its processor time, or slept as long without using any */
  PROCESS_STOPPED,   /* killed because *stop became non-zero */
  PROCESS_MISSING,   /* no such program on the PATH, or it may not be run */
  PROCESS_FAILED,    /* the machine has no process, file or memory left */
};

enum { PROCESS_OUTPUT_LIMIT = 1 << 20 }; /* bytes of output that are kept */

/* Runs argv[0] (looked up on the PATH) with the bytes as its standard input and appends what it
 * writes to stdout and stderr. `limit_ms` is processor time of the child, of all its threads but
 * not of children of its own. One that sleeps and uses none for that long, and for at least a
 * second, is not going to answer; one that waits for a processor or a disk, or is stopped, is left
 * alone. `stop` may be NULL. May be called from several threads. */
enum process_end process_run(const char *const *argv, const char *input, size_t length,
                             unsigned limit_ms, const volatile int *stop, struct text *output);

/* The same in another working folder, and without files to write and without network, as far as the kernel can take these
 * away (confine.h). PROCESS_FAILED or PROCESS_MISSING if the folder is none. */
enum process_end process_run_apart(const char *folder, const char *const *argv, const char *input,
                                   size_t length, unsigned limit_ms, const volatile int *stop,
                                   struct text *output);

#endif
