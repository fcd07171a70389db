/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Queries that are known to have no model, since the solver said so in an earlier verification: so
 * after a change of one line only the obligations that changed are proved again.
 *
 * A record is one line: the digest of all that is asserted (smt_digest), then, each behind a blank,
 * the digests of facts that may be asserted besides. It says that all of these together have no
 * model. What else is asserted then does not matter: fewer models are none.
 */
#ifndef SOLVER_PROVE_KNOWN_H
#define SOLVER_PROVE_KNOWN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/vector.h"

struct known_queries {
  VECTOR(char *) records; /* owned; in order; not changed while proofs read them */
};

/* Of records, one a line; other lines are left out. */
void known_init(struct known_queries *known, const char *bytes, size_t length);
void known_clear(struct known_queries *known);

/* The records of a query that begin at records.data[*first]: their number. `known` may be NULL. */
size_t known_find(const struct known_queries *known, const char *digest, size_t *first);

/* Whether the line is a record. */
bool known_is_record(const char *line, size_t length);

#endif
