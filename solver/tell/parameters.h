/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The parameters of an execution, as it is shown: integers and times.
 */
#ifndef SOLVER_TELL_PARAMETERS_H
#define SOLVER_TELL_PARAMETERS_H

#include "base/rational.h"
#include "base/vector.h"
#include "lang/model.h"

struct text;
struct valuation;

/* A parameter that is a time, and what it is worth, in ns. Owns name and value. */
struct constant {
  char *name;
  struct rational value;
};
typedef VECTOR(struct constant) constant_vector;

/* Fills an empty list, in the order of the declarations. */
void constants_take(constant_vector *constants, const struct model *model,
                    const struct valuation *valuation);
void constants_clear(constant_vector *constants);

/* Whether there are any that are known: those that are times are not known without times. */
bool parameters_exist(const struct model *model, const constant_vector *constants);

/* Appends "n=2, Timeout=0 ns", or "no parameters". `scope` by param id. */
void parameters_print(struct text *text, const struct model *model, const int64_t *scope,
                      const constant_vector *constants);

#endif
