/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * A stretch of bytes that something else owns, and the few questions that readers of foreign text
 * ask of it. Blanks are space, tab and CR.
 */
#ifndef BASE_SLICE_H
#define BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>

struct slice {
  const char *start;
  size_t length;
};

/* Without the blanks around it. */
struct slice slice_trim(struct slice slice);
bool slice_is(struct slice slice, const char *string);
bool slice_same(struct slice a, struct slice b); /* empty ones are, wherever they start */
bool slice_starts(struct slice slice, const char *string);
bool slice_holds(struct slice slice, const char *string);       /* anywhere */
bool slice_is_word(struct slice slice, const char *lower_case); /* ignoring case */

/* The next field before `separator` (' ' stands for any run of blanks), trimmed; *rest is what
 * follows. false when *rest was used up. */
bool slice_field(struct slice *field, struct slice *rest, char separator);

#endif
