/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What ends the program is run in a child: its status, and what it said on stderr.
 */
#ifndef TESTS_UNIT_BASE_BREAKS_H
#define TESTS_UNIT_BASE_BREAKS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "base/invariant.h"
#include "base/status.h"

/* Runs the function in a child; its stderr goes to `said`. */
static inline int breaks_status(void (*run)(void *), void *context, char *said, size_t size) {
  int ends[2];
  assert_int_equal(pipe(ends), 0);
  pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    run(context);
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  for (ssize_t got; (got = read(ends[0], said + length, size - 1 - length)) > 0;)
    length += (size_t)got;
  said[length] = '\0';
  close(ends[0]);
  int status;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_true(WIFEXITED(status));
  return WEXITSTATUS(status);
}

/* The function breaks the invariant whose condition has these words; also one that is costly. */
static inline void breaks(void (*run)(void *), void *context, const char *words) {
  char said[1024];
  bool kept = invariant_costly_on;
  invariant_costly_on = true;
  int status = breaks_status(run, context, said, sizeof said);
  invariant_costly_on = kept;
  if (status != STATUS_INTERNAL || strstr(said, "this does not hold: ") == NULL ||
      strstr(said, words) == NULL)
    fail_msg("status %d, said: %s, expected: %s", status, said, words);
}

#endif
