/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `certify`: every obligation of protocols, written down for other solvers.
 */
#ifndef CLI_QUESTION_CERTIFY_CERTIFY_H
#define CLI_QUESTION_CERTIFY_CERTIFY_H

#include "cli/question/verify/protocol.h"

struct certify_request {
  const struct asker *asker;
  const char *const *files;
  size_t file_count; /* protocols, at least one */
  struct effort effort;
  const char *out; /* folder: new, empty, or an older certificate, which is replaced */
};

struct certify_answer {
  char *folder;       /* owned; `out` without slashes at its end */
  size_t obligations; /* written, of all protocols */
};

/* STATUS_OK: the whole folder is there. Otherwise the asker knows why, and what was at `out` is as
 * it was. The answer is to be cleared in any case. */
enum status certify_ask(struct certify_answer *answer, const struct certify_request *request);
void certify_answer_clear(struct certify_answer *answer);

struct theory_request {
  const struct asker *asker;
  const char *file; /* one protocol */
  struct effort effort;
  const char *out; /* the file in Coq: replaced if it is there */
};

struct theory_answer {
  char *file;                   /* owned; `out` */
  size_t theorems, obligations; /* bounds; queries whose digests are in the file */
};

/* STATUS_OK: the file is there. STATUS_UNKNOWN: the theory lacks something that the protocol has,
 * or an obligation is not proved; the asker knows what. The answer is to be cleared in any case. */
enum status theory_ask(struct theory_answer *answer, const struct theory_request *request);
void theory_answer_clear(struct theory_answer *answer);

#endif
