/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Whether a term mentions a time, so that it counts as an assumption or invariant on timing.
 */
#ifndef LANG_TERM_TIME_H
#define LANG_TERM_TIME_H

#include <stdbool.h>

#include "lang/model.h"

/* Whether the term, or a term in it, is a time. NULL mentions none. */
bool term_mentions_time(const struct term *term);

#endif
