/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lang/owner.h"

bool role_tells(const struct role *from, const struct role *to) {
  return from == to || from->owner == to || (to->owner == from && to->each == NULL);
}

bool role_pairs(const struct role *a, const struct role *b) {
  return role_tells(a, b) && role_tells(b, a);
}

enum term_kind role_conversion(const struct role *from, const struct role *to) {
  return from->owner == to ? TERM_OWNER : TERM_OWNED;
}
