/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Verdicts of earlier proofs, reused where the same question is asked again: the same bytes of the
 * protocol file, the same bound, effort and seed, the same build of this program and of all
 * libraries it runs with, the solver's among them. Anything else is proved. Only final verdicts are
 * kept, in cli/question/verify/proof_cache.h.
 */
#ifndef CLI_QUESTION_VERIFY_REUSE_H
#define CLI_QUESTION_VERIFY_REUSE_H

#include "solver/verify.h"

struct source;

/* As verification_init of the source's model, which `reuse` asks to keep, and to take from what was
 * kept. `model` must be that of `source` unless `reuse` is false. The verification's remark then
 * says whether it is reused, or why nothing can be kept. */
void reuse_or_verify(struct verification *verification, const struct model *model,
                     const struct source *source, const struct verify_options *options, bool reuse);

/* What a verdict is kept under: one line that says what was asked, of whom. Empty where the program
 * cannot tell its build. */
struct text reuse_question(const struct source *source, const struct bound *only,
                           const struct verify_options *options);

#endif
