/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Measurements of single requests where a bound is of any. In `from sent Request(k) ... Handle[k]`
 * the index says which request; Handle.0 would be what the first one took, and stand for all.
 */
#ifndef CLI_QUESTION_PERCENTILES_ONE_REQUEST_H
#define CLI_QUESTION_PERCENTILES_ONE_REQUEST_H

#include "base/status.h"

struct bound;
struct expression_table;
struct laws;
struct model;
struct text;

/* STATUS_DATA, with one line in `message`, when a file of the folder, or a column of a table, is
 * named after an index that says which request it is of: of a column only if the bound's
 * expression, in `table`, has no such occurrence (the rows of a table may be requests, whose own
 * columns have the numbers of request 0). */
enum status one_request_check(const struct laws *laws, const struct model *model,
                              const struct bound *bound, const struct expression_table *table,
                              struct text *message);

#endif
