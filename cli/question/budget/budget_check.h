/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The question of `budget --check FILE PROTOCOL`: do the promises of a budget still suffice, now
 * that the protocol may have changed? No measurements are needed.
 */
#ifndef CLI_QUESTION_BUDGET_BUDGET_CHECK_H
#define CLI_QUESTION_BUDGET_BUDGET_CHECK_H

#include "base/ledger.h"
#include "cli/question/budget/budget_file.h"
#include "cli/question/percentiles/slo.h"
#include "cli/question/verify/protocol.h"
#include "dist/budget/spend.h"

struct verification;

struct budget_check_request {
  const struct asker *asker;
  const char *path;     /* of the budget */
  const char *protocol; /* its file */
  settings set;         /* instead of the budget's */
  struct effort effort;
};

struct checked_part {
  char *name;             /* owned */
  size_t occurrences;     /* 0: the bound needs the promise no more */
  bool is_promised;       /* false: nothing is promised of it */
  struct promise promise; /* the one that the sum counts */
  VECTOR(struct promise) also;
};

struct budget_check {
  const struct budget_check_request *request;
  enum status status; /* STATUS_REFUTED: they do not suffice */
  bool found;
  struct budget_file file;
  struct protocol protocol;
  const struct bound *bound;
  bool has_protocol, is_proved;
  bool is_changed;            /* the protocol's text is another than that of the budget */
  struct verification *proof; /* owned */
  struct ledger ledger;
  slo_list slos;
  VECTOR(struct checked_part) parts;
  uint64_t chance, spent, confirmed;
  bool within;       /* at the limits the bound keeps to the objective */
  uint64_t value_ns; /* it is there, rounded up */
};

/* Initialised in any case; `request` outlives it. */
enum status budget_check_ask(struct budget_check *check,
                             const struct budget_check_request *request);
void budget_check_clear(struct budget_check *check);

#endif
