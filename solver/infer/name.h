/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Names for the variables of made terms, so that what is printed can be pasted: no global name of
 * the model, and none twice on the way from a binder to a mention.
 */
#ifndef SOLVER_INFER_NAME_H
#define SOLVER_INFER_NAME_H

#include "solver/infer/term.h"

/* A copy with new names for all bound variables. */
const struct term *infer_name(struct term_maker *m, const struct model *model,
                              const struct term *t);

#endif
