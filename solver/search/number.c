/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "solver/search/number.h"

#include <string.h>

#include "base/memory.h"

/* Of numbered_bound_init: a range of one number, whose ends are the same term. */
static bool is_one_number(const struct variable *v) {
  return v->domain == DOMAIN_RANGE && v->low == v->high;
}

size_t bound_number(const struct bound *bound) {
  size_t i = 0;
  while (i < bound->variable_count && bound->variables[i]->domain != DOMAIN_INT &&
         !is_one_number(bound->variables[i]))
    i++;
  return i;
}

void numbered_bound_init(struct numbered_bound *numbered, const struct bound *bound,
                         int64_t number) {
  size_t count = bound->variable_count, at = bound_number(bound);
  numbered->bound = *bound;
  numbered->number =
      (struct term){.kind = TERM_INT, .type = bound->variables[at]->type, .integer = number};
  numbered->variable = *bound->variables[at];
  numbered->variable.domain = DOMAIN_RANGE;
  numbered->variable.low = numbered->variable.high = &numbered->number;
  numbered->variables = mem_alloc(count, sizeof *numbered->variables);
  memcpy(numbered->variables, bound->variables, count * sizeof *numbered->variables);
  numbered->variables[at] = &numbered->variable;
  numbered->bound.variables = numbered->variables;
}

void numbered_bound_clear(struct numbered_bound *numbered) {
  mem_free(numbered->variables);
}
