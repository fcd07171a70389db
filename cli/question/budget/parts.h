/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parts of a bound that make promises, with what was measured of them.
 */
#ifndef CLI_QUESTION_BUDGET_PARTS_H
#define CLI_QUESTION_BUDGET_PARTS_H

#include "cli/question/budget/budget.h"

/* "Charge", "d.Ack", or the name of the group that lists it. Owned by the caller. */
char *part_name(const struct occurrence *occurrence, const settings *groups);

typedef VECTOR(struct promise) promise_list;

/* Reads a promise, "p99.9<5ms", as one of whole nanoseconds; STATUS_USAGE after the asker was told.
 * And several, with commas between them; the list is cleared by the caller in any case. */
enum status promises_read(promise_list *list, const char *text, const struct asker *asker);
enum status promise_read(struct promise *promise, const char *text, const struct asker *asker);

/* Divides the occurrences into parts, reads what is said of them, and makes their points, for an
 * objective that allows `chance`. STATUS_USAGE, STATUS_DATA after the asker was told. */
enum status parts_make(struct budget *budget);

/* The greatest edge of the part's buckets that is at most `ns`, or 0: it was not measured in
 * buckets with known edges, or has none. */
uint64_t parts_edge(const struct budget *budget, const struct budget_part *part, uint64_t ns);

/* At each time the worst of the part's series, as they were measured, on the side of *law, which is
 * initialised with the laws' grid; with `alpha` above 0 their bands. */
void parts_law(struct survival *law, const struct budget *budget, const struct budget_part *part,
               uint64_t alpha);

/* What holds of each part today of the promise it has. */
enum status parts_look(struct budget *budget);

void parts_clear(struct budget *budget);

#endif
