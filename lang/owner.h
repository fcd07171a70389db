/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Which node of one role is known from a node of another, where families belong to families
 * (model.h).
 */
#ifndef LANG_OWNER_H
#define LANG_OWNER_H

#include "lang/model.h"

/* Whether a node of `from` tells one node of `to`: both are one role, or the owner of `from`, or of
 * what belongs to `from` there is one each. */
bool role_tells(const struct role *from, const struct role *to);

/* Whether each of two nodes tells the other. */
bool role_pairs(const struct role *a, const struct role *b);

/* TERM_OWNER or TERM_OWNED: the term that makes a node of `to` of one of `from`, which tells it and
 * is of another role. */
enum term_kind role_conversion(const struct role *from, const struct role *to);

#endif
