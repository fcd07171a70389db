/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which occurrences may depend on each other: --together and --together-each. Occurrences named
 * together are one group; groups that have an occurrence in common are one.
 */
#ifndef CLI_QUESTION_LAW_TOGETHER_H
#define CLI_QUESTION_LAW_TOGETHER_H

#include "base/status.h"
#include "base/vector.h"

struct calculation_request;
struct expression_table;
struct laws;
struct ledger;
struct occurrence;
struct text;

struct together {
  VECTOR(size_t) group; /* by occurrence id: the least id of its group */
  VECTOR(size_t) size;  /* by occurrence id: of the group that it is the least of */
};

/* Forms the groups and adds them to the ledger; what has columns in one table is a group, too.
 * STATUS_USAGE with one line in `message` for a name that no occurrence has. `together` is
 * initialised in any case. */
enum status together_init(struct together *together, const struct calculation_request *request,
                          const struct expression_table *table, const struct laws *laws,
                          struct ledger *ledger, struct text *message);
void together_clear(struct together *together);

/* For evaluate_laws.group, `context` being a struct together. */
size_t together_group(void *context, const struct occurrence *occurrence);

#endif
