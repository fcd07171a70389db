/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/term_same.h"

bool term_is_same(const struct term *a, const struct term *b) {
  if (a->kind != b->kind || a->count != b->count || a->integer != b->integer ||
      a->param != b->param || a->variable != b->variable || a->state != b->state ||
      a->component != b->component || a->message != b->message || a->type.role != b->type.role ||
      a->variable_count != b->variable_count || a->variable_count != 0)
    return false;
  if (a->kind == TERM_TIME && rational_compare(&a->value, &b->value) != 0)
    return false;
  for (size_t i = 0; i < a->count; i++)
    if (!term_is_same(a->args[i], b->args[i]))
      return false;
  return true;
}
