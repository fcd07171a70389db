/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether two terms are written alike.
 */
#ifndef LANG_TERM_SAME_H
#define LANG_TERM_SAME_H

#include <stdbool.h>

#include "lang/model.h"

/* Terms without quantifiers; false of any that have some. */
bool term_is_same(const struct term *a, const struct term *b);

#endif
