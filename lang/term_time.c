/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/term_time.h"

bool term_mentions_time(const struct term *term) {
  if (term == NULL)
    return false;
  bool found = term->type.kind == TYPE_TIME;
  for (size_t i = 0; i < term->count && !found; i++)
    found = term_mentions_time(term->args[i]);
  return found;
}
