/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Values as they are read: by people, in the unit that fits and rounded to the side that the value
 * is an end of; and by programs, each in the spelling of its format.
 */
#ifndef SHOW_VALUE_H
#define SHOW_VALUE_H

#include "show/objects.h"

/* Appends the value for people, with `decimals` of a share in per cent or of a number (-1: as many
 * as it takes; -4: four significant digits, and all before the point); nothing where there is none.
 */
void value_say(struct text *out, const struct object_key *key, const struct object_value *value,
               int decimals);

/* The number that programs get: with nine digits, rounded to the value's side. */
double value_number(const struct object_key *key, const struct object_value *value);

/* Appends a number, flag or time as the number that it is ("-12", "0.25", "1"), an infinite one as
 * `infinite` with its sign; false, with nothing appended, of all other values. */
bool value_print(struct text *out, const struct object_key *key, const struct object_value *value,
                 const char *infinite);

/* Appends bytes in one line, with U+FFFD for whatever is never shown (base/shown.h). */
void value_print_text(struct text *out, const char *text);

#endif
