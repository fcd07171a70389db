/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Small scopes: values for all parameters under which the assumptions hold and no family is empty.
 */
#ifndef SOLVER_SEARCH_SCOPE_H
#define SOLVER_SEARCH_SCOPE_H

#include "base/vector.h"
#include "lang/model.h"

enum scope_order {
  SCOPE_SMALLEST_FIRST, /* for counterexamples: the simplest to read */
  SCOPE_TWO_FIRST,      /* for witnesses: with two of everything nothing is degenerate */
};

struct scopes {
  size_t param_count;
  VECTOR(int64_t *) items; /* values by param id, owned */
};

/* At most `most` scopes with parameters 0 .. 5, best first; if there is none, one with other
 * values, when the solver finds it. */
void scopes_init(struct scopes *scopes, const struct model *model, enum scope_order order,
                 size_t most);

/* At least `few` scopes with parameters 0 .. `largest`, or all there are; every value that such a
 * parameter can have is in one of them. Few nodes first. If there is none, one of scopes_init.
 */
void scopes_cover(struct scopes *scopes, const struct model *model, int64_t largest, size_t few);
void scopes_clear(struct scopes *scopes);

/* Of a model for which the list is empty: appends why, and what to do, as one clause. */
void scopes_explain_none(struct text *text, const struct model *model);

/* Appends "n=2, f=1", or "no parameters". */
void scope_print(struct text *text, const struct model *model, const int64_t *scope);

#endif
