/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What a verification found, as text and back: for verdicts that are kept (cli/question/verify/
 * reuse.h). Only what is final can be kept: every bound proved, or refuted by an execution.
 */
#ifndef SOLVER_VERIFY_KEPT_H
#define SOLVER_VERIFY_KEPT_H

#include "solver/verify.h"

/* Whether nothing is left open, nothing was interrupted, and there is a verdict at all. */
bool verification_is_final(const struct verification *verification);

/* The text, owned by the caller. Of a final verification without explanations; the model is not in
 * it: who reads it must have the same. */
char *verification_keep(const struct verification *verification);

/* The verification that a text is of, of the bound `only` (NULL: of all in it); its `proof` is
 * empty. False, and nothing to clear, where the text is no such thing for this model. */
bool verification_recall(struct verification *verification, const struct model *model,
                         const struct bound *only, const char *bytes, size_t length);

#endif
