/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol file, read and checked; every question about a protocol begins here.
 */
#ifndef CLI_QUESTION_VERIFY_PROTOCOL_H
#define CLI_QUESTION_VERIFY_PROTOCOL_H

#include "base/asker.h"
#include "base/status.h"
#include "lang/model.h"

struct diagnostics;
struct source;
struct verify_options;

struct ast;

struct protocol {
  struct source *source; /* NULL when the file could not be read */
  struct ast *ast;
  struct model *model;             /* NULL when there were mistakes */
  struct diagnostics *diagnostics; /* of reading it: what the asker was told */
};

/* What a proof may take. */
struct effort {
  size_t jobs;         /* threads, at least 1 */
  unsigned timeout_ms; /* for one obligation, in ms of a usual machine, at least 1 */
  unsigned seed;       /* of the solver's search */
  bool reuse;          /* verdicts of earlier proofs: cli/question/verify/reuse.h */
};

/* Reads and checks; the asker is told of the file and of all diagnostics, both of which stay as
 * they are until protocol_clear. "-" is standard input. STATUS_NO_INPUT, STATUS_DATA; `protocol` is
 * to be cleared in any case. */
enum status protocol_load(struct protocol *protocol, const char *path, const struct asker *asker);
void protocol_clear(struct protocol *protocol);

/* The bound of that name; without a name the only bound. NULL after the asker was told. */
const struct bound *protocol_bound(const struct protocol *protocol, const char *name,
                                   const struct asker *asker);

/* How a verification within the effort goes; the asker may stop it. */
struct verify_options effort_options(const struct effort *effort, const struct asker *asker);

#endif
