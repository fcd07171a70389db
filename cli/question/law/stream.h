/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A bound for each request of a recorded stream. The bound counts from a message whose number, k,
 * it mentions; row k of a table has what request k took. Where the expression speaks of the
 * requests before, as in `sum i in 1..k (Serve[i])`, their rows are read.
 *
 * The last integer of an occurrence says which request it is of, so it is no part of the column's
 * name: Serve[k] is in column "Serve", Apply[w, k] of worker 2 in "Apply.2", d(Request(k)) in
 * "d.Request". Requests are numbered from 1. What is numbered below never happened, and a proved
 * bound holds whatever it is worth: it counts as 0. What is numbered beyond the table is not known.
 *
 * Values are ranges in whole nanoseconds, rounded outward (lang/stream_value.h).
 */
#ifndef CLI_QUESTION_LAW_STREAM_H
#define CLI_QUESTION_LAW_STREAM_H

#include "base/status.h"
#include "lang/model.h"

struct joint;
struct rational;
struct text;

struct stream_request {
  const struct model *model;
  const struct bound *bound;
  const int64_t *params;               /* by parameter id */
  const struct rational *const *times; /* by component id, or NULL, of parameters that are times */
};

/* Adds a column to the table: its name is the bound's expression as written, its cells what the
 * bound is for each row. STATUS_DATA or STATUS_USAGE with one line in `message`, and the table as
 * it was, where the bound does not count from one numbered request, or a column is missing. */
enum status stream_add_bound(struct joint *table, const struct stream_request *request,
                             struct text *message);

#endif
