/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A protocol as a term in Coq, and its bounds as theorems that rest on its obligations alone: a
 * file that proofs/theory checks. What the theory does not cover is refused by name.
 */
#ifndef SOLVER_THEORY_THEORY_H
#define SOLVER_THEORY_THEORY_H

#include "solver/prove/certificate.h"

/* False when the theory lacks something that the protocol has; then `why` gets its names, "FIFO
 * channels (Report), pacers (Report)". */
bool theory_covers(struct text *why, const struct model *model);

/* Appends the file. `proof` is of the model, all proved; `certificate` has its queries' digests.
 * False with `why` where a time is no whole number of nanoseconds, or no solver was asked of a
 * hypothesis. */
bool theory_print(struct text *out, struct text *why, const struct model *model,
                  const struct proof *proof, const struct certificate *certificate);

#endif
