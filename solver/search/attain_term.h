/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The terms of a bound, and what they stand for at given parameters. Shared by
 * solver/search/attain*.c.
 */
#ifndef SOLVER_SEARCH_ATTAIN_TERM_H
#define SOLVER_SEARCH_ATTAIN_TERM_H

#include "base/vector.h"

struct attainment;
struct component;
struct expression;
struct interpreter;
struct model;
struct occurrence;
struct path;
struct term;

/* An occurrence, or (NULL) the bare name of a component. */
struct attain_part {
  const struct occurrence *occurrence;
  const struct component *component;
  size_t mentions; /* in the expression that it is of */
};
typedef VECTOR(struct attain_part) attain_parts;

/* Fills the terms of an attainment that has none. */
void attain_terms_init(struct attainment *attainment);

/* The expression at the interpreter's parameters and the path's values of the bound's variables;
 * NULL where it has no value. */
const struct expression *attain_ground(const struct attainment *attainment, struct interpreter *in,
                                       const struct path *path, const struct term *expression);

/* Adds what the expression has, each once; what is multiplied by 0 does not count. */
void attain_parts_add(attain_parts *parts, const struct model *model,
                      const struct expression *ground);

#endif
