/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The ledger: the assumptions a result rests on, each stated once, in the order they came up. It
 * owns its texts.
 *
 * Each line has a level, which says who must read it. Standard is what every result of this kind
 * rests on, and what the program did, such as rounding. Notable is what a user said, chose or left
 * open, and may therefore be wrong about: a law that was written, a unit that was guessed,
 * independence. A warning says that something was seen which speaks against the result.
 */
#ifndef BASE_LEDGER_H
#define BASE_LEDGER_H

#include <stddef.h>

enum ledger_source { LEDGER_MODEL, LEDGER_SOLVER, LEDGER_DIST, LEDGER_DATA };

enum ledger_level { LEDGER_STANDARD, LEDGER_NOTABLE, LEDGER_WARNING };

struct ledger_line {
  enum ledger_level level;
  enum ledger_source source;
  char *text; /* one sentence without a final full stop or newline */
};

struct ledger {
  struct ledger_line *lines;
  size_t count, capacity;
};

void ledger_init(struct ledger *ledger);
void ledger_clear(struct ledger *ledger);

/* Adds the line, unless the same source has said the same before. ledger_warn puts "warning: "
 * before it. */
void ledger_add(struct ledger *ledger, enum ledger_source source, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ledger_note(struct ledger *ledger, enum ledger_source source, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void ledger_warn(struct ledger *ledger, enum ledger_source source, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* As the line of another ledger has it. */
void ledger_copy(struct ledger *ledger, const struct ledger_line *line);

size_t ledger_count(const struct ledger *ledger, enum ledger_level level);

/* "model", "solver", "dist", "data" */
const char *ledger_source_name(enum ledger_source source);
/* "standard", "notable", "warning" */
const char *ledger_level_name(enum ledger_level level);

#endif
