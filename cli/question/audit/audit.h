/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `audit`: what does everything said of a protocol rest on, and what would
 * discharge it? Nothing is proved.
 */
#ifndef CLI_QUESTION_AUDIT_AUDIT_H
#define CLI_QUESTION_AUDIT_AUDIT_H

#include "base/ledger.h"
#include "base/vector.h"
#include "cli/question/setting.h"
#include "cli/question/verify/protocol.h"

struct audit_request {
  const struct asker *asker;
  const char *path;
  const char *data;    /* a folder of measurements, or NULL */
  settings set, units; /* parameters; units of files that state none */
  settings selects;    /* which kind of requests of a file with several */
};

enum audit_kind { AUDIT_STATED, AUDIT_MODEL, AUDIT_MEASURED, AUDIT_INVENTED, AUDIT_KIND_COUNT };

struct audit_line {
  enum audit_kind kind;
  enum ledger_source source;
  char *text, *discharge; /* owned; one sentence each, without a full stop */
  bool is_warning;
};

struct audit_answer {
  struct protocol protocol;
  VECTOR(struct audit_line) lines; /* each text once */
  size_t counts[AUDIT_KIND_COUNT];
  bool free_order; /* nothing is assumed of the arrival and order of messages */
  enum status status;
};

/* "stated", "model", "measured", "invented" */
const char *audit_kind_name(enum audit_kind kind);

/* Initialises the answer in any case; returns its status. */
enum status audit_ask(struct audit_answer *answer, const struct audit_request *request);
void audit_answer_clear(struct audit_answer *answer);

/* STATUS_NO_INPUT, after the asker was told, when the folder cannot be read. */
enum status audit_check_folder(const char *data, const struct asker *asker);

#endif
