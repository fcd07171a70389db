/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * What was found, as lines to be pasted into the file (infer.h).
 */
#include "base/text.h"
#include "lang/print.h"
#include "solver/infer/infer.h"

void inferred_print_invariant(struct text *text, const struct inference *inference,
                              const struct invariant *invariant) {
  text_format(text, "invariant %s: ", invariant->name);
  print_term(text, &inference->model, invariant->formula);
}

/* `from sent M(k)` says by itself that it is about every k. */
static bool is_bound_by_from(const struct bound *bound, const struct variable *v) {
  for (size_t i = 0; bound->from != NULL && i < bound->from->field_count; i++)
    if (bound->from_args[i]->kind == TERM_VARIABLE && bound->from_args[i]->variable == v)
      return true;
  return false;
}

void inferred_print_bound(struct text *text, const struct inference *inference,
                          const struct bound *bound) {
  text_format(text, "bound %s", bound->name);
  const char *before = " for all ";
  for (size_t i = 0; i < bound->variable_count; i++) {
    const struct variable *v = bound->variables[i];
    if (is_bound_by_from(bound, v))
      continue;
    text_format(text, "%s%s in ", before, v->name);
    before = ", ";
    if (v->domain == DOMAIN_RANGE) {
      print_term(text, &inference->model, v->low);
      text_append(text, "..");
      print_term(text, &inference->model, v->high);
    } else {
      text_append(text, v->type.kind == TYPE_NODE ? v->type.role->name : "int");
    }
  }
  text_format(text, ": %s within ", bound->target_text);
  print_term(text, &inference->model, bound->expression);
}
