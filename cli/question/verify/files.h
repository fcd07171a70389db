/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `verify`, of several files: they are proved side by side, and answered in order.
 */
#ifndef CLI_QUESTION_VERIFY_FILES_H
#define CLI_QUESTION_VERIFY_FILES_H

#include <stddef.h>

struct verify_answer; /* cli/question/verify/verify.h */
struct verify_request;

struct verify_files {
  const struct verify_request *request; /* of each of them, but for its path */
  const char *const *paths;
  size_t count;
  /* Called once for each file that was begun, in the order of the paths, one at a time, from any
   * thread. The request's asker has just been told what there was to say of the file; the answer
   * is cleared afterwards. */
  void (*answered)(size_t index, const struct verify_answer *answer, void *context);
  void *context;
};

/* No more threads at a time than the request's effort has jobs, but for moments: a file may use
 * those of others only when no file waits for its turn. With `write` one file after the other, as
 * two names may mean one file. Returns when all are answered; when the asker stops it, those that
 * were not begun are left out. */
void verify_files(const struct verify_files *files);

#endif
