/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef LANG_TERM_TIME_H
#define LANG_TERM_TIME_H

#include <stdbool.h>

#include "lang/model.h"

/* Whether the term, or a term in it, is a time. NULL mentions none. */
bool term_mentions_time(const struct term *term);

#endif
