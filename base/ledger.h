/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ledger: the assumptions a result rests on, each stated once, in the order they came up. It
 * owns its texts.
 */
#ifndef BASE_LEDGER_H
#define BASE_LEDGER_H

#include <stddef.h>

enum ledger_source { LEDGER_MODEL, LEDGER_SOLVER, LEDGER_DIST, LEDGER_DATA };

struct ledger_line {
  enum ledger_source source;
  char *text; /* one sentence without a final full stop or newline */
};

struct ledger {
  struct ledger_line *lines;
  size_t count, capacity;
};

void ledger_init(struct ledger *ledger);
void ledger_clear(struct ledger *ledger);

/* Adds the line, unless the same source has said the same before. */
void ledger_add(struct ledger *ledger, enum ledger_source source, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* "model", "solver", "dist", "data" */
const char *ledger_source_name(enum ledger_source source);

#endif
