/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What is to hold in every reachable state: the user's invariants, the generated ones, and each
 * bound as a formula ("if its event has happened, then not later than the bound").
 */
#ifndef SOLVER_PROPERTY_H
#define SOLVER_PROPERTY_H

#include "solver/candidate.h"

enum property_kind { PROPERTY_INVARIANT, PROPERTY_GENERATED, PROPERTY_BOUND };

struct property {
  enum property_kind kind;
  const char *name;
  struct span span;
  const struct term *formula;
  const struct bound *bound; /* of PROPERTY_BOUND */
  bool alive;                /* a generated one that was not dropped; always true of the others */
};

struct properties {
  const struct model *model;     /* borrowed */
  struct candidates candidates;  /* owns the generated formulas */
  struct arena arena;            /* owns the bounds' formulas */
  size_t variable_count;         /* over all formulas */
  VECTOR(struct property) items; /* invariants, generated ones, bounds */
};

void properties_init(struct properties *properties, const struct model *model);
void properties_clear(struct properties *properties);

#endif
