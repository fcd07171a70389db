/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Laws written by the user in terms of measured ones, for what no single file holds: a cache hit or
 * miss, attempts with a time limit, the second of three answers.
 *
 *   sum     := product { "+" product }
 *   product := factor { "*" factor }              all but the last factor numbers: 2 * X, one draw
 *   factor  := NAME | DURATION | "never" | "(" sum ")"
 *            | "max" "(" copies {"," copies} ")"           the last to end
 *            | "min" "(" copies {"," copies} ")"           the first to end
 *            | "sum" "(" copies {"," copies} ")"           one after the other
 *            | "kth" "(" RANK "," copies {"," copies} ")"  the RANK-th to end
 *            | "mix" "(" NUMBER sum {"," NUMBER sum} ")"   one of them; the chances add up to 1
 *            | "cap" "(" sum "," DURATION ")"              the smaller of both
 *            | "timeout" "(" sum "," DURATION ["," sum] ")"
 *                  the first if it keeps to the limit, else the limit and then the second; without
 *                  a second, never
 *            | "retry" "(" sum "," DURATION "," ATTEMPTS ["," DURATION] ["," "wait"] ")"
 *                  up to ATTEMPTS attempts, each given up after the first duration, with a pause of
 *                  the second between them; the last is waited for with "wait", else given up too
 *   copies  := [COUNT "of"] sum                            COUNT independent draws
 *
 * A NUMBER is 0.9, 9e-1 or 9/10; a DURATION a number with ns, us, ms or s right behind it (5ms); a
 * NAME is made of letters, digits, "_" and ".", is neither of these, and is a word of the language
 * only where that is followed by "(". Each mention of a name is an independent draw of its law, and
 * the whole is independent of everything outside.
 *
 * How to use it: compose_parse when the command line is read; compose_name_count and compose_name
 * to learn which files are needed (and compose_cost, for the choice of the grid); compose_survival
 * once for each side.
 */
#ifndef DIST_EVALUATE_COMPOSE_H
#define DIST_EVALUATE_COMPOSE_H

#include "base/status.h"
#include "base/text.h"
#include "dist/evaluate/evaluate.h"
#include "base/ledger.h"
#include "dist/survival/survival.h"

struct compose;

/* STATUS_OK with *compose (compose_clear); else STATUS_USAGE, *compose NULL and one line without a
 * newline appended to `message`: "column 7: ...", with the remedy. Columns count bytes from 1. */
enum status compose_parse(struct compose **compose, const char *expression, struct text *message);
void compose_clear(struct compose *compose);

/* The names mentioned, each once, in the order of their first mention; they live as long as
 * *compose. */
size_t compose_name_count(const struct compose *compose);
const char *compose_name(const struct compose *compose, size_t i);

/* As evaluate_cost, for the roundings within; a law measured counts as one draw. A time limit
 * of a sum of several draws compares what has been rounded, so where one is in the expression this
 * is no bound. */
struct evaluate_cost compose_cost(const struct compose *compose);

struct compose_laws {
  /* The law of a name, on the grid and the side of the result; it outlives the call. Anything but
   * STATUS_OK ends the evaluation with that status; it then appends one line to `message`. */
  enum status (*find)(void *context, const struct survival **survival, const char *name,
                      struct text *message);
  void *context;
  /* A bound, on that side, of the chance that the law of a name exceeds x: without the roundings to
   * the grid, which would let an answer at its time limit be late. May be NULL. */
  uint64_t (*above)(void *context, const char *name, uint64_t x_ns, enum survival_side side);
};

/* Sets *result (initialised with its grid and side) and says in the ledger what the expression
 * takes for granted; `ledger` may be NULL. On failure *result and *ledger are as before. */
enum status compose_survival(struct survival *result, const struct compose *compose,
                             const struct compose_laws *laws, struct ledger *ledger,
                             struct text *message);

#endif
